"""The last lines of each writer: of each rank in an output, of each log."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ascend_doctor.formats.sniff import origin_of
from ascend_doctor.running.logs import Growth
from ascend_doctor.stall import LastLines
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.prefix import peel

# How much of the end is looked at, of an output and of a log; lines kept of each writer.
OUTPUT_BYTES = 4 << 20
LOG_BYTES = 64 << 10
MAX_LINES = 3
# Writers that are told apart, and bytes of a line that are kept.
MAX_WRITERS = 4096
_MAX_LINE = 2000

_PLOG_PID = re.compile(r"^(?:plog|device)-(\d{1,10})_\d{8,20}\.log")


def of_output(
    data: bytes, path: str, time_at: Callable[[int], float | None]
) -> Iterator[LastLines]:
    """Yield the last lines of each rank or worker that the end of an output names.

    Args:
        data: the end of the output.
        path: what it is called.
        time_at: tells when the byte at an offset into ``data`` was written.
    """
    lines: dict[tuple[int | None, str | None], list[str]] = {}
    last: dict[tuple[int | None, str | None], int] = {}
    end = len(data)
    while end > 0 and len(lines) < MAX_WRITERS:
        start = data.rfind(b"\n", 0, end) + 1
        line = _seen(data[start:end])
        if line:
            prefix, text = peel(line)
            writer = (prefix.rank, None if prefix.rank is not None else prefix.name)
            kept = lines.setdefault(writer, [])
            last.setdefault(writer, start)
            if len(kept) < MAX_LINES:
                kept.append(shown((text if writer != (None, None) else line)[:_MAX_LINE]))
        end = start - 1
    for (rank, name), kept in lines.items():
        who = f"rank {rank}" if rank is not None else name or ""
        yield LastLines(who, rank, time_at(last[rank, name]), path, tuple(reversed(kept)))


def of_logs(growths: Iterable[Growth], ranks: Mapping[int, int]) -> Iterator[LastLines]:
    """Yield the last lines of logs; ``ranks`` tells those of processes."""
    for growth in growths:
        path = shown(os.fsencode(growth.path))
        found = _PLOG_PID.match(os.path.basename(growth.path))
        pid = int(found[1]) if found else None
        rank = origin_of(path).rank
        if rank is None and pid is not None:
            rank = ranks.get(pid)
        try:
            data = _end_of(growth)
        except OSError:
            continue  # it was rotated away meanwhile
        lines = [line for line in map(_seen, data.split(b"\n")) if line]
        kept = tuple(shown(line[:_MAX_LINE]) for line in lines[-MAX_LINES:])
        who = f"rank {rank}" if rank is not None else f"pid {pid}" if pid is not None else ""
        yield LastLines(who, rank, growth.mtime, path, kept)


def _end_of(growth: Growth) -> bytes:
    start = max(growth.start, growth.size - LOG_BYTES)
    with open(growth.path, "rb", buffering=0) as file:
        return os.pread(file.fileno(), growth.size - start, start)


def _seen(line: bytes) -> bytes:
    """Return what a terminal shows of a line that was written over and over."""
    return line.rstrip(b"\r").rpartition(b"\r")[2].strip(b" \t\x00")
