"""Where the time of steps went, as shapes to draw: a bar a rank, and a column a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from ascend_doctor.records import LANGS, Lang
from ascend_doctor.report import PARTS, Bar, Breakdown, Part, Place, Track
from ascend_doctor.reporters import times

if TYPE_CHECKING:
    import jinja2

# Bytes of columns and their numbers that a page holds; of the ranks behind it, the means are there.
MAX_STEPS_BYTES = 700_000
# Pixels of the longest column.
HEIGHT = 96
# Marks of the scale beside columns, above the ground.
_MAX_TICKS = 4
# No step is shorter: below, there is nothing to be marked.
_LEAST_MS = 1e-6


class Piece(NamedTuple):
    """A part of a bar: where it begins and how long it is, in per cent or pixels of the longest."""

    part: Part
    at: float
    size: float


class Column(NamedTuple):
    """A step, or neighbouring ones: per cent from the left and of the width, and its parts."""

    bar: Bar
    left: float
    width: float
    pieces: tuple[Piece, ...]


class Row(NamedTuple):
    """A rank or device: what it is called, the pieces of its mean step, what it waited for."""

    name: str
    track: Track
    mean: float
    pieces: tuple[Piece, ...]
    reasons: Mapping[Lang, str]
    proof: Place


class Tick(NamedTuple):
    """A mark of the scale beside columns: pixels from above, and its milliseconds."""

    at: float
    text: str


class Steps(Struct, frozen=True):
    """The steps of one row.

    Attributes:
        ticks: the scale, from the ground up.
        longest: how long a step of the longest column took, in ms.
        path: the file that proves all of them, None if there are several.
    """

    row: Row
    columns: tuple[Column, ...]
    parts: tuple[Part, ...]
    ticks: tuple[Tick, ...]
    longest: float
    path: str | None


def rows(breakdown: Breakdown) -> list[Row]:
    """Return a row for each rank, all to one scale."""
    longest = max(map(times.mean, breakdown.tracks), default=0.0)
    return [
        Row(
            name,
            track,
            times.mean(track),
            tuple(_pieces(track, longest, 100)),
            {lang: times.reasons(track, lang) for lang in LANGS},
            times.proof(track),
        )
        for name, track in zip(times.names(breakdown), breakdown.tracks, strict=True)
    ]


def steps(row: Row) -> Steps:
    """Return the columns of a row, to a scale of their own."""
    bars = row.track.bars
    longest = max(map(times.mean, bars))
    width = 100 / len(bars)
    paths = {bar.proof.path for bar in bars}
    return Steps(
        row,
        tuple(
            Column(bar, round(number * width, 2), round(width, 2), tuple(_stacked(bar, longest)))
            for number, bar in enumerate(bars)
        ),
        tuple(times.parts_of(bars)),
        ticks(longest),
        longest,
        next(iter(paths)) if len(paths) == 1 else None,
    )


def ticks(longest: float) -> tuple[Tick, ...]:
    """Return the marks of a scale that ends at ``longest`` ms, at round values.

    >>> [tick.text for tick in ticks(247.1)]
    ['0', '100', '200']
    """
    if not _LEAST_MS <= longest < math.inf:
        return (Tick(HEIGHT, "0"),)
    unit = 10.0 ** math.floor(math.log10(longest / _MAX_TICKS))
    step = next(unit * n for n in (1, 2, 5, 10, 20) if longest / (unit * n) <= _MAX_TICKS)
    values = (number * step for number in range(int(longest / step) + 1))
    return tuple(
        Tick(round(HEIGHT - HEIGHT * (value / longest), 1), f"{value:,.6g}") for value in values
    )


def rendered(rows: Sequence[Row], template: jinja2.Template) -> list[str]:
    """Return the steps of the first rows as HTML that is safe to put in, as far as there is room.

    A rank with one bar only has no more to show than its row.
    """
    from markupsafe import Markup

    left = MAX_STEPS_BYTES
    shown: list[str] = []
    for row in rows:
        if left <= 0:
            break
        if len(row.track.bars) < 2:
            continue
        number = len(shown)
        text = template.render(drawn=steps(row), number=number, height=HEIGHT, is_only=not rows[1:])
        left -= len(text.encode())
        shown.append(Markup(text))  # noqa: S704 - comes from an escaping template
    return shown


def _pieces(item: Track | Bar, longest: float, size: float) -> Iterator[Piece]:
    at = 0.0
    for part in PARTS:
        took = item.parts.get(part, 0.0) / item.steps
        # A stored result may claim parts that are more than the whole.
        length = min(size - at, size * took / longest) if longest else 0.0
        if round(length, 2):
            yield Piece(part, round(at, 2), round(length, 2))
        at += length


def _stacked(bar: Bar, longest: float) -> Iterator[Piece]:
    """Yield pieces from the ground up; shapes are placed by their upper edge."""
    for part, at, size in _pieces(bar, longest, HEIGHT):
        yield Piece(part, round(HEIGHT - at - size, 1), round(size, 1))
