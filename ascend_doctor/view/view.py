"""A window of a file as its lines were printed, with a map back to the original lines.

There are two ways to look at a window. ``Printed`` shows all of it at once, so that words are found
which a colour, an escape or the margin of a terminal cuts. ``Raw`` shows a line when it is asked
for. The beginning of a file is looked at in the first way wherever it makes a difference, all
else in the second; lines and records are the same in both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator
from typing import Protocol

from ascend_doctor.view import wrap
from ascend_doctor.view.pieces import Pieces
from ascend_doctor.view.prefix import NONE, Prefix
from ascend_doctor.view.printed import may_differ, printed
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.window import Window


class View(Protocol):
    """Lines as they were printed; a line is known by the offset at which it begins."""

    @property
    def body(self) -> tuple[int, int]:
        """Where the lines begin that belong to this window; the rest is context."""
        ...

    def line(self, start: int) -> tuple[Prefix, bytes]:
        """Return what was peeled off the line at ``start``, and its text without newline."""
        ...

    def above(self, start: int) -> int | None:
        """Return where the line above begins, None at the top."""
        ...

    def below(self, start: int) -> int | None:
        """Return where the line below begins, None at the end."""
        ...

    def number(self, start: int) -> tuple[int, int]:
        """Return the original number of the line at ``start``, and which part of that it is."""
        ...


class Printed:
    """A window as a text in which words can be looked for; offsets are into ``text``.

    Attributes:
        text: the window's lines, newline-terminated, prefixes and colours gone.
        body: the part of ``text`` whose hits belong to this window; the rest is context.
    """

    def __init__(self, window: Window, width: int | None) -> None:
        out: list[bytes] = []
        self._starts: list[int] = []
        self._numbers: list[tuple[int, int]] = []
        self._window = window
        self._raw_starts: list[int] = []
        self._prefixes: dict[int, Prefix] = {}
        self._overlaps: dict[int, int] = {}
        size = low = 0
        high: int | None = None
        for start, number, raw, own in _raw_lines(window, width):
            if start <= window.body[0]:
                low = size
            if high is None and start >= window.body[1]:
                high = size
            line, part = number
            for prefix, text in printed(raw, lambda: out[-1] if out else b""):
                if prefix is not NONE:
                    self._prefixes[len(out)] = prefix
                if own < len(raw):
                    # What the next piece shows again is taken off at the end of this one.
                    self._overlaps[len(out)] = max(0, len(text) - (len(raw) - own))
                self._starts.append(size)
                self._raw_starts.append(start)
                self._numbers.append((line, part))
                out.append(text)
                size += len(text) + 1
                part += 1
        self.text = b"\n".join(out) + b"\n" if out else b""
        self.body = (low, len(self.text) if high is None else high)

    def owns(self, offset: int) -> bool:
        """Say whether what begins at ``offset`` is not shown again by the next piece of a line."""
        index = bisect_right(self._starts, offset) - 1
        own = self._overlaps.get(index) if self._overlaps else None
        return own is None or offset - self._starts[index] < own

    def line_start(self, offset: int) -> int:
        """Return where the line that holds ``offset`` begins."""
        return self.text.rfind(b"\n", 0, offset) + 1

    def starts_of(self, levels: Container[str]) -> Iterator[int]:
        """Yield where the lines begin whose prefix names one of ``levels``."""
        for index, prefix in self._prefixes.items():
            if prefix.level in levels:
                yield self._starts[index]

    def line(self, start: int) -> tuple[Prefix, bytes]:
        """See ``View``."""
        prefix = NONE
        if self._prefixes:
            prefix = self._prefixes.get(bisect_right(self._starts, start) - 1, NONE)
        return prefix, self.text[start : self.text.find(b"\n", start)]

    def above(self, start: int) -> int | None:
        """See ``View``."""
        return self.line_start(start - 1) if start > 0 else None

    def below(self, start: int) -> int | None:
        """See ``View``."""
        below = self.text.find(b"\n", start) + 1
        return below if below < len(self.text) else None

    def number(self, start: int) -> tuple[int, int]:
        """See ``View``."""
        return self._numbers[bisect_right(self._starts, start) - 1]

    def around(self, start: int) -> tuple[list[bytes], list[bytes]]:
        """See ``Window``."""
        return self._window.around(self._raw_starts[bisect_right(self._starts, start) - 1])


def of(window: Window, *, is_marked: bool = True) -> Printed | Raw:
    """Return ``window`` as it was printed, all at once where words may be cut.

    ``is_marked`` is false if none of ``MARKS`` stands in it.
    """
    if window.part == 0:
        width = wrap.margin(window.data) if window.is_whole else None
        if width is not None or (is_marked and may_differ(window.data)):
            return Printed(window, width)
    return Raw(window)


def _raw_lines(
    window: Window, width: int | None
) -> Iterator[tuple[int, tuple[int, int], bytes, int]]:
    """Yield where each line begins, its number, its bytes, and how many are its own."""
    data = window.data
    if width is not None:
        start = 0
        whole = ((line, True) for line in data.removesuffix(b"\n").split(b"\n"))
        number = window.line_at(0)
        for line, _, newlines in wrap.rejoined(whole, width):
            yield start, (number, 0), line, len(line)
            start += len(line) + newlines
            number += newlines
        return
    pieces = Pieces(window)
    for piece in pieces.all_in(0, len(data)):
        own = piece.end - piece.start
        yield piece.start, pieces.number(piece.start), data[piece.start : piece.shown], own
