"""What there is to read, cut into tasks for processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from ascend_doctor.engines.bounds import Bounds
from ascend_doctor.engines.reader import Cut
from ascend_doctor.facts import Shard
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.scan.part import Part


class Whole(Struct, frozen=True):
    """Sources to be read to their ends."""

    sources: tuple[Source, ...]


class Large(Struct, frozen=True):
    """A file to be cut into parts, or read to its end if it cannot be."""

    source: Source


class OnePart(Struct, frozen=True):
    """A part of a file."""

    cut: Cut
    number: int


class Answer(Struct, frozen=True):
    """What has become of a task so far.

    Attributes:
        is_last: no more will come.
        read: bytes that were read for the task.
        count: sources that were read to their ends.
        path: what is being read.
        results: of sources, since the last answer.
        cut: how a large file is cut, with its first part as ``part``.
        part: what was asked for.
    """

    is_last: bool
    read: int
    count: int
    path: str
    results: Sequence[Shard | Skipped] = ()
    cut: Cut | None = None
    part: Part | None = None


class Task(Struct):
    """Work for one process, and what it said of it so far.

    ``place`` is the number of its first source, in the order in which they were found; ``tries``
    counts the processes that died of it.
    """

    place: int
    work: Whole | Large | OnePart
    tries: int = 0
    read: int = 0
    count: int = 0
    path: str = ""
    results: list[Shard | Skipped] = field(default_factory=list)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What it is about."""
        work = self.work
        if isinstance(work, Whole):
            return work.sources
        return (work.source if isinstance(work, Large) else work.cut.source,)

    @property
    def is_of_pipe(self) -> bool:
        """Say whether it can be read only where it was opened, and once."""
        return self.sources[0].size is None

    def take(self, answer: Answer) -> None:
        """Note what the process says."""
        self.read, self.count, self.path = answer.read, answer.count, answer.path
        self.results += answer.results

    def again(self) -> list[Task]:
        """Return what is to be tried after a process died of it: halves, to find out of which."""
        sources = self.sources
        if len(sources) == 1:
            return [] if self.tries else [Task(self.place, self.work, tries=1)]
        half = len(sources) // 2
        return [
            Task(self.place, Whole(sources[:half])),
            Task(self.place + half, Whole(sources[half:])),
        ]


def tasks(sources: Iterator[Source], bounds: Bounds) -> Iterator[Task]:
    """Yield tasks, in the order of the sources: pipes and large files alone, others together."""
    place = 0
    batch: list[Source] = []
    weight = 0
    for source in sources:
        is_alone = source.size is None or source.size > bounds.large
        if batch and (is_alone or weight + bounds.weight(source) > bounds.batch):
            yield Task(place, Whole(tuple(batch)))
            place, batch, weight = place + len(batch), [], 0
        if source.size is None:
            yield Task(place, Whole((source,)))
        elif is_alone:
            yield Task(place, Large(source))
        else:
            batch.append(source)
            weight += bounds.weight(source)
        place += is_alone
    if batch:
        yield Task(place, Whole(tuple(batch)))
