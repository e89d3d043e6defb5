"""What the processes of a job are doing, as the kernel tells it; Linux only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ascend_doctor.stall import ProcessState

_PROC = Path("/proc")
_RANK = re.compile(rb"(?:^|\0)(?:RANK|RANK_ID|OMPI_COMM_WORLD_RANK)=(\d{1,6})(?:\0|$)")
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
# Bytes of a command line that are shown.
MAX_COMMAND = 200


def processes_of(root: int, group: int | None = None) -> list[ProcessState]:
    """Return what ``root``, those that it started and those of its process group are doing.

    Workers may have sessions of their own, as those of torchrun do; they are found by their
    parents. Empty where there is no /proc.
    """
    parents: dict[int, tuple[int, int]] = {}
    for pid in _pids():
        with suppress(OSError, ValueError, IndexError):
            fields = _fields(pid)
            parents[pid] = int(fields[1]), int(fields[2])
    found = {root} | {pid for pid, (_, own) in parents.items() if own == group}
    size = 0
    while len(found) > size:
        size = len(found)
        found |= {pid for pid, (parent, _) in parents.items() if parent in found}
    states = []
    for pid in sorted(found & parents.keys()):
        # It may have ended meanwhile.
        with suppress(OSError, ValueError, IndexError):
            states.append(_state(pid))
    return states


def _pids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir(_PROC) if name.isdecimal())


def _fields(pid: int) -> list[bytes]:
    """Return the fields of ``stat`` behind the name, which may hold anything."""
    return (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()


def _state(pid: int) -> ProcessState:
    fields = _fields(pid)
    folder = _PROC / str(pid)
    command = (folder / "cmdline").read_bytes()[: 4 * MAX_COMMAND].rstrip(b"\0")
    if not command:
        command = b"[" + (folder / "comm").read_bytes().strip() + b"]"
    rank = None
    waits_in = ""
    # Of another user's process, not all may be read.
    with suppress(OSError):
        found = _RANK.search((folder / "environ").read_bytes())
        rank = int(found[1]) if found else None
    with suppress(OSError):
        waits_in = (folder / "wchan").read_text().strip()
    return ProcessState(
        pid=pid,
        rank=rank,
        state=fields[0].decode(),
        waits_in="" if waits_in == "0" else waits_in,
        threads=int(fields[17]),
        cpu_s=(int(fields[11]) + int(fields[12])) / _TICKS,
        command=command.replace(b"\0", b" ").decode("utf-8", "backslashreplace")[:MAX_COMMAND],
    )
