"""The lines of a window; a line that is longer than the bound comes in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ascend_doctor.view.window import Window

# What a piece shows of the next one, so that no words are lost at the cut.
OVERLAP = 4 << 10
# The parts of one line are numbered on from piece to piece.
_PARTS = 1 << 16


class Piece(Struct, frozen=True):
    """A line, or a piece of a long one: its text is ``data[start:shown]``.

    What stands from ``end`` to ``shown`` belongs to the next piece. ``below`` is where the next
    line or piece begins.
    """

    start: int
    end: int
    shown: int
    below: int


class Pieces:
    """Finds lines in a window: offsets are into its ``data``."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._data = window.data
        self._offset = window.offset
        self._size = window.piece

    def start_of(self, at: int) -> int:
        """Return where the line or piece begins that holds the byte ``at``."""
        size = self._size
        reach = at - 2 * size if at > 2 * size else 0
        newline = self._data.rfind(b"\n", reach, at)
        start = reach if newline < 0 else newline + 1
        if at - start < size or at >= len(self._data):
            return start
        # A newline is never the first byte of a piece.
        last = at - 1 if self._data[at] == _NEWLINE else at
        cut = (self._offset + last) // size * size - self._offset
        return cut if cut - start >= size else start

    def piece(self, start: int) -> Piece:
        """Return the line or piece that begins at ``start``."""
        data = self._data
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline
        if end - start <= self._size:
            return Piece(start, end, end, end + 1)
        cut = self._cut_after(start)
        if end <= cut:
            return Piece(start, end, end, end + 1)
        return Piece(start, cut, min(end, cut + OVERLAP), cut)

    def all_in(self, start: int, end: int) -> Iterator[Piece]:
        """Yield the lines and pieces one after the other that begin in ``data[start:end]``."""
        while start < end:
            piece = self.piece(start)
            yield piece
            start = piece.below

    def number(self, start: int) -> tuple[int, int]:
        """Return the number of the line at ``start``, and the first number for its parts."""
        line = self._window.line_at(start)
        if start == 0 or self._data[start - 1] == _NEWLINE:
            return line, 0
        return line, (self._offset + start) // self._size * _PARTS

    def _cut_after(self, start: int) -> int:
        """Return the first place where a line that is long enough is cut behind ``start``."""
        size = self._size
        absolute = self._offset + start
        is_piece = start > 0 and self._data[start - 1] != _NEWLINE
        if not is_piece:
            absolute += size - 1
        return (absolute // size + 1) * size - self._offset


_NEWLINE = ord("\n")
