"""The literals found with nothing but the standard library (ADR 14).

Python searches for one literal as fast as any program, but not for a thousand. Logs, however, say
the same again and again: what is left of a line without its digits, its shape, is seldom new. A
literal can stand only in lines whose shape holds what is left of the literal, its key. So most
lines are passed over, as their shape is known to hold no key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ascend_doctor.scan.literals import Hit, Literal

# What lines of one shape may differ in: the digits of decimal numbers and of addresses.
_DROPPED = b"0123456789abcdef"
# A key that is shorter than this, and than its literal, is in too many shapes.
_MIN_KEY = 3
# Keys are known by so many of their bytes, literals without a key by so many at their beginning.
_GRAM, _PREFIX = 4, 6
# Bytes of text that are looked at together.
_PIECE = 64 << 10
# So few literals are sought in all of them, and not line by line.
_FEW = 4
# Bytes that the shapes may take which are remembered, and what each takes beside its own.
_REMEMBERED, _ENTRY = 8 << 20, 200


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
        keys: dict[int, bytes] = {}
        keyless: tuple[dict[int, bytes], dict[int, bytes]] = ({}, {})
        for number, text in enumerate(self._texts):
            key = _shape(text)
            if b"\n" not in text and (len(key) >= _MIN_KEY or len(key) == len(text)):
                keys[number] = key
            else:
                keyless[self._any_case[number]][number] = text
        self._keys = _Keys(keys, self._any_case)
        self._keyless, self._caseless_keyless = (_Keyless(texts, self._once) for texts in keyless)
        self._shapes: dict[bytes, _Held] = {}
        self._size = 0

    def hits(self, text: bytes, start: int, end: int) -> list[Hit]:
        """Return what `Literals.hits` does, in any order."""
        found = [*self._keyless.hits(text, start, end)]
        if self._caseless_keyless:
            lowered = text[start:end].lower()
            hits = self._caseless_keyless.hits(lowered, 0, len(lowered))
            found += [(start + offset, number) for offset, number in hits]
        done: set[int] = set()
        while start < end:
            stop = text.find(b"\n", start + _PIECE, end) + 1 or end
            self._look(text[start:stop], start, found, done)
            start = stop
        return found

    def _look(self, piece: bytes, start: int, found: list[Hit], done: set[int]) -> None:
        """Look at whole lines for literals with a key, of which ``done`` need not be sought."""
        shapes = _shape(piece).split(b"\n")
        hot: dict[bytes, tuple[int, ...]] = {}
        once: set[int] = set()
        for shape in set(shapes):
            held = self._shapes.get(shape) or self._learn(shape)
            if held.often:
                hot[shape] = held.often
            if held.once:
                once.update(held.once)
        if hot:
            numbers = set().union(*hot.values())
            if len(numbers) <= _FEW:
                self._find(piece, start, numbers, found)
            else:
                at = start
                for line, shape in zip(piece.split(b"\n"), shapes, strict=True):
                    if shape in hot:
                        self._find(line, at, hot[shape], found)
                    at += len(line) + 1
        for number in once - done:
            offset = (piece.lower() if self._any_case[number] else piece).find(self._texts[number])
            if offset >= 0:
                done.add(number)
                found.append((start + offset, number))
        if self._size > _REMEMBERED:
            self._shapes.clear()
            self._size = 0

    def _find(self, text: bytes, start: int, numbers: Iterable[int], found: list[Hit]) -> None:
        """Find some literals in a text that begins at ``start``."""
        for number in numbers:
            wanted = self._texts[number]
            seen = text.lower() if self._any_case[number] else text
            offset = seen.find(wanted)
            while offset >= 0:
                found.append((start + offset, number))
                offset = seen.find(wanted, offset + len(wanted))

    def _learn(self, shape: bytes) -> _Held:
        """Find out, and remember, what lines of a shape may hold."""
        numbers = self._keys.within(shape)
        often = tuple(number for number in numbers if number not in self._once)
        once = tuple(number for number in numbers if number in self._once)
        held = self._shapes[shape] = _Held(often, once)
        self._size += len(shape) + _ENTRY
        return held


def _shape(text: bytes) -> bytes:
    return text.translate(None, _DROPPED)


def _has_letters(text: bytes) -> bool:
    return text.lower() != text.upper()


class _Keys:
    """Finds the keys in a shape that was not seen before; ``keys`` by the numbers of literals."""

    def __init__(self, keys: Mapping[int, bytes], any_case: Sequence[bool]) -> None:
        self._keys = keys
        self._any_case = any_case
        lowered = {number: _shape(key.lower()) for number, key in keys.items()}
        grams = {number: {*chain(*_grams(key))} for number, key in lowered.items()}
        known_by = Counter(chain(*grams.values()))
        # By those few bytes that the fewest others have; and those that are too short for that.
        self._by_gram: dict[int, list[int]] = {}
        self._short = [number for number, some in grams.items() if not some]
        for number, some in grams.items():
            if some:
                rarest = min(some, key=lambda gram: (known_by[gram], gram))
                self._by_gram.setdefault(rarest, []).append(number)
        self._grams = frozenset(self._by_gram)
        self._one_short = re.compile(_any_of({lowered[number] for number in self._short}))

    def within(self, shape: bytes) -> list[int]:
        """Return the numbers of the literals whose keys a shape holds."""
        lowered = _shape(shape.lower())
        found = {*self._short} if self._one_short.search(lowered) else set()
        for grams in _grams(lowered):
            for gram in self._grams.intersection(grams):
                found.update(self._by_gram[gram])
        keys, any_case = self._keys, self._any_case
        return [n for n in found if (lowered if any_case[n] else shape).find(keys[n]) >= 0]


def _grams(text: bytes) -> Iterator[memoryview]:
    """Yield all pieces of four bytes, as numbers: those at 0, 4, 8 …, those at 1, 5, 9 …"""
    for at in range(min(_GRAM, len(text) - _GRAM + 1)):
        yield memoryview(text)[at : len(text) - (len(text) - at) % _GRAM].cast("I")


class _Keyless:
    """Finds the literals that are hardly more than digits, or more than a line.

    Few are the bytes that they begin with. A search for one byte is so fast that one for each
    costs little, and what follows that byte is left to an expression.
    """

    def __init__(self, texts: Mapping[int, bytes], once: set[int]) -> None:
        self._once = once
        self._numbers: dict[bytes, list[int]] = {}
        for number, text in texts.items():
            self._numbers.setdefault(text, []).append(number)
        self._lengths = sorted({*map(len, self._numbers)})
        self._begin = [
            re.compile(re.escape(first) + b"(?=%b)" % _any_of(rest))
            for first, rest in _by_first(text[:_PREFIX] for text in self._numbers)
        ]

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def hits(self, text: bytes, start: int, end: int) -> Iterator[Hit]:
        """Yield their occurrences, without those that `Literals.hits` leaves out."""
        ends: dict[int, int] = {}
        for begin in self._begin:
            for match in begin.finditer(text, start, end):
                at = match.start()
                for length in self._lengths:
                    if at + length > end:
                        break
                    for number in self._numbers.get(text[at : at + length], ()):
                        if at >= ends.get(number, 0):
                            ends[number] = end if number in self._once else at + length
                            yield at, number


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
