"""A window whose lines are shown when they are asked for."""

from __future__ import annotations

from functools import partial

from ascend_doctor.view.pieces import Pieces
from ascend_doctor.view.prefix import NONE, Prefix
from ascend_doctor.view.printed import may_differ, printed
from ascend_doctor.view.window import Window

# A plog line begins like this; nothing is peeled off it.
_HEADS = (b"[INFO] ", b"[ERROR] ", b"[WARNING] ", b"[EVENT] ", b"[DEBUG] ", b"[TRACE] ")
# What a line shows may depend on the lines above it; so many of them are looked at.
_MAX_DEPTH = 8

Shown = tuple[tuple[Prefix, bytes], ...]


class Raw:
    """Lines of a window, known by the offset of their first byte.

    A line that shows several (a text that was quoted into it) has as many places: its offset, and
    the ones behind it.
    """

    def __init__(self, window: Window) -> None:
        self.data = window.data
        self.body = window.body
        self.around = window.around
        self._pieces = Pieces(window)
        self._shown: dict[int, Shown] = {}
        self._depth = 0

    def forget(self) -> None:
        """Free the memory that lines take which were shown."""
        self._shown.clear()

    def line_start(self, offset: int) -> int:
        """Return where the line begins that holds the byte at ``offset``."""
        return self._pieces.start_of(offset)

    def bounds(self, offset: int) -> tuple[int, int]:
        """Return where the line begins and ends that holds the byte at ``offset``."""
        start = self._pieces.start_of(offset)
        return start, self._pieces.piece(start).below

    def raw_line(self, start: int) -> bytes:
        """Return the bytes of the line at ``start``, as they stand in the file."""
        piece = self._pieces.piece(start)
        return self.data[start : piece.shown]

    def shown(self, start: int) -> Shown:
        """Return what the line at ``start`` shows; nothing, if it is only a carriage return."""
        known = self._shown.get(start)
        if known is None:
            raw = self.raw_line(start)
            if raw.startswith(_HEADS) and not may_differ(raw):
                known = ((NONE, raw.rstrip(b"\r")),)
            else:
                known = printed(raw, partial(self._last_above, start))
            self._shown[start] = known
        return known

    def text_from(self, start: int) -> int | None:
        """Return where the text of the line at ``start`` begins, behind its prefix.

        None, if its bytes are not shown as they are.
        """
        shown = self.shown(start)
        raw = self.raw_line(start).rstrip(b"\r")
        if len(shown) != 1 or not raw.endswith(shown[0][1]):
            return None
        return start + len(raw) - len(shown[0][1])

    def line(self, start: int) -> tuple[Prefix, bytes]:
        """See ``View``."""
        known = self._shown.get(start)
        if known is not None and len(known) == 1:
            return known[0]
        begin = self.line_start(start)
        return self.shown(begin)[start - begin]

    def above(self, start: int) -> int | None:
        """See ``View``."""
        begin = self._begin(start)
        if start > begin:
            return start - 1
        while begin > 0:
            begin = self.line_start(begin - 1)
            shown = self.shown(begin)
            if shown:
                return begin + len(shown) - 1
        return None

    def below(self, start: int) -> int | None:
        """See ``View``."""
        begin = self._begin(start)
        if start - begin + 1 < len(self.shown(begin)):
            return start + 1
        while True:
            begin = self._pieces.piece(begin).below
            if begin >= len(self.data):
                return None
            if self.shown(begin):
                return begin

    def number(self, start: int) -> tuple[int, int]:
        """See ``View``."""
        begin = self._begin(start)
        line, part = self._pieces.number(begin)
        return line, part + start - begin

    def _begin(self, start: int) -> int:
        return start if start in self._shown else self.line_start(start)

    def _last_above(self, start: int) -> bytes:
        if self._depth >= _MAX_DEPTH:
            return b""
        self._depth += 1
        above = self.above(start)
        text = b"" if above is None else self.line(above)[1]
        self._depth -= 1
        return text
