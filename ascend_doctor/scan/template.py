"""Messages that differ only in numbers: their template, and which numbers may be left open.

A template is a sample of a plog message with holes in place of numbers. What rules and code
tables say of the sample they say of every message that fits, since a number stays fixed wherever
a literal or a code could reach into it; what their expressions say is tried on each message.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from msgspec import Struct

from ascend_doctor.knowledge.codes import Codes

# Numbers, as they stand in messages: an address, a bare hexadecimal word, decimal digits.
_HEX_WORD = rb"(?<![0-9A-Za-z])(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{6,40}(?![0-9A-Za-z])"
_NUMBER = re.compile(rb"(?P<address>0x[0-9a-fA-F]+)|(?P<word>" + _HEX_WORD + rb")|(?P<digits>\d+)")
_WORD = re.compile(rb"[0-9A-Za-z]*\Z"), re.compile(rb"[0-9A-Za-z]*")
_DIGITS = re.compile(rb"\d+")
_HEX_DIGITS = re.compile(rb"[0-9a-f]+")
# What stands for any number, and for a hexadecimal one, where texts are compared.
_ANY, _ANY_HEX = b"\x00", b"\x01"
# How long a number in a hole may be.
_MAX_DECIMAL, _MAX_HEX = 20, 40
MAX_DIGITS = max(_MAX_DECIMAL, _MAX_HEX)
_DECIMAL = b"\\d{1,%d}" % _MAX_DECIMAL
_HEX = b"[0-9a-f]{1,%d}" % _MAX_HEX
# A word without a digit, or without a letter, is no number.
_WORD_HOLE = b"(?=[a-f]{0,39}\\d)(?=\\d{0,39}[a-f])[0-9a-f]{6,%d}" % _MAX_HEX
# Codes that are told in decimal have this many digits.
_CODE_DIGITS = 6
# Letters around a number that are looked at for whether it is part of a hexadecimal word.
_REACH = 48


def masked(line: bytes) -> bytes:
    """Return ``line`` with a sign in place of each number.

    >>> masked(b"stream 12 at 0x12c1 of te_matmul_03ac11f failed, EZ9999")
    b'stream # at # of te_matmul_# failed, EZ#'
    """
    return _NUMBER.sub(b"#", line)


class _Edge(Struct, frozen=True):
    """What stands before and behind a run of digits in a literal, other numbers made alike."""

    head: bytes
    tail: bytes


_Edges = dict[tuple[bytes, bytes], list[_Edge]]


class Reach:
    """Knows where a literal could begin, end or stand within a number.

    Attributes:
        alone: words that are nothing but digits, and may stand within any long number.
    """

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._decimal: _Edges = defaultdict(list)
        self._hex: _Edges = defaultdict(list)
        self.alone: list[bytes] = []
        for literal in sorted(set(literals)):
            if _HEX_DIGITS.fullmatch(literal):
                self.alone.append(literal)
            _collect(_DIGITS, literal, self._decimal)
            _collect(_HEX_DIGITS, literal, self._hex)

    def touches(self, before: bytes, behind: bytes, *, is_hex: bool) -> bool:
        """Say whether a literal may share bytes with a number between two comparable texts.

        Those that are alone are left out.
        """
        edges = self._hex if is_hex else self._decimal
        last, first = before[-1:], behind[:1]
        return any(
            _may_end(before, edge.head) and _may_begin(behind, edge.tail)
            for key in ((last, first), (last, b""), (b"", first))
            for edge in edges.get(key, ())
        )


def _collect(runs: re.Pattern[bytes], literal: bytes, edges: _Edges) -> None:
    for run in runs.finditer(literal):
        head, tail = _comparable(literal[: run.start()]), _comparable(literal[run.end() :])
        if head or tail:
            edges[head[-1:], tail[:1]].append(_Edge(head, tail))


def _comparable(text: bytes) -> bytes:
    """Return a text whose decimal numbers are all alike, in small letters."""
    return _DIGITS.sub(_ANY, text.lower())


def _may_end(text: bytes, head: bytes) -> bool:
    """Say whether ``text`` may end with ``head``, whatever its hexadecimal numbers are."""
    known = text.rpartition(_ANY_HEX)[2]
    if len(head) <= len(known) or len(known) == len(text):
        return known.endswith(head)
    return head.endswith(known) and _is_hex(head[len(head) - len(known) - 1])


def _may_begin(text: bytes, tail: bytes) -> bool:
    known = text.partition(_ANY_HEX)[0]
    if len(tail) <= len(known) or len(known) == len(text):
        return known.startswith(tail)
    return tail.startswith(known) and _is_hex(tail[len(known)])


def _is_hex(sign: int) -> bool:
    return sign == 0 or chr(sign) in "0123456789abcdef"


class Number(Struct, frozen=True):
    """A number of a message that may be another one in the next.

    ``is_word`` tells a bare hexadecimal word from an address; ``before`` and ``behind`` are the
    comparable texts around it.
    """

    start: int
    end: int
    pattern: bytes
    is_hex: bool
    is_word: bool
    before: bytes
    behind: bytes


def open_numbers(
    text: bytes, start: int, reach: Reach, alone: Collection[bytes]
) -> list[Number] | None:
    """Return the numbers from ``start`` on that neither literals nor codes can reach into.

    None, if a word that is nothing but digits stands in one of them.
    """
    found = [n for n in _NUMBER.finditer(text, start) if _may_be_open(text, n)]
    numbers = []
    for number in found:
        low, high = _digits_of(number)
        is_hex = number["digits"] is None
        before = _around(text, found, 0, low)
        behind = _around(text, found, high, len(text))
        if reach.touches(before, behind, is_hex=is_hex):
            continue
        if any(word in number[0] for word in alone):
            return None
        is_word = number["word"] is not None
        pattern = _pattern(text, number)
        numbers.append(Number(low, high, pattern, is_hex, is_word, before, behind))
    return numbers


def _around(text: bytes, numbers: list[re.Match[bytes]], start: int, end: int) -> bytes:
    """Return a part of ``text`` for comparing, with a sign in place of hexadecimal numbers."""
    parts, place = [], start
    for number in numbers:
        low, high = _digits_of(number)
        if number["digits"] is None and start <= low and high <= end:
            parts += [text[place:low], _ANY_HEX]
            place = high
    return _comparable(b"".join((*parts, text[place:end])))


def _pattern(text: bytes, number: re.Match[bytes]) -> bytes:
    if number["address"] is not None:
        return _HEX
    if number["word"] is not None:
        return _WORD_HOLE
    if not Codes.may_begin_at(text, number.start()):
        return _DECIMAL
    # What is no code by its length stays none.
    short, long = (1, _CODE_DIGITS - 1), (_CODE_DIGITS + 1, _MAX_DECIMAL)
    return b"\\d{%d,%d}" % (short if len(number[0]) < _CODE_DIGITS else long)


def _digits_of(number: re.Match[bytes]) -> tuple[int, int]:
    start, end = number.span()
    return (start + 2 if number["address"] is not None else start), end


def _may_be_open(text: bytes, number: re.Match[bytes]) -> bool:
    start, end = number.span()
    may_be_code = Codes.may_begin_at(text, start)
    if number["digits"] is None:
        return not may_be_code and not any(65 <= sign <= 70 for sign in number[0])
    if may_be_code and end - start == _CODE_DIGITS:
        return False
    # Error codes are letters in capitals with digits behind them.
    if text[start - 1 : start].isupper():
        return False
    before = _WORD[0].search(text, max(0, start - _REACH), start)
    behind = _WORD[1].match(text, end, end + _REACH)
    around = (before[0] if before else b"") + (behind[0] if behind else b"")
    # A word such as "ad3" would be hexadecimal as a whole if its digits were others.
    return not around or _HEX_DIGITS.fullmatch(around.lower()) is None


def fitting(text: bytes, start: int, numbers: Iterable[Number]) -> bytes:
    """Return the expression that ``text[start:]`` fits, whatever its ``numbers`` are.

    They are its groups.
    """
    parts, place = [], start
    for number in numbers:
        parts += [re.escape(text[place : number.start]), b"(%b)" % number.pattern]
        place = number.end
    return b"".join((*parts, re.escape(text[place:])))
