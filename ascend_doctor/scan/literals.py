"""One pass over the text for all literals at once; only what they hit is looked at further."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import hyperscan


@dataclass(frozen=True, slots=True)
class Literal:
    """A byte string to be found wherever it stands.

    Attributes:
        text: the bytes.
        any_case: letters are equal in both cases.
        once: only whether it stands in a text is asked, not how often and where first.
    """

    text: bytes
    any_case: bool = False
    once: bool = False


class Literals:
    """A compiled set of literals."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._lengths = [len(literal.text) for literal in literals]
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[literal.text for literal in literals],
            ids=[*range(len(literals))],
            elements=len(literals),
            flags=[_flags(literal) for literal in literals],
            literal=True,
        )
        self._scratch = hyperscan.Scratch(self._database)
        self._database.scratch = self._scratch

    def hits(self, text: bytes, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
        """Return (offset, literal number) of the occurrences within a text, in its order.

        One that overlaps another of the same literal is left out: a line of nothing but dashes
        would have one at each byte, and they say nothing new.
        """
        found: list[tuple[int, int]] = []
        lengths = self._lengths
        ends: dict[int, int] = {}

        def note(number: int, begin: int, stop: int, flags: int, context: Any) -> None:
            begin = stop - lengths[number]
            if begin >= ends.get(number, 0):
                ends[number] = stop
                found.append((start + begin, number))

        part: Any = text if start == 0 and end is None else memoryview(text)[start:end]
        if len(part):
            self._database.scan(part, match_event_handler=note)
            found.sort()
        return found


def _flags(literal: Literal) -> int:
    flags = hyperscan.HS_FLAG_CASELESS if literal.any_case else 0
    return flags | (hyperscan.HS_FLAG_SINGLEMATCH if literal.once else 0)
