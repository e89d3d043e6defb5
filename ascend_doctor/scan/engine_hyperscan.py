"""The literals found by hyperscan: one automaton for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hyperscan

from ascend_doctor.scan.literals import Hit, Literal


class Engine:
    """An automaton."""

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

    def hits(self, text: bytes, start: int, end: int) -> list[Hit]:
        """Return what `Literals.hits` does, in any order."""
        found: list[Hit] = []
        lengths = self._lengths
        ends: dict[int, int] = {}

        def note(number: int, begin: int, stop: int, flags: int, context: Any) -> None:
            begin = stop - lengths[number]
            if begin >= ends.get(number, 0):
                ends[number] = stop
                found.append((start + begin, number))

        part: Any = text if end - start == len(text) else memoryview(text)[start:end]
        self._database.scan(part, match_event_handler=note)
        return found


def _flags(literal: Literal) -> int:
    flags = hyperscan.HS_FLAG_CASELESS if literal.any_case else 0
    return flags | (hyperscan.HS_FLAG_SINGLEMATCH if literal.once else 0)
