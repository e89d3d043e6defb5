"""Lines of a log as they are shown: the match marked, what is too long folded or cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ascend_doctor.records import Evidence

# ``rest`` is shown on request, ``cut`` is the number of characters that the page does not hold.
Kind = Literal["plain", "match", "rest", "cut"]

# Characters of a line that a page holds, and that are shown at first.
MAX_LINE = 2_000
SHOWN = 420
# What is shown of a long line in front of its match and at its end.
_LEAD, _TAIL = 60, 60
# How far a word reaches at most.
_WORD = 40


class Part(NamedTuple):
    """A stretch of a line."""

    kind: Kind
    text: str


class Line(NamedTuple):
    """A line of a log with its number; the deciding one or one around it."""

    number: int
    parts: tuple[Part, ...]
    is_deciding: bool


class Alike(NamedTuple):
    """A line that stands in several places."""

    places: tuple[Evidence, ...]
    parts: tuple[Part, ...]


def lines(proof: Evidence) -> list[Line]:
    """Return a proof among the lines around it, as far as they are known."""
    first = proof.line - len(proof.before)
    around = [Line(first + i, parts(text), False) for i, text in enumerate(proof.before)]
    around.append(Line(proof.line, parts(proof.text, proof.match), True))
    around += [Line(proof.line + i, parts(t), False) for i, t in enumerate(proof.after, start=1)]
    return around


def parts(text: str, match: tuple[int, int] | None = None) -> tuple[Part, ...]:
    """Cut a line into what is shown, with the match marked.

    >>> parts("rank 3: out of memory", (8, 21))
    (Part(kind='plain', text='rank 3: '), Part(kind='match', text='out of memory'))
    """
    text = text.rstrip("\r\n")
    start, end = sorted(min(max(0, place), len(text)) for place in match or (0, 0))
    start, end = _whole_words(text, start, end)
    shown = [(0, len(text))]
    held = [(0, len(text))]
    if len(text) > SHOWN:
        shown = _around(len(text), start, end, SHOWN)
        held = _around(len(text), start, end, MAX_LINE)
    found: list[Part] = []
    edges = sorted({start, end, *(edge for span in (*shown, *held) for edge in span)})
    for left, right in zip([0, *edges], [*edges, len(text)], strict=True):
        if left == right:
            continue
        if not any(a <= left and right <= b for a, b in held):
            found.append(Part("cut", f"{right - left:,}"))
        elif not any(a <= left and right <= b for a, b in shown):
            found.append(Part("rest", text[left:right]))
        else:
            found.append(Part("match" if start <= left < end else "plain", text[left:right]))
    return tuple(found)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a match without blanks around it, and with all of the words that it begins in."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start == end:
        return 0, 0
    least, most = max(0, start - _WORD), min(len(text), end + _WORD)
    while start > least and (text[start - 1] + text[start]).isalnum():
        start -= 1
    while end < most and (text[end - 1] + text[end]).isalnum():
        end += 1
    return start, end


def _around(length: int, start: int, end: int, room: int) -> list[tuple[int, int]]:
    """Return what is kept in ``room`` characters: the match, or the line's begin, and its end."""
    left = max(0, start - _LEAD) if end > start else 0
    if end <= room - _TAIL:
        left = 0
    right = min(length, left + room - _TAIL)
    tail = max(right, length - _TAIL)
    return [(left, right), (tail, length)]


def alike(proofs: Iterable[Evidence]) -> Iterator[Alike]:
    """Yield each different line once, with the places where it stands."""
    places: dict[str, list[Evidence]] = {}
    for proof in proofs:
        places.setdefault(proof.text.strip(), []).append(proof)
    for text, found in places.items():
        yield Alike(tuple(found), parts(text))
