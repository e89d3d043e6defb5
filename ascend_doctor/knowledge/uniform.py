"""What an expression can tell of the digits in a text.

An expression is uniform if it treats all digits alike except in fixed words: then what it says
of a text it says of each that has other digits, as many, in places that its words do not reach.
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

_POSSESSIVE_SIGN = re.compile(rb"((?<!\\)[*+?}])\+")
_ALL_DIGITS = range(ord("0"), ord("9") + 1)

# Words of fewer digits stand in many a number.
MIN_DIGITS = 5


@cache
def words_with_digits(pattern: str) -> tuple[bytes, ...] | None:
    """Return the fixed words with digits of an expression, None if it is not uniform.

    >>> words_with_digits(r"code (?:is )?(\\d+)"), words_with_digits(r"ret=0x7|size [1-9]")
    ((), None)
    >>> words_with_digits(r"(?:EZ9999|507018)\\b")
    (b'507018', b'EZ9999')
    """
    # That a group or a repeat gives nothing back does not matter here, and not all versions of
    # the parser know of it.
    plain = _POSSESSIVE_SIGN.sub(rb"\1", pattern.replace("(?>", "(?:").encode())
    try:
        tree = sre_parse.parse(plain)  # type: ignore[arg-type]
        words = sorted(set(_words(tree.data)))
    except (re.error, _NotUniform):
        return None
    if any(word.isdigit() and len(word) < MIN_DIGITS for word in words):
        return None
    return tuple(words)


class _NotUniform(Exception):
    """An expression tells digits apart."""


def _words(items: Iterable[Any], lead: bytes = b"") -> Iterator[bytes]:
    """Yield the fixed words with digits in a sequence, which goes on with the word ``lead``."""
    word = bytearray(lead)
    is_inside = False  # within a number that is known to begin with a word
    for kind, value in (*_flat(items), (None, None)):
        if kind is sre.LITERAL:
            if word or not (is_inside and _is_digit(value)):
                word.append(value)
                is_inside = False
            continue
        known = bytes(word) if word and _is_digit(word[-1]) else b""
        is_inside = is_inside or known != b""
        if kind is sre.BRANCH and known:
            for branch in value[1]:
                yield from _words(branch.data, known)
        elif kind is sre.IN and not _is_uniform(value):
            if not is_inside:
                raise _NotUniform
            yield from (known + b"%c" % sign for sign in _ALL_DIGITS if _holds(value, sign))
            word.clear()
            continue
        else:
            if any(map(_is_digit, word)):
                yield bytes(word)
            yield from _words_of(kind, value, known)
        word.clear()
        is_inside = False


def _flat(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items of a sequence with groups opened."""
    for kind, value in items:
        if kind is sre.SUBPATTERN:
            yield from _flat(value[3].data)
        else:
            yield kind, value


def _words_of(kind: Any, value: Any, known: bytes) -> Iterator[bytes]:
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        yield from _words(value[2].data, known if value[1] == 1 else b"")
    elif kind is sre.BRANCH:
        for branch in value[1]:
            yield from _words(branch.data)
    elif kind in (sre.ASSERT, sre.ASSERT_NOT):
        yield from _words(value[1].data, known if value[0] > 0 else b"")
    elif kind is sre.NOT_LITERAL:
        if _is_digit(value):
            raise _NotUniform
    elif kind not in (None, sre.ANY, sre.AT, sre.IN):
        raise _NotUniform


def _is_uniform(items: list[Any]) -> bool:
    return len({_holds(items, digit) for digit in _ALL_DIGITS}) == 1


def _is_digit(sign: int) -> bool:
    return sign in _ALL_DIGITS


def _holds(items: list[Any], sign: int) -> bool:
    """Say whether a set of an expression holds a character."""
    negated = bool(items) and items[0][0] is sre.NEGATE
    found = False
    for kind, value in items:
        if kind is sre.LITERAL:
            found = found or value == sign
        elif kind is sre.RANGE:
            found = found or value[0] <= sign <= value[1]
        elif kind is sre.CATEGORY:
            found = found or value in (
                sre.CATEGORY_DIGIT,
                sre.CATEGORY_WORD,
                sre.CATEGORY_NOT_SPACE,
            )
    return found != negated
