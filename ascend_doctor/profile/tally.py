"""Events by kind and name: counted, summed up, and the longest of each kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.profile.model import MAX_STEPS, MAX_TALLIES, OTHERS, Kind, Span, Tally
from ascend_doctor.records import Evidence

# Names, different shapes, and times of steps that are kept while a file is read.
_MAX_NAMES = 4096
_MAX_SHAPES = 1 << 18
_MAX_CELLS = 1 << 19
# Characters of a name and of details.
_MAX_NAME = 200
_MAX_DETAIL = 300
_MAX_STACK = 2000

# A row or an event, as its proof is made from.
Place = tuple[int, str]


class Event(Struct):
    """What one row or event says.

    Attributes:
        count, longest_us: of rows that sum up several events.
        shapes: its input shapes, where the file has them; ``None`` is not known.
        dynamic: whether it ran as a dynamic-shape operator, None if that is not known.
    """

    kind: Kind
    name: str
    duration_us: float
    place: Place
    begin_us: float | None = None
    step: str | None = None
    count: int = 1
    longest_us: float | None = None
    wait_us: float | None = None
    core: str | None = None
    shapes: object = None
    dynamic: bool | None = None
    detail: Mapping[str, str] = field(default_factory=dict)


class _Sum(Struct):
    longest: Event
    longest_us: float
    count: int = 0
    total: float = 0.0
    wait: float | None = None
    dynamic: int | None = None
    shapes: set[int] | None = None
    by_step: dict[str, float] = field(default_factory=dict)


class Tallies:
    """Sums of events; what is beyond the bounds is summed up under ``OTHERS``."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Kind, str], _Sum] = {}
        self._shapes = self._cells = 0

    def is_longest(self, kind: Kind, name: str, duration_us: float) -> bool:
        """Say whether an event is longer than those before: only then its details are kept."""
        known = self._sums.get((kind, name[:_MAX_NAME]))
        return known is None or duration_us > known.longest_us

    def add(self, event: Event) -> None:
        """Count an event."""
        key = event.kind, event.name[:_MAX_NAME]
        known = self._sums.get(key)
        if known is None and len(self._sums) >= _MAX_NAMES:
            key = event.kind, OTHERS
            known = self._sums.get(key)
        longest = event.duration_us if event.longest_us is None else event.longest_us
        if known is None:
            known = self._sums[key] = _Sum(_kept(event), longest)
        elif longest > known.longest_us:
            known.longest, known.longest_us = _kept(event), longest
        known.count += event.count
        known.total += event.duration_us
        if event.wait_us is not None:
            known.wait = (known.wait or 0.0) + event.wait_us
        if event.dynamic is not None:
            known.dynamic = (known.dynamic or 0) + event.dynamic
        if event.shapes is not None:
            self._note_shapes(known, hash(event.shapes))
        if event.step is not None:
            self._note_step(known, event.step, event.duration_us)

    def tallies(self, proof: Callable[[Place], Evidence]) -> tuple[Tally, ...]:
        """Return the sums, of each kind the largest first.

        Args:
            proof: makes a proof of a place.
        """
        of_kind: dict[Kind, list[tuple[str, _Sum]]] = defaultdict(list)
        for (kind, name), known in self._sums.items():
            of_kind[kind].append((name, known))
        return tuple(
            _tally(kind, name, known, proof)
            for kind, named in sorted(of_kind.items())
            for name, known in _bounded(named)
        )

    def _note_shapes(self, known: _Sum, shapes: int) -> None:
        known.shapes = set() if known.shapes is None else known.shapes
        if self._shapes < _MAX_SHAPES and shapes not in known.shapes:
            known.shapes.add(shapes)
            self._shapes += 1

    def _note_step(self, known: _Sum, step: str, duration: float) -> None:
        if step in known.by_step:
            known.by_step[step] += duration
        elif self._cells < _MAX_CELLS:
            known.by_step[step] = duration
            self._cells += 1


def _bounded(named: list[tuple[str, _Sum]]) -> Sequence[tuple[str, _Sum]]:
    """Return the largest, what is beyond the bound as one."""
    named.sort(key=lambda item: (item[0] == OTHERS, -item[1].total, item[0]))
    if len(named) <= MAX_TALLIES:
        return named
    rest = [known for _, known in named[MAX_TALLIES - 1 :]]
    return [*named[: MAX_TALLIES - 1], (OTHERS, _together(rest))]


def _together(sums: list[_Sum]) -> _Sum:
    longest = max(sums, key=lambda known: known.longest_us)
    waits = [known.wait for known in sums if known.wait is not None]
    dynamic = [known.dynamic for known in sums if known.dynamic is not None]
    by_step: dict[str, float] = defaultdict(float)
    for known in sums:
        for step, duration in known.by_step.items():
            by_step[step] += duration
    return _Sum(
        longest.longest,
        longest.longest_us,
        sum(known.count for known in sums),
        sum(known.total for known in sums),
        sum(waits) if waits else None,
        sum(dynamic) if dynamic else None,
        None,
        dict(by_step),
    )


def _tally(kind: Kind, name: str, known: _Sum, proof: Callable[[Place], Evidence]) -> Tally:
    event = known.longest
    steps = nlargest(MAX_STEPS, known.by_step.items(), key=lambda item: item[1])
    return Tally(
        kind=kind,
        name=name,
        count=known.count,
        total_us=known.total,
        longest=Span(
            known.longest_us, proof(event.place), event.begin_us, event.step, event.detail
        ),
        shapes=None if known.shapes is None else len(known.shapes),
        dynamic=known.dynamic,
        core=event.core,
        wait_us=known.wait,
        by_step=dict(steps),
    )


def _kept(event: Event) -> Event:
    """Return an event with details that are bounded, and stand on one line each."""
    detail = {
        name: " ".join(text.split())[: _MAX_STACK if name == "stack" else _MAX_DETAIL]
        for name, text in event.detail.items()
        if text
    }
    return replace(event, shapes=None, detail=detail)
