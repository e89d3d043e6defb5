"""What a job has printed and logged until now, diagnosed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import BinaryIO, cast

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.engines.local import read
from ascend_doctor.engines.reader import Reader
from ascend_doctor.engines.watch import Watch
from ascend_doctor.ingest.source import Source
from ascend_doctor.ingest.stream import FileStream
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.report import Report
from ascend_doctor.running.logs import Growth
from ascend_doctor.running.processes import processes_of
from ascend_doctor.running.spool import Spool
from ascend_doctor.running.stretch import lines_before, moved, source_of, streamed
from ascend_doctor.running.tails import OUTPUT_BYTES, of_logs, of_output
from ascend_doctor.stall import LastLines, Stall
from ascend_doctor.view.encoding import shown

# What reports call the output of a job that is not kept.
OUTPUT = "<output>"


def name_of(spool: Spool) -> str:
    """Return what reports call the output."""
    return OUTPUT if spool.file is None else shown(os.fsencode(spool.file))


def examine(
    spool: Spool | None,
    growths: Iterable[Growth],
    knowledge: Knowledge,
    *,
    jobs: int = 1,
    watch: Watch | None = None,
) -> Report:
    """Diagnose what was printed, and what was written to logs."""
    sources = [] if spool is None or not spool.size else [_output(spool)]
    lines: dict[str, int] = {}
    for growth in growths:
        source = source_of(growth)
        sources.append(source)
        if growth.start:
            lines[source.path] = lines_before(growth)
    facts = read(iter(sources), Reader(knowledge, watch=watch or Watch()), jobs)
    return diagnose(moved(facts, lines), knowledge)


def stall(
    since: float,
    seconds: float,
    report: Report,
    growths: Sequence[Growth],
    *,
    spool: Spool | None = None,
    pid: int | None = None,
) -> Stall:
    """Gather what is to be said of a job that is silent."""
    processes = () if pid is None else tuple(processes_of(pid, pid))
    ranks = {process.pid: process.rank for process in processes if process.rank is not None}
    writers: list[LastLines] = []
    if spool is not None:
        data, start = spool.last(OUTPUT_BYTES)
        writers += of_output(data, name_of(spool), lambda offset: spool.time_at(start + offset))
    writers += of_logs(growths, ranks)
    writers.sort(key=_silent_longest)
    return Stall(since, seconds, tuple(writers), processes, report)


def _silent_longest(writer: LastLines) -> tuple[float, int, str]:
    return writer.since or 0.0, -1 if writer.rank is None else writer.rank, writer.path


def _output(spool: Spool) -> Source:
    name = name_of(spool)
    if spool.is_whole and os.path.exists(spool.path):
        return Source(name, partial(_head, spool.path), spool.size, spool.path)
    return Source(name, partial(streamed, spool.blocks))


def _head(path: str) -> BinaryIO:
    return cast(BinaryIO, FileStream(path))
