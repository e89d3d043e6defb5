"""Sets of moments, as stretches of time that do not touch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate


class Cover:
    """The time that some events took together, each moment of it once.

    Attributes:
        begins, ends: of its stretches, in order.
    """

    def __init__(self, begins: Sequence[float] = (), ends: Sequence[float] = ()) -> None:
        self.begins, self.ends = begins, ends
        lengths = (end - begin for begin, end in zip(begins, ends, strict=True))
        self._sums = [0.0, *accumulate(lengths)]

    @classmethod
    def of(cls, begins: Iterable[float], ends: Iterable[float]) -> Cover:
        """Return the time that events took of which these are the begins and the ends.

        They need not be in order, nor in the same.

        >>> cover = Cover.of([4, 1, 2], [5, 3, 2.5])
        >>> cover.begins, cover.ends, cover.length
        ([1, 4], [3, 5], 3)
        """
        first, last = [], []
        stops = sorted(ends)
        depth = at = 0
        for begin in sorted(begins):
            while depth and stops[at] < begin:
                depth, at = depth - 1, at + 1
                if not depth:
                    last.append(stops[at - 1])
            if not depth:
                first.append(begin)
            depth += 1
        if depth:
            last.append(stops[-1])
        return cls(first, last)

    @property
    def length(self) -> float:
        """How much time it is in all."""
        return self._sums[-1]

    def within(self, begin: float, end: float) -> float:
        """Return how much of it is between two moments.

        >>> Cover([1, 4], [3, 5]).within(2, 4.5)
        1.5
        """
        return max(self._until(end) - self._until(begin), 0.0)

    def count(self, begin: float, end: float) -> int:
        """Return how many of its stretches begin between two moments."""
        return bisect_right(self.begins, end) - bisect_right(self.begins, begin)

    def _until(self, moment: float) -> float:
        index = bisect_right(self.begins, moment)
        if not index:
            return 0.0
        return self._sums[index] - max(self.ends[index - 1] - moment, 0.0)

    def minus(self, other: Cover) -> Cover:
        """Return what of it is not in another.

        >>> rest = Cover([0, 10], [6, 12]).minus(Cover([1, 5, 11], [2, 10.5, 20]))
        >>> rest.begins, rest.ends
        ([0, 2, 10.5], [1, 5, 11])
        """
        begins: list[float] = []
        ends: list[float] = []
        at = 0
        for begin, end in zip(self.begins, self.ends, strict=True):
            while at < len(other.begins) and other.ends[at] <= begin:
                at += 1
            rest, index = begin, at
            while index < len(other.begins) and other.begins[index] < end:
                if other.begins[index] > rest:
                    begins.append(rest)
                    ends.append(other.begins[index])
                rest = max(rest, other.ends[index])
                index += 1
            if rest < end:
                begins.append(rest)
                ends.append(end)
        return Cover(begins, ends)

    def plus(self, other: Cover) -> Cover:
        """Return what is in either."""
        return Cover.of([*self.begins, *other.begins], [*self.ends, *other.ends])
