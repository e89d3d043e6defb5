"""Run whole processes and measure them: time, processor time, memory of all together."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# How often memory is looked at; what lives shorter is missed.
_SAMPLE_S = 0.05
_SESSION = 3  # of the fields behind a process's name in /proc/PID/stat

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What one process did: seconds of the clock and of processors, exit code, and output."""

    wall_s: float
    cpu_s: float
    exit_code: int
    output: bytes


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of repeated measurements, and the lowest and highest of them."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


def run(command: Command, while_running: Callable[[int], None] | None = None) -> Run:
    """Run ``command`` to its end; ``while_running`` is called with its process id.

    What it writes goes to a file, so that nobody has to read along; its complaints go to ours.
    """
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603
            command, stdout=output, start_new_session=True, env=_environment()
        )
        if while_running is not None:
            while_running(process.pid)
        # wait4 counts the children as well, which the process waited for.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Run(wall, cpu, process.returncode, output.read())


def _environment() -> dict[str, str]:
    """Return our environment, in which Python may keep what it compiled, as installers do."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def interleaved(commands: Mapping[str, Command], repetitions: int) -> dict[str, list[Run]]:
    """Run each command in turn, ``repetitions`` times over, after one round to warm up."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for repetition in range(repetitions + 1):
        for name, command in commands.items():
            done = run(command)
            if repetition:
                runs[name].append(done)
    return runs


def peak_memory(command: Command) -> tuple[float, Run]:
    """Return the most memory in MiB that ``command`` and its children held at one time.

    Each shared page counts once (PSS). Looking at it takes time: such a run is not timed.
    """
    peak_kib = 0

    def watch(pid: int) -> None:
        nonlocal peak_kib
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            peak_kib = max(peak_kib, sum(map(_pss_kib, _processes_of(pid))))
            time.sleep(_SAMPLE_S)

    done = run(command, watch)
    return peak_kib / 1024, done


def _processes_of(session: int) -> list[Path]:
    """Return the processes of a session, those whose parent has gone as well."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                # The name stands in brackets and may hold any character.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[_SESSION]) == session:
                    found.append(folder)
    return found


def _pss_kib(process: Path) -> int:
    with suppress(OSError):
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
