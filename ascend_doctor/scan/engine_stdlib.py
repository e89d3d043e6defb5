"""The literals found with nothing but the standard library (ADR 14).

Python searches for one literal as fast as any program, but not for a thousand. Logs, however, say
the same again and again: what is left of a line without its digits, its shape, is seldom new. A
literal can stand only in lines whose shape holds what is left of the literal, its key. So most
lines are passed over, as their shape is known to hold no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ascend_doctor.scan.literals import Hit, Literal

# What lines of one shape may differ in: the digits of decimal numbers and of addresses.
_DROPPED = b"0123456789abcdef"
# A key that is shorter than this, and than its literal, is in too many shapes.
_MIN_KEY = 3
# Bytes of text that are looked at together.
_PIECE = 64 << 10
# So few literals are sought in all of them, and not line by line.
_FEW = 4
# Bytes that the shapes may take which are remembered, and what each takes beside its own.
_REMEMBERED, _ENTRY = 8 << 20, 200
# So many first bytes of each text stand in an expression: more take longer to compile.
_PREFIX = 5


class _Held(NamedTuple):
    """The numbers of the literals that a line may hold: of all, and of those sought once."""

    often: tuple[int, ...]
    once: tuple[int, ...]


class Engine:
    """Literals, each looked for in those lines that may hold it."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._any_case = [literal.any_case and _has_letters(literal.text) for literal in literals]
        self._once = {number for number, literal in enumerate(literals) if literal.once}
        # As they are in the text, or in the text in lower case.
        self._texts = [
            literal.text.lower() if any_case else literal.text
            for literal, any_case in zip(literals, self._any_case, strict=True)
        ]
        keys: tuple[dict[int, bytes], dict[int, bytes]] = ({}, {})
        keyless: tuple[dict[int, bytes], dict[int, bytes]] = ({}, {})
        for number, text in enumerate(self._texts):
            any_case, key = self._any_case[number], _shape(text)
            if b"\n" not in text and (len(key) >= _MIN_KEY or len(key) == len(text)):
                keys[any_case][number] = key
            else:
                keyless[any_case][number] = text
        self._keys, self._caseless_keys = map(_Search, keys)
        self._keyless, self._caseless_keyless = map(_Search, keyless)
        self._shapes: dict[bytes, _Held] = {}
        self._size = 0

    def hits(self, text: bytes, start: int, end: int) -> list[Hit]:
        """Return what `Literals.hits` does, in any order."""
        found = [*self._hits_without_key(text, start, end)]
        done: set[int] = set()
        while start < end:
            stop = text.find(b"\n", start + _PIECE, end) + 1 or end
            self._look(text[start:stop], start, found, done)
            start = stop
        return found

    def _hits_without_key(self, text: bytes, start: int, end: int) -> Iterator[Hit]:
        hits = self._keyless.hits(text, start, end)
        if self._caseless_keyless:
            lowered = text[start:end].lower()
            caseless = self._caseless_keyless.hits(lowered, 0, len(lowered))
            hits = chain(hits, ((start + offset, number) for offset, number in caseless))
        ends: dict[int, int] = {}
        for offset, number in hits:
            if offset >= ends.get(number, start):
                ends[number] = end if number in self._once else offset + len(self._texts[number])
                yield offset, number

    def _look(self, piece: bytes, start: int, found: list[Hit], done: set[int]) -> None:
        """Look at whole lines for literals with a key, of which ``done`` need not be sought."""
        shapes = _shape(piece).split(b"\n")
        different = set(shapes)
        new = [shape for shape in different if shape not in self._shapes]
        if new:
            self._learn(new)
        hot: dict[bytes, tuple[int, ...]] = {}
        once: set[int] = set()
        for shape in different:
            held = self._shapes[shape]
            if held.often:
                hot[shape] = held.often
            if held.once:
                once.update(held.once)
        self._look_at_lines(piece, start, shapes, hot, found)
        for number in once - done:
            offset = (piece.lower() if self._any_case[number] else piece).find(self._texts[number])
            if offset >= 0:
                done.add(number)
                found.append((start + offset, number))
        if self._size > _REMEMBERED:
            self._shapes.clear()
            self._size = 0

    def _look_at_lines(
        self,
        piece: bytes,
        start: int,
        shapes: list[bytes],
        hot: Mapping[bytes, tuple[int, ...]],
        found: list[Hit],
    ) -> None:
        """Find the literals that lines of ``hot`` shapes may hold."""
        numbers = set(chain(*hot.values()))
        if len(numbers) <= _FEW:
            self._find(piece, start, numbers, found)
            return
        for line, shape in zip(piece.split(b"\n"), shapes, strict=True):
            if shape in hot:
                self._find(line, start, hot[shape], found)
            start += len(line) + 1

    def _find(self, text: bytes, start: int, numbers: Iterable[int], found: list[Hit]) -> None:
        """Find some literals in a text that begins at ``start``."""
        for number in numbers:
            wanted = self._texts[number]
            seen = text.lower() if self._any_case[number] else text
            offset = seen.find(wanted)
            while offset >= 0:
                found.append((start + offset, number))
                offset = seen.find(wanted, offset + len(wanted))

    def _learn(self, shapes: list[bytes]) -> None:
        """Find out, and remember, what lines of some shapes may hold."""
        holding: list[set[int]] = [set() for _ in shapes]
        for search, is_lowered in ((self._keys, False), (self._caseless_keys, True)):
            if search:
                seen = [_shape(shape.lower()) for shape in shapes] if is_lowered else shapes
                for line, number in search.in_lines(seen):
                    holding[line].add(number)
        for shape, numbers in zip(shapes, holding, strict=True):
            once = numbers & self._once
            self._shapes[shape] = _Held(tuple(numbers - once), tuple(once))
            self._size += len(shape) + _ENTRY


def _shape(text: bytes) -> bytes:
    return text.translate(None, _DROPPED)


def _has_letters(text: bytes) -> bool:
    return text.lower() != text.upper()


class _Search:
    """A search for all of some texts at each byte.

    A search for one byte is so fast that one for each byte that texts begin with takes less time
    than a single one for all. What follows that byte is left to an expression.
    """

    def __init__(self, texts: Mapping[int, bytes]) -> None:
        self._texts = texts
        self._by_prefix: dict[bytes, list[int]] = {}
        for number, text in texts.items():
            self._by_prefix.setdefault(text[:_PREFIX], []).append(number)
        self._lengths = sorted({*map(len, self._by_prefix)})
        self._begin = [
            re.compile(re.escape(first) + b"(?=%b)" % _any_of(rest))
            for first, rest in _by_first(self._by_prefix)
        ]

    def __bool__(self) -> bool:
        return bool(self._texts)

    def hits(self, text: bytes, start: int, end: int) -> Iterator[Hit]:
        """Yield all occurrences; those of each text are in their order."""
        for begin in self._begin:
            for match in begin.finditer(text, start, end):
                at = match.start()
                for length in self._lengths:
                    for number in self._by_prefix.get(text[at : at + length], ()):
                        if text.startswith(self._texts[number], at, end):
                            yield at, number

    def in_lines(self, lines: list[bytes]) -> Iterator[tuple[int, int]]:
        """Yield the lines that texts without a newline occur in, by their places, and which."""
        text = b"\n".join(lines)
        line, end = 0, len(lines[0])
        for at, number in sorted(self.hits(text, 0, len(text))):
            while at >= end:
                line += 1
                end += len(lines[line]) + 1
            yield line, number


def _by_first(texts: Iterable[bytes]) -> list[tuple[bytes, set[bytes]]]:
    """Return the first bytes of texts, and what follows each."""
    found: dict[bytes, set[bytes]] = {}
    for text in texts:
        found.setdefault(text[:1], set()).add(text[1:])
    return sorted(found.items())


def _any_of(texts: set[bytes]) -> bytes:
    """Return an expression that matches where one of the texts stands."""
    if b"" in texts:
        return b""
    return b"(?:%b)" % b"|".join(
        re.escape(first) + _any_of(rest) for first, rest in _by_first(texts)
    )
