"""A job that is silent: who, since when, and what its processes are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ascend_doctor.report import Report


class LastLines(Struct, frozen=True):
    """The last lines of one writer.

    Attributes:
        who: a rank, a process or a file, as reports call it.
        rank: its rank, None if nothing tells it.
        since: seconds of the epoch when it wrote last, None if that is not known.
        path: where the lines stand.
        lines: the lines themselves, the last one at the end.
    """

    who: str
    rank: int | None
    since: float | None
    path: str
    lines: tuple[str, ...]


class ProcessState(Struct, frozen=True):
    """What one process is doing.

    Attributes:
        pid: its number.
        rank: the rank that its variables give it.
        state: the kernel's letter: R runs, S sleeps, D waits for a device or disk, T is stopped,
            Z has ended.
        waits_in: the kernel's function that it sleeps in, empty if it does not tell.
        threads: how many it has.
        cpu_s: CPU seconds that it has used.
        command: how it was called.
    """

    pid: int
    rank: int | None
    state: str
    waits_in: str
    threads: int
    cpu_s: float
    command: str


class Stall(Struct, frozen=True):
    """No output and no growth of logs for a while.

    Attributes:
        since: seconds of the epoch when something was written last.
        seconds: how long that is ago.
        writers: the last lines of each, those that are silent the longest first.
        processes: those of the job, empty where nothing tells them.
        report: the diagnosis of what there is until now.
    """

    since: float
    seconds: float
    writers: tuple[LastLines, ...]
    processes: tuple[ProcessState, ...]
    report: Report
