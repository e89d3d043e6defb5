"""The part of a job that is looked at: some ranks, from a time on, until a time.

A message that is outside is left out before anything is concluded, so that the verdict is about the
part. One that does not say when it was written, or by which rank, is kept: it may belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from msgspec import Struct

Place = Literal["inside", "outside", "unplaced"]

_DATE = 11  # characters before the clock
_MOMENT = re.compile(
    r"(?:(?P<date>\d{4}-\d\d-\d\d)(?:[-T ](?=\d)|$))?"
    r"(?P<clock>\d\d:\d\d(?::\d\d(?:[.,](?P<part>\d{1,6}|\d{3}\.\d{3}))?)?)?"
)
_RANKS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


class Scope(Struct, frozen=True):
    """What of a job is looked at; without fields, all of it.

    Attributes:
        since, until: the first and last moment, as ``moment`` returns them. The last one counts
            as a whole: ``10:00`` ends with that minute.
        ranks: first and last of each stretch of ranks.
    """

    since: str = ""
    until: str = ""
    ranks: tuple[tuple[int, int], ...] = ()

    @property
    def is_all(self) -> bool:
        """True if nothing is outside."""
        return not (self.since or self.until or self.ranks)

    @property
    def ends_early(self) -> bool:
        """True if the last moment as a whole is before the first one."""
        return self.since[: len(self.until)] > self.until != ""

    def place(self, time: str | None, rank: int | None) -> Place:
        """Say whether a message is in it, as far as its time and rank tell.

        >>> scope = Scope(since="10:00", until="10:30", ranks=((0, 3),))
        >>> [scope.place(f"2026-01-02T{time}.000000", 3) for time in ("10:30:59", "10:31:00")]
        ['inside', 'outside']
        >>> scope.place(None, 4), scope.place(None, 3)
        ('outside', 'unplaced')
        """
        is_told = True
        if self.ranks:
            if rank is None:
                is_told = False
            elif not self.has_rank(rank):
                return "outside"
        if self.since or self.until:
            if time is None:
                is_told = False
            elif not self._is_in_time(time):
                return "outside"
        return "inside" if is_told else "unplaced"

    def misses(self, first: str, last: str) -> bool:
        """Say whether no moment between two, as records write them, can be in it.

        >>> day = ("2026-01-02T10:00:00", "2026-01-02T11:00:00")
        >>> [Scope(since=since).misses(*day) for since in ("11:30", "10:30", "2026-01-03")]
        [True, False, True]
        """
        clocks = [_is_clock(moment) for moment in (self.since, self.until)]
        if any(clocks) and first[:_DATE] != last[:_DATE]:
            return False  # between two days there is any clock
        since, until = (
            first[:_DATE] + moment if _is_clock(moment) else moment
            for moment in (self.since, self.until)
        )
        is_before, is_behind = last < since, bool(until) and first[: len(until)] > until
        if self.ends_early and all(clocks):  # over midnight
            return is_before and is_behind
        return is_before or is_behind or self.ends_early

    def has_rank(self, rank: int) -> bool:
        """Say whether a rank is in it."""
        return not self.ranks or any(first <= rank <= last for first, last in self.ranks)

    def _is_in_time(self, time: str) -> bool:
        since, until = self.since, self.until
        is_begun = not since or _alike(time, since) >= since
        is_over = bool(until) and _alike(time, until)[: len(until)] > until
        if self.ends_early and _is_clock(since) and _is_clock(until):  # over midnight
            return is_begun or not is_over
        return is_begun and not is_over


EVERYTHING = Scope()


def _is_clock(moment: str) -> bool:
    return moment[2:3] == ":"


def _alike(time: str, moment: str) -> str:
    return time[_DATE:] if _is_clock(moment) else time


def moment(text: str) -> str:
    """Return a moment as times of records are written, or only the clock of one.

    >>> moment("2026-01-02"), moment("2026-01-02 10:00"), moment("10:00:05")
    ('2026-01-02', '2026-01-02T10:00', '10:00:05')
    >>> moment("2026-01-02-10:00:05.120.001")
    '2026-01-02T10:00:05.120001'

    Raises:
        ValueError: it is none, or names a zone.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None or not (found["date"] or found["clock"]):
        raise ValueError("write it as the log does, without a zone: 2026-01-31, 10:00:05 or both")
    clock = (found["clock"] or "").replace(",", ".")
    if found["part"] is not None:
        clock = f"{clock[:8]}.{found['part'].replace('.', '')}"
    date = found["date"] or "2000-01-01"
    datetime.fromisoformat(f"{date}T{clock[:8] or '00:00'}")
    return "T".join(filter(None, (found["date"], clock)))


def stretches(texts: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Return ranks such as ``0,3-5`` as stretches, sorted.

    >>> stretches(["3-5,0"])
    ((0, 0), (3, 5))

    Raises:
        ValueError: one is neither a rank nor a first and a last one.
    """
    found = []
    for word in ",".join(texts).split(","):
        if not word.strip():
            continue
        ranks = _RANKS.fullmatch(word.strip())
        if ranks is None:
            raise ValueError(f"{word.strip()!r} is no rank; write them as 0,3-5")
        first, last = int(ranks[1]), int(ranks[2] or ranks[1])
        if first > last:
            raise ValueError(f"{word.strip()!r}: the first rank is larger than the last")
        found.append((first, last))
    return tuple(sorted(set(found)))
