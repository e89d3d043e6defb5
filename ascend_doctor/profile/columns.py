"""The columns of a table: found whatever their case and unit, and read in one unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.profile.kinds import UNIT, bare

Cells = Sequence[str]

# Digits of a whole number, and of a rank; Python reads no number of thousands.
_MAX_DIGITS = 19
RANK_DIGITS = 6
_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "μs": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
_MEBIBYTES = {"B": 1 / (1 << 20), "KB": 1 / 1024, "MB": 1.0, "GB": 1024.0}
# How profilers write that they have no value.
_ABSENT = frozenset({"", "N/A", "NA", "None", "null", "nan", "NaN"})
# What is beyond is a counter that wrapped, or nonsense, and its sums would be so, too: durations
# (µs) of a third of a year, moments (µs) of thousands of years, sizes (MiB), and counts.
MAX_DURATION = 1e13
MAX_MOMENT = 1e18
_MAX_SIZE = 1e12
_MAX_COUNT = 1e15


def number(cell: str | None) -> float | None:
    """Return the finite number of a cell, None if it has none; profilers put tabs behind some."""
    try:
        value = float(cell or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole(word: str, digits: int = _MAX_DIGITS) -> int | None:
    """Return a whole number, None if a word is none or has more digits.

    >>> whole("12"), whole("-1"), whole("9" * 5000), whole("123", digits=2)
    (12, None, None, None)
    """
    return int(word) if word.isdecimal() and len(word) <= digits else None


class Text(Struct, frozen=True):
    """A column of words; one that the table lacks has none."""

    index: int | None

    def __bool__(self) -> bool:
        """Say whether the table has it."""
        return self.index is not None

    def of(self, cells: Cells) -> str:
        """Return the word of a row, empty if it has none."""
        if self.index is None:
            return ""
        word = cells[self.index].strip()
        return "" if word in _ABSENT else word


class Number(Struct, frozen=True):
    """A column of numbers: what one of its units is, and from which on they cannot be true."""

    index: int | None
    factor: float
    most: float

    def __bool__(self) -> bool:
        """Say whether the table has it."""
        return self.index is not None

    def of(self, cells: Cells) -> float | None:
        """Return the number of a row, None if it has none that can be true."""
        value = None if self.index is None else number(cells[self.index])
        if value is None or abs(value := value * self.factor) >= self.most:
            return None
        return value


class Columns:
    """The columns of a table by their names; of two that are called alike, the first."""

    def __init__(self, names: Iterable[str]) -> None:
        self._units: dict[str, tuple[int, str]] = {}
        for index, name in enumerate(names):
            found = UNIT.fullmatch(name)
            self._units.setdefault(bare(name), (index, found["unit"] if found else ""))

    def text(self, *names: str) -> Text:
        """Return the first of these columns that there is."""
        return Text(self._first(names)[0])

    def count(self, *names: str) -> Number:
        """Return a column of numbers without a unit."""
        return Number(self._first(names)[0], 1.0, _MAX_COUNT)

    def time(self, *names: str) -> Number:
        """Return a column of durations, in µs."""
        index, unit = self._first(names)
        return Number(index, _MICROSECONDS.get(unit, 1.0), MAX_DURATION)

    def moment(self, *names: str) -> Number:
        """Return a column of moments, in µs of whatever clock."""
        return replace(self.time(*names), most=MAX_MOMENT)

    def size(self, *names: str) -> Number:
        """Return a column of sizes, in MiB."""
        index, unit = self._first(names)
        return Number(index, _MEBIBYTES.get(unit, 1.0), _MAX_SIZE)

    def _first(self, names: Sequence[str]) -> tuple[int | None, str]:
        return next((self._units[n] for n in map(bare, names) if n in self._units), (None, ""))
