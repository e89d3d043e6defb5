"""The step lines of one source as measures: how long steps took and how long they waited for data.

Which lines are step lines, and what they say, is told by rules that take every answer of
``step_share``; of very many lines those that are read stand for the others (see ``sampling``).
Steps of a kind in a row are put together where there are too many: counts and sums stay true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.formats import metrics
from ascend_doctor.knowledge.explain import WAITING_SHARE, step_times
from ascend_doctor.records import Evidence, Origin, Record, Sighting
from ascend_doctor.scan.beside import Beside

if TYPE_CHECKING:  # most logs have no step lines that tell of data, and need not wait for it
    from ascend_doctor.profile.model import Measures, Step

# Writers that are told apart in one source, numbers that epochs of one begin with, and groups of
# each kind.
MAX_WRITERS = 32
MAX_GROUPS = 64
MAX_NUMBERS = 4

_US = 1e6
# Returns a line of a record together with the lines around it.
Surround = Callable[[Record, Evidence], Evidence]


class _Group(Struct):
    """Steps of one kind in a row: how many, how long in all, the first and the worst of them."""

    first: Step
    worst: Step
    count: int
    total: float
    fetch: float

    def add(self, other: _Group) -> None:
        if _badness(other.worst) > _badness(self.worst):
            self.worst = other.worst
        self.count += other.count
        self.total += other.total
        self.fetch += other.fetch

    def moved(self, lines: int) -> _Group:
        return replace(self, first=_moved(self.first, lines), worst=_moved(self.worst, lines))

    def steps(self) -> Iterator[Step]:
        """Yield the worst step as it was, and one that stands for all others."""
        if self.worst == self.first and self.total == self.count * self.first.total_us:
            yield replace(self.first, count=self.count)
            return
        yield self.worst
        rest = self.count - 1
        yield replace(
            self.first,
            total_us=(self.total - self.worst.total_us) / rest,
            fetch_us=(self.fetch - (self.worst.fetch_us or 0.0)) / rest,
            count=rest,
        )


class _Seen(Struct, frozen=True):
    """A step line: the step, for how many it stands, and its counters."""

    step: Step
    weight: int
    epoch: float | None
    number: int | None

    def begins_epoch(self, last: _Seen) -> bool:
        """Say whether an epoch, or a run, begins between the ``last`` line and this one."""
        if self.epoch is not None and last.epoch is not None and self.epoch != last.epoch:
            return True
        return self.number is not None and last.number is not None and self.number < last.number


class _Kind(Struct, frozen=True):
    """What steps have in common that are put together.

    Attributes:
        is_waiting: they waited for data.
        may_border: an epoch begins with them, or a running average still bears that.
        number: then, the counter of the step that an epoch begins with.
    """

    is_waiting: bool
    may_border: bool = False
    number: int | None = None


class _Writer(Struct):
    """The step lines of one writer, in their order.

    How far apart lines are, and so which of them tell of a border, is known when all were seen.

    Attributes:
        opening: the first line.
        last: the last line.
        others: how many there are beside the first.
        interval: the most that the counter of steps goes on from one line to the next; the last
            line of an epoch may come sooner.
        repeats: several lines are of one epoch.
        beside: what they tell beside times.
    """

    opening: _Seen
    last: _Seen
    others: int = 0
    interval: int | None = None
    repeats: bool = False
    beside: Beside = field(default_factory=Beside)
    groups: dict[_Kind, list[_Group]] = field(default_factory=dict)

    def add(self, seen: _Seen) -> None:
        """Go on with one line."""
        step, last = seen.step, self.last
        is_waiting = (step.fetch_us or 0.0) >= WAITING_SHARE * step.total_us
        kind = _Kind(is_waiting)
        if seen.begins_epoch(last):
            kind = _Kind(is_waiting, may_border=True, number=seen.number)
        else:
            self.repeats = self.repeats or seen.epoch is not None
            if seen.number is not None and last.number is not None:
                self._note_interval(seen.number - last.number or None)
            if step.is_average:
                kind = _Kind(is_waiting, may_border=True, number=last.number)
        fetch = step.fetch_us or 0.0
        group = _Group(step, step, seen.weight, seen.weight * step.total_us, seen.weight * fetch)
        self._append(kind, group)
        self.last = seen
        self.others += seen.weight

    def join(self, other: _Writer) -> None:
        """Go on with what another part of the source says of the same writer."""
        self._note_interval(other.interval)
        self.repeats = self.repeats or other.repeats
        self.add(other.opening)
        self.last = other.last
        self.others += other.others
        self.beside.join(other.beside)
        for kind, groups in other.groups.items():
            for group in groups:
                self._append(kind, group)

    def moved(self, lines: int) -> _Writer:
        """Return the same lines counted from ``lines`` further up."""
        return replace(
            self,
            opening=replace(self.opening, step=_moved(self.opening.step, lines)),
            last=replace(self.last, step=_moved(self.last.step, lines)),
            beside=self.beside.moved(lines),
            groups={k: [group.moved(lines) for group in v] for k, v in self.groups.items()},
        )

    def steps(self) -> tuple[Step, ...]:
        """Return all steps, in their order."""
        opening = self.opening
        if opening.number is None and opening.epoch is None:
            is_border = self.others >= 2
        else:
            is_border = self._is_early(opening.number)
        told = [replace(opening.step, is_border=is_border, count=opening.weight)]
        for kind, groups in self.groups.items():
            is_border = kind.may_border and self._is_early(kind.number)
            steps = (step for group in groups for step in group.steps())
            told += (replace(step, is_border=is_border) for step in steps)
        return tuple(sorted(told, key=lambda step: (step.proof.order, -step.count)))

    def _is_early(self, number: int | None) -> bool:
        """Say whether the first fetch of an epoch is among the steps that a line tells of.

        A log may have one line an epoch, which tells of all of it.
        """
        if number is None:
            return self.repeats
        return number <= 1 or (self.interval is not None and number <= self.interval)

    def _note_interval(self, interval: int | None) -> None:
        if interval is not None:
            self.interval = max(interval, self.interval or interval)

    def _append(self, kind: _Kind, group: _Group) -> None:
        groups = self.groups.setdefault(kind, [])
        groups.append(group)
        numbers = {k.number for k in self.groups if k.number is not None}
        if len(numbers) > MAX_NUMBERS:
            # Of the largest, the first fetch of an epoch is the least likely to be in the line.
            late = [k for k in self.groups if k.number == max(numbers)]
            for known, some in [(k, self.groups.pop(k)) for k in late]:
                for one in some:
                    self._append(_Kind(known.is_waiting), one)
        if len(groups) > MAX_GROUPS:
            for left, right in zip(groups[::2], groups[1::2], strict=False):
                left.add(right)
            del groups[1::2]


class Steps:
    """All step lines of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._writers: dict[tuple[str, Origin], _Writer] = {}
        self._worst: dict[tuple[str, Origin], float] = {}

    def add(
        self, rule: str, record: Record, sighting: Sighting, weight: int, surround: Surround
    ) -> None:
        """Note one step line, which stands for ``weight`` of them.

        Args:
            rule: the rule that knows such lines.
            record: what the line stands in.
            sighting: what the rule captured.
            weight: of how many lines this one was read.
            surround: is asked for the lines around the worst lines only.
        """
        from ascend_doctor.profile.model import Step

        said = sighting.captures
        times = step_times(said)
        if times is None:
            return
        key = (rule, record.origin)
        proof = sighting.evidence[0]
        fetch, total = (_US * seconds for seconds in times)
        known = self._writers.get(key)
        if known is None and len(self._writers) >= MAX_WRITERS:
            return
        if fetch >= WAITING_SHARE * total and fetch > self._worst.get(key, 0.0):
            self._worst[key] = fetch
            proof = surround(record, proof)
        epoch, number = metrics.counters(proof.text.encode())
        step = Step(
            name="" if number is None else str(number),
            proof=proof,
            total_us=total,
            fetch_us=fetch,
            is_average="average" in said,
        )
        seen = _Seen(step, weight, epoch, number)
        if known is None:
            known = self._writers[key] = _Writer(seen, seen)
        else:
            known.add(seen)
        known.beside.add(said, proof, weight)

    def join(self, other: Steps, lines: int) -> None:
        """Go on with the part behind this one; ``lines`` stand before it."""
        for key, writer in other._writers.items():
            known = self._writers.get(key)
            if known is not None:
                known.join(writer.moved(lines))
            elif len(self._writers) < MAX_WRITERS:
                self._writers[key] = writer.moved(lines)

    def measures(self) -> tuple[Measures, ...]:
        """Return what each writer says."""
        return tuple(
            self._measured(rule, origin, writer) for (rule, origin), writer in self._writers.items()
        )

    def _measured(self, rule: str, origin: Origin, writer: _Writer) -> Measures:
        from ascend_doctor.profile.model import STEP_LINES, Measures

        batches, memory = writer.beside.measured()
        facts = {"lines": rule}
        if writer.beside.recompiles is not None:
            facts["recompiles"] = writer.beside.recompiles
        return Measures(
            STEP_LINES,
            self._source,
            rank=origin.rank,
            steps=writer.steps(),
            memory=memory,
            batches=batches,
            facts=facts,
        )


def _badness(step: Step) -> float:
    fetch = step.fetch_us or 0.0
    return fetch if fetch >= WAITING_SHARE * step.total_us else step.total_us


def _moved(step: Step, lines: int) -> Step:
    return replace(step, proof=step.proof.moved(lines))
