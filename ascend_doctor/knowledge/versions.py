"""Which releases of torch_npu, torch, CANN and Python were made for each other.

>>> sorted(["8.1.RC1.alpha002", "8.0.0", "8.0.RC3"], key=order)
['8.0.RC3', '8.0.0', '8.1.RC1.alpha002']
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from ascend_doctor import late

_PARTS = late.pattern(r"(\d{1,9})\.(\d{1,9})(?:\.(?:(RC)(\d{1,9})|(\d{1,9})))?", re.IGNORECASE)
# What follows the release proper: a local build, a nightly date, a candidate.
_TAIL = late.pattern(r"(?:\+|[.-]?dev|rc|[.-]alpha|[.-]beta).*", re.IGNORECASE)

Order = tuple[int, int, int, int]


class Pair(Struct, frozen=True):
    """A torch_npu release and what it was made for; ``eol`` is the day its line ended, or empty."""

    torch_npu: str
    torch: str
    cann: str
    python: tuple[str, ...]
    eol: str = ""


class Versions:
    """The version matrix."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._pairs = {pair.torch_npu: pair for pair in pairs}

    def of_torch_npu(self, version: str) -> Pair | None:
        """Return the row of a torch_npu release; a build of one counts as the release."""
        return self._pairs.get(_TAIL.sub("", version))

    def of_cann(self, version: str) -> tuple[Pair, ...]:
        """Return the torch_npu releases that were made for a CANN release, newest first."""
        wanted = order(version)
        found = [p for p in self._pairs.values() if wanted and order(p.cann) == wanted]
        return tuple(sorted(found, key=_newness, reverse=True))


def order(version: str) -> Order | None:
    """Return what sorts CANN releases: candidates before the release they lead to."""
    found = _PARTS.match(version)
    if found is None:
        return None
    major, minor, candidate, number, patch = found.groups()
    return int(major), int(minor), 0 if candidate else 1, int(number or patch or 0)


def _newness(pair: Pair) -> tuple[int, ...]:
    return numbers(pair.torch_npu)


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, at most eight, those behind the release included.

    >>> numbers("2.6.0.post3"), numbers("?")
    ((2, 6, 0, 3), ())
    """
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:8])


def same_release(one: str, other: str) -> bool:
    """Say whether two torch or torch_npu versions belong to one torch release.

    What one of them leaves out is not taken for a difference.

    >>> same_release("2.1.0.post6", "2.1.0+cpu"), same_release("2.6.0", "2.5.1")
    (True, False)
    >>> same_release("2.1", "2.1.0"), same_release("2.1", "2.2.0")
    (True, False)
    """
    return all(a == b for a, b in zip(_release(one), _release(other), strict=False))


def _release(version: str) -> list[str]:
    return _TAIL.sub("", version).split(".")[:3]
