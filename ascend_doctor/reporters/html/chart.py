"""When things went wrong, per process or rank, as shapes to draw: rows of spans, or a heat map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from msgspec import Struct

from ascend_doctor.records import Origin
from ascend_doctor.report import Activity, Diagnosis, Timeline

# More rows than this are drawn as a heat map, of so many lanes and cells at most.
MAX_ROWS = 36
MAX_LANES = 128
CELLS = 48
# Rows of the table behind the drawing.
MAX_TABLE = 250

# From how many activities on a cell is darker.
SHADES = (1, 2, 4, 8)

_STEPS_S = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200),
)
_DAY_S = 86400
_MAX_TICKS = 6


# What an activity is to the verdict: the root cause, what followed from it, or neither.
Kind = Literal["cause", "after", "other"]


class Tick(NamedTuple):
    """A mark on the axis: per cent from the left, and its time."""

    at: float
    text: str


class Bar(NamedTuple):
    """A span in per cent of the width, and what it stands for."""

    activity: Activity
    kind: Kind
    left: float
    width: float


class Cell(NamedTuple):
    """Neighbouring cells of a lane that are equally dark."""

    left: int
    width: int
    shade: int
    most: int


class Lane(NamedTuple):
    """A rank, or a process of which no rank is known; ``cause`` is the cell of the root cause."""

    name: str
    origin: Origin
    bars: tuple[Bar, ...]
    cells: tuple[Cell, ...]
    cause: int | None


class Chart(Struct, frozen=True):
    """The drawing and the numbers behind it.

    Attributes:
        is_heat: whether there are too many rows to draw each.
        cause: where the root cause was first, in per cent of the width.
        untimed: activities without a time, which only the table holds.
        lanes_left_out: lanes that the drawing does not hold.
    """

    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    table: tuple[tuple[str, Activity], ...]
    first: str
    last: str
    cause: float | None
    is_heat: bool
    untimed: int
    lanes_left_out: int
    rows_left_out: int

    @property
    def kinds(self) -> frozenset[Kind]:
        """Return what there is among the bars, for their legend."""
        return frozenset(bar.kind for lane in self.lanes for bar in lane.bars)


class _Timed(NamedTuple):
    activity: Activity
    first: datetime
    last: datetime


def chart(timeline: Timeline, root: Diagnosis | None) -> Chart | None:
    """Return what is drawn of a timeline with this root cause, None where it holds no time."""
    activities = timeline.activities
    timed = [*_timed(activities)]
    if not timed:
        return None
    begin = min(item.first for item in timed)
    end = max(item.last for item in timed)
    axis = _Axis(begin, end)
    lanes: dict[str, list[_Timed]] = defaultdict(list)
    for item in timed:
        lanes[lane_name(item.activity)].append(item)
    ordered = sorted(lanes.items(), key=lambda lane: _order(lane[1][0].activity))
    is_heat = len(timed) > MAX_ROWS
    drawn = ordered[:MAX_LANES] if is_heat else ordered
    causes = [item.first for item in timed if _kind(item.activity, root) == "cause"]
    table = sorted(activities, key=lambda a: (_order(a), a.first_seen or "~", a.rule))
    return Chart(
        lanes=tuple(
            Lane(
                name,
                items[0].activity.origin,
                () if is_heat else axis.bars(items, root),
                axis.cells(items) if is_heat else (),
                axis.cell_of_cause(items, root),
            )
            for name, items in drawn
        ),
        ticks=axis.ticks(),
        table=tuple((lane_name(a), a) for a in table[:MAX_TABLE]),
        first=moment(begin),
        last=moment(end),
        cause=axis.at(min(causes)) if causes else None,
        is_heat=is_heat,
        untimed=len(activities) - len(timed),
        lanes_left_out=len(ordered) - len(drawn),
        rows_left_out=len(table) - len(table[:MAX_TABLE]),
    )


def lane_name(activity: Activity) -> str:
    """Return who it was: the rank if it is known, else the process, else the file."""
    origin = activity.origin
    parts = [origin.node] if origin.node else []
    if origin.rank is not None:
        parts.append(f"rank {origin.rank}")
    elif origin.pid is not None:
        parts.append(f"pid {origin.pid}")
    elif origin.device is not None:
        parts.append(f"device {origin.device}")
    else:
        parts.append(activity.source)
    return " ".join(parts)


def _kind(activity: Activity, root: Diagnosis | None) -> Kind:
    if root is None or activity.position != root.position:
        return "other"
    return "cause" if activity.rule == root.rule else "after"


def _order(activity: Activity) -> tuple[object, ...]:
    origin = activity.origin
    numbers = (origin.rank, origin.device, origin.pid)
    known = ((number is None, number or 0) for number in numbers)
    return (origin.node or "", *known, activity.source)


def _timed(activities: Iterable[Activity]) -> Iterable[_Timed]:
    for activity in activities:
        first, last = parsed(activity.first_seen), parsed(activity.last_seen)
        if first is not None:
            yield _Timed(activity, first, max(first, last or first))


def parsed(time: str | None) -> datetime | None:
    """Return a time of a log, None where it is none: what is in a report came from a log."""
    try:
        found = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return found.replace(tzinfo=None)


def moment(time: datetime) -> str:
    """Return a time for people; a log that prints whole seconds is not made more exact.

    >>> moment(datetime(2026, 1, 2, 3, 4, 5, 600))
    '2026-01-02 03:04:05.000'
    """
    return f"{time:%Y-%m-%d} {_clock(time, 3 if time.microsecond else 0)}"


def since(time: str | None, start: str | None) -> str:
    """Return how long after another one a time was, nothing if that is not known or no time.

    >>> since("2026-01-02T03:04:05.500000", "2026-01-02T03:04:05.000000")
    '+0.500 s'
    >>> since("2026-01-03T04:05:05.000000", "2026-01-02T03:04:05.000000")
    '+25:01:00'
    """
    at, begin = parsed(time), parsed(start)
    if at is None or begin is None or at == begin:
        return ""
    seconds = (at - begin).total_seconds()
    sign, whole = "+" if seconds > 0 else "−", round(abs(seconds))
    if abs(seconds) < 60:
        return f"{sign}{abs(seconds):.3f} s"
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _clock(time: datetime, digits: int) -> str:
    text = time.strftime("%H:%M:%S.%f")
    return text[: 9 + digits] if digits else text[:8]


class _Axis:
    def __init__(self, begin: datetime, end: datetime) -> None:
        self._begin = begin
        self._seconds = (end - begin).total_seconds()

    def at(self, time: datetime) -> float:
        """Return a time in per cent; with a single moment all is in the middle."""
        if not self._seconds:
            return 50.0
        return round(100 * (time - self._begin).total_seconds() / self._seconds, 2)

    def bars(self, items: Sequence[_Timed], root: Diagnosis | None) -> tuple[Bar, ...]:
        ordered = sorted(items, key=lambda i: (i.first, i.activity.position, i.activity.rule))
        return tuple(
            Bar(item.activity, _kind(item.activity, root), self.at(item.first), self._width(item))
            for item in ordered
        )

    def _width(self, item: _Timed) -> float:
        # A shape without any width is not drawn at all, whatever its outline is.
        return max(0.01, round(self.at(item.last) - self.at(item.first), 2))

    def cells(self, items: Sequence[_Timed]) -> tuple[Cell, ...]:
        counts = [0] * CELLS
        for item in items:
            left, right = self._cell(item.first), self._cell(item.last)
            for cell in range(left, right + 1):
                counts[cell] += 1
        runs: list[Cell] = []
        for cell, count in enumerate(counts):
            shade = sum(count >= least for least in SHADES)
            if runs and runs[-1].shade == shade:
                last = runs[-1]
                runs[-1] = Cell(last.left, last.width + 1, shade, max(last.most, count))
            else:
                runs.append(Cell(cell, 1, shade, count))
        return tuple(run for run in runs if run.shade)

    def cell_of_cause(self, items: Sequence[_Timed], root: Diagnosis | None) -> int | None:
        causes = [item.first for item in items if _kind(item.activity, root) == "cause"]
        return self._cell(min(causes)) if causes else None

    def _cell(self, time: datetime) -> int:
        return min(CELLS - 1, int(self.at(time) * CELLS / 100))

    def ticks(self) -> tuple[Tick, ...]:
        if not self._seconds:
            return (Tick(50.0, _clock(self._begin, 3)),)
        fitting = (step for step in _STEPS_S if self._seconds / step <= _MAX_TICKS)
        step = next(fitting, None) or _DAY_S * -(-self._seconds // (_DAY_S * _MAX_TICKS))
        midnight = self._begin.replace(hour=0, minute=0, second=0, microsecond=0)
        number = -(-(self._begin - midnight).total_seconds() // step)
        found = []
        while True:
            try:
                time = midnight + timedelta(seconds=number * step)
            except OverflowError:
                break
            if (time - self._begin).total_seconds() > self._seconds:
                break
            found.append(Tick(self.at(time), self._label(time, step)))
            number += 1
        return tuple(found)

    def _label(self, time: datetime, step: float) -> str:
        if step >= _DAY_S:
            return f"{time:%Y-%m-%d}"
        return _clock(time, 3 if step < 1 else 0)
