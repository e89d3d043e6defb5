"""What an expression can tell of the numbers in a text.

An expression is uniform if it treats all digits alike except in, or right behind, fixed words:
then what it says of a text it says of each that has other digits, as many, in numbers that its
words do not reach.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

with warnings.catch_warnings():
    # The standard library's own parser: public up to Python 3.10, moved since.
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants as sre
    import sre_parse

DECIMAL = frozenset(b"0123456789")
HEXADECIMAL = frozenset(b"0123456789abcdef")

# Words of fewer digits, and no other signs, stand in many a number.
MIN_DIGITS = 5
# Sequences that an expression with choices is written out to.
MAX_CHOICES = 64
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_POSSESSIVE_SIGN = re.compile(rb"((?<!\\)[*+?}])\+")


@cache
def words_with_digits(pattern: str, digits: frozenset[int] = DECIMAL) -> tuple[bytes, ...] | None:
    """Return the fixed words with digits of an expression, None if it is not uniform.

    A word that a certain digit must follow stands there with a zero behind it.

    >>> words_with_digits(r"code (?:is )?(\\d+)"), words_with_digits(r"ret=0x7|\\w[1-9]")
    ((), None)
    >>> words_with_digits(r"(?:EZ9999|507018)\\b|size [1-9]")
    (b'507018', b'EZ9999', b'size 0')
    """
    # That a group or a repeat gives nothing back does not matter here, and not all versions of
    # the parser know of it.
    plain = _POSSESSIVE_SIGN.sub(rb"\1", pattern.replace("(?>", "(?:").encode())
    try:
        tree = sre_parse.parse(plain)  # type: ignore[arg-type]
        words = sorted(set(_Words(digits).of(tree.data)))
    except (re.error, _NotUniform):
        return None
    if any(len(word) < MIN_DIGITS and digits.issuperset(word) for word in words):
        return None
    return tuple(words)


class _NotUniform(Exception):
    """An expression tells digits apart."""


class _Words:
    """Finds the fixed words that hold some of ``digits``."""

    def __init__(self, digits: frozenset[int]) -> None:
        self._digits = digits

    def of(self, items: Iterable[Any], lead: bytes = b"") -> Iterator[bytes]:
        """Yield the words of a sequence, which goes on with the word ``lead``."""
        for written_out in _written_out(items):
            yield from self._of(written_out, lead)

    def _of(self, items: list[Any], lead: bytes) -> Iterator[bytes]:
        word = bytearray(lead)
        is_inside = False  # behind a digit that a word has led to
        for kind, value in (*items, (None, None)):
            if kind is sre.LITERAL:
                if word or not (is_inside and value in self._digits):
                    word.append(value)
                    is_inside = False
                continue
            known = bytes(word)
            word.clear()
            if kind is sre.BRANCH and known:
                for branch in value[1]:
                    yield from self.of(branch.data, known)
            elif (signs := self._telling(kind, value)) is not None:
                if not (known or is_inside):
                    raise _NotUniform
                if known:
                    yield known + b"0"
                is_inside = self._is_number(signs)
                continue
            else:
                if not self._digits.isdisjoint(known):
                    yield known
                yield from self._within(kind, value, known)
            is_inside = False

    def _telling(self, kind: Any, value: Any) -> list[Any] | None:
        """Return the set of an item that tells digits apart, None of any other item.

        It may be repeated if it holds nothing but digits: all of them are of one number then.
        """
        if kind is sre.IN:
            return None if self._is_uniform(value) else value
        if kind in _REPEATS:
            items = value[2].data
            if len(items) == 1 and items[0][0] is sre.IN and self._is_number(items[0][1]):
                return self._telling(*items[0])
        return None

    def _within(self, kind: Any, value: Any, known: bytes) -> Iterator[bytes]:
        if kind in _REPEATS:
            # What is repeated may follow itself.
            yield from self.of(value[2].data, known if value[1] == 1 else b"")
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from self.of(branch.data)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from self.of(value[1].data, known if value[0] > 0 else b"")
        elif kind is sre.NOT_LITERAL:
            if value in self._digits:
                raise _NotUniform
        elif kind not in (None, sre.ANY, sre.AT, sre.IN):
            raise _NotUniform

    def _is_uniform(self, items: list[Any]) -> bool:
        return len(self._digits & _signs(tuple(items))) in (0, len(self._digits))

    def _is_number(self, items: list[Any]) -> bool:
        """Say whether a set holds nothing but digits."""
        return self._digits >= _signs(tuple(items))


def _written_out(items: Iterable[Any]) -> list[list[Any]]:
    """Return the sequences that one with choices in it stands for, unless they are too many."""
    found: list[list[Any]] = [[]]
    for kind, value in _flat(items):
        choices: list[list[Any]] = [[(kind, value)]]
        if kind in _REPEATS and value[:2] == (0, 1):
            choices = [[], *_written_out(value[2].data)]
        elif kind is sre.BRANCH:
            choices = [one for branch in value[1] for one in _written_out(branch.data)]
        if len(found) * len(choices) > MAX_CHOICES:
            choices = [[(kind, value)]]
        found = [[*before, *choice] for before in found for choice in choices]
    return found


def _flat(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items of a sequence with groups opened."""
    for kind, value in items:
        if kind is sre.SUBPATTERN:
            yield from _flat(value[3].data)
        else:
            yield kind, value


@cache
def _signs(items: tuple[Any, ...]) -> frozenset[int]:
    """Return the characters that a set of an expression holds."""
    found: set[int] = set()
    for kind, value in items:
        if kind is sre.LITERAL:
            found.add(value)
        elif kind is sre.RANGE:
            found.update(range(value[0], value[1] + 1))
        elif kind is sre.CATEGORY:
            found.update(sign for sign in _ALL if _CATEGORIES[value].match(bytes([sign])))
    is_negated = bool(items) and items[0][0] is sre.NEGATE
    return _ALL - found if is_negated else frozenset(found)


_ALL = frozenset(range(256))
_CATEGORIES = {
    sre.CATEGORY_DIGIT: re.compile(rb"\d"),
    sre.CATEGORY_NOT_DIGIT: re.compile(rb"\D"),
    sre.CATEGORY_SPACE: re.compile(rb"\s"),
    sre.CATEGORY_NOT_SPACE: re.compile(rb"\S"),
    sre.CATEGORY_WORD: re.compile(rb"\w"),
    sre.CATEGORY_NOT_WORD: re.compile(rb"\W"),
}
