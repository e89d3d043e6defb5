"""Scan on this machine, with as many processes as are worth it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from ascend_doctor.engines.bounds import BOUNDS, Bounds
from ascend_doctor.engines.gathering import Gathering
from ascend_doctor.engines.reader import Reader
from ascend_doctor.engines.watch import Progress, Stopped, Watch
from ascend_doctor.errors import InputError
from ascend_doctor.facts import Facts
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.scope import EVERYTHING, Scope

# More would need more memory than a busy host can spare, and a faster disk than most.
_MOST = 8


def usual_jobs() -> int:
    """Return how many processes read unless it is said: one a core, within reason."""
    if hasattr(os, "sched_getaffinity"):
        return min(_MOST, len(os.sched_getaffinity(0)))
    return min(_MOST, os.cpu_count() or 1)


def scan(
    paths: Sequence[Path],
    knowledge: Knowledge,
    limits: Limits = DEFAULT,
    *,
    scope: Scope = EVERYTHING,
    jobs: int = 1,
    watch: Watch | None = None,
) -> Facts:
    """Return the facts of everything readable below ``paths``; the same for any ``jobs``.

    Args:
        paths: files, folders, ``-``.
        knowledge: what is known.
        limits: how much is unpacked of one archive.
        scope: the part of the job that is looked at.
        jobs: the most processes that read; few files are read by this one.
        watch: is told how far it is, and may stop it.

    Raises:
        InputError: a named path does not exist.
        WorkerError: there is a bug that showed in another process.
    """
    reader = Reader(knowledge, limits, scope=scope, watch=watch or Watch())
    return read(discover(paths), reader, jobs)


def read(
    found: Iterable[Source | Skipped], reader: Reader, jobs: int = 1, bounds: Bounds = BOUNDS
) -> Facts:
    """Return the facts of what was found."""
    progress, gathering, watch = Progress(), Gathering(), reader.watch
    sources = _sources(iter(found), watch, gathering, progress)
    ahead: list[Source] = []
    weight = 0
    # One more than is needed to decide: so the end is known before the last one is read.
    while (source := next(sources, None)) is not None:
        ahead.append(source)
        if weight >= bounds.alone:
            break
        weight += bounds.weight(source)
    sources = chain(ahead, sources)
    here: Iterable[tuple[int, Source]] = ((0, source) for source in sources)
    if jobs > 1 and weight >= bounds.alone:
        from ascend_doctor.engines.crew import Crew
        from ascend_doctor.engines.tasks import tasks

        crew = Crew(reader, jobs, bounds, gathering, progress)
        left = crew.read(tasks(sources, bounds))
        here = ((task.place, source) for task in left for source in task.sources)

    for place, source in here:
        _read_here(place, source, reader, gathering, progress)
    unread = progress.found - progress.done if watch.is_stopped else 0
    facts = gathering.facts(reader.knowledge.digest, is_interrupted=watch.is_stopped, unread=unread)
    return replace(facts, scope=reader.scope)


def _read_here(
    place: int, source: Source, reader: Reader, gathering: Gathering, progress: Progress
) -> None:
    before, progress.path = progress.done_bytes, source.path

    def note(count: int) -> None:
        progress.done_bytes += count
        reader.watch.see(progress)

    reader.note = note
    if gathering.add(place, reader.read(source)) or not reader.watch.is_stopped:
        progress.done += 1
    if source.size is not None:
        progress.done_bytes = before + source.size
    reader.watch.see(progress)


def _sources(
    found: Iterator[Source | Skipped], watch: Watch, gathering: Gathering, progress: Progress
) -> Iterator[Source]:
    """Yield the sources among what is found until reading is stopped; the rest is noted."""
    while True:
        try:
            item = watch.guard(next, found, None)
        except (Stopped, InputError):
            if watch.is_stopped:
                return
            raise
        if item is None:
            progress.is_all_found = True
            return
        if isinstance(item, Skipped):
            # A folder may be out of reach because it was left in the middle of a wait.
            if not watch.is_stopped:
                gathering.skip(item)
            continue
        progress.found += 1
        progress.found_bytes += item.size or 0
        yield item
