"""One pass over the text for all literals at once; only what they hit is looked at further."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hyperscan


class Literals:
    """A compiled set of byte strings, found wherever they stand in a text."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._lengths = [len(literal) for literal in literals]
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[*literals],
            ids=[*range(len(literals))],
            elements=len(literals),
            flags=[0] * len(literals),
            literal=True,
        )
        self._scratch = hyperscan.Scratch(self._database)
        self._database.scratch = self._scratch

    def hits(self, text: bytes) -> list[tuple[int, int]]:
        """Return (offset, literal number) of every occurrence, in order of the text."""
        if not text:
            return []
        found: list[tuple[int, int]] = []
        lengths = self._lengths

        def note(number: int, start: int, end: int, flags: int, context: Any) -> None:
            found.append((end - lengths[number], number))

        self._database.scan(text, match_event_handler=note)
        found.sort()
        return found
