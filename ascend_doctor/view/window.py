"""Bytes cut into windows that memory can hold and no record falls between.

A source is read in parts whose borders depend on nothing but its content: the first
``FIRST`` bytes, then ``PART`` bytes each. Parts may be read by different processes. Within a
part, a window owns its ``body``; what stands around it is context.

Borders stand behind a newline. A line that is longer than a piece, half a margin, is cut at those
multiples of a piece that have no newline as closely before them: so the pieces of a line of any
length are the same in every window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct, field

# What a window owns, and the context of it: so much behind, twice as much before. A record
# reaches less far in each direction, so every window sees the same records.
BODY = 2 << 20
MARGIN = 128 << 10

# The beginning of a source, which is looked at more closely, and the parts of the rest.
FIRST = 1 << 20
PART = 32 << 20
_STEP = 4 << 10
_LEAPS = 4

# Lines around one that are shown with it, and how far they may reach: any window has so much.
_AROUND = 3
_REACH = 8 << 10


class Sizes(Struct, frozen=True):
    """Into what a source is cut; the numbers of bytes that are used except in tests."""

    first: int = FIRST
    part: int = PART
    body: int = BODY
    margin: int = MARGIN

    @property
    def piece(self) -> int:
        """Return the length beyond which a line is cut."""
        return self.margin // 2

    def border(self, part: int) -> int:
        """Return where ``part`` begins, to the nearest newline before."""
        return 0 if part == 0 else self.first + (part - 1) * self.part

    def part_at(self, offset: int) -> int:
        """Return the part that holds ``offset``, to the nearest newline."""
        return 0 if offset < self.first else 1 + (offset - self.first) // self.part


SIZES = Sizes()


class _LineCount:
    """Numbers the lines of a window, whose newlines are counted once, in steps.

    Counted from the top each time, a window full of errors would be quadratic. In one without any,
    only its end is asked for, and steps would be in the way: the first few times, there are none.
    """

    def __init__(self, data: bytes, low: int, line: int) -> None:
        self._data = data
        self._low = low
        self._marks = [line]
        self._last = (low, line)
        self._leaps = _LEAPS

    def at(self, offset: int) -> int:
        """Return the number of the line that holds ``offset``."""
        place, line = self._last
        if not place <= offset < place + _STEP:
            if offset > place and self._leaps:
                self._leaps -= 1
            else:
                place, line = self._mark(offset)
        line += self._data.count(b"\n", place, offset)
        self._last = (offset, line)
        return line

    def _mark(self, offset: int) -> tuple[int, int]:
        """Return the number of a line closely before ``offset``."""
        if offset < self._low:
            return 0, self._marks[0] - self._data.count(b"\n", 0, self._low)
        marks = self._marks
        number = (offset - self._low) // _STEP
        while len(marks) <= number:
            end = self._low + len(marks) * _STEP
            marks.append(marks[-1] + self._data.count(b"\n", end - _STEP, end))
        return self._low + number * _STEP, marks[number]


class Window:
    """Part of a source: its own ``body`` within ``data``, context around it.

    Attributes:
        offset: where ``data`` begins in the source.
        part: the part of the source that the body belongs to.
        piece: the length beyond which a line is cut.
    """

    __slots__ = ("_lines", "body", "data", "offset", "part", "piece")

    def __init__(
        self,
        data: bytes,
        body: tuple[int, int] | None = None,
        line: int = 1,
        offset: int = 0,
        part: int = 0,
        piece: int = MARGIN // 2,
    ) -> None:
        """Take ``line`` as the number of the line, within the part, that the body begins with."""
        self.data = data
        self.body = (0, len(data)) if body is None else body
        self.offset = offset
        self.part = part
        self.piece = piece
        self._lines = _LineCount(data, self.body[0], line)

    @property
    def is_whole(self) -> bool:
        """True if the window holds all of its source."""
        return self.offset == 0 and self.body == (0, len(self.data))

    def line_at(self, offset: int) -> int:
        """Return the number, within the part, of the line that holds ``offset``."""
        return self._lines.at(offset)

    def around(self, start: int) -> tuple[list[bytes], list[bytes]]:
        """Return the lines before and behind the one at ``start``, not those too long to show."""
        data, newline = self.data, ord("\n")
        before: list[bytes] = []
        low = start
        while len(before) < _AROUND and low > 0 and data[low - 1] == newline:
            high = low - 1
            low = data.rfind(b"\n", max(0, start - _REACH), high) + 1
            if low == 0 and (self.offset > 0 or start > _REACH):
                break
            before.append(data[low:high])
        after: list[bytes] = []
        high = data.find(b"\n", start, start + _REACH)
        while len(after) < _AROUND and 0 <= high < len(data) - 1:
            low = high + 1
            high = data.find(b"\n", low, start + 2 * _REACH)
            if high < 0 and (len(data) > start + 2 * _REACH):
                break
            after.append(data[low : high if high >= 0 else None])
        return before[::-1], after


ReadAt = Callable[[int, int], bytes]


def windows(blocks: Iterator[bytes], sizes: Sizes = SIZES) -> Iterator[Window]:
    """Cut a stream into windows; bodies are adjacent and cover every byte once."""
    store = _Stream(blocks)
    part = low = 0
    while store.filled_to(low + 1) > low:
        store.drop_before(max(0, low - 2 * sizes.margin))

        def read_at(start: int, count: int) -> bytes:
            store.filled_to(start + count)
            return store.part(start, start + count)

        for window in _windows(read_at, low, None, part, sizes):
            yield window
            low = window.offset + window.body[1]
            store.drop_before(max(0, low - 2 * sizes.margin))
        part += 1


def windows_of_part(
    read_at: ReadAt, size: int, part: int, sizes: Sizes = SIZES
) -> Iterator[Window]:
    """Cut one part of a file of ``size`` bytes into the windows that ``windows`` would yield.

    ``read_at`` returns so many bytes from an offset; fewer, if the file has become shorter.
    """
    border, low = sizes.border(part), 0
    if border > 0:
        start = max(0, border - 2 * sizes.piece)
        data = read_at(start, border + 1 - start)
        if start + len(data) <= border:  # all that is left belongs to the part before
            return iter(())
        low = _cut(data, start, border, sizes.piece)
    return _windows(read_at, low, size, part, sizes)


def _windows(
    read_at: ReadAt, low: int, size: int | None, part: int, sizes: Sizes
) -> Iterator[Window]:
    """Yield the windows of one part, from ``low`` on; without a size, up to where reading ends."""
    border = sizes.border(part + 1)
    stop = border + sizes.margin if size is None else size
    line = 1
    aim = low
    while low < stop:
        aim = min(aim + sizes.body, border, stop)
        start = max(0, low - 2 * sizes.margin)
        data = read_at(start, min(aim + sizes.margin, stop) - start)
        end = start + len(data)
        if end <= aim:
            stop = aim = end
        high = aim if aim == stop else _cut(data, start, aim, sizes.piece)
        if high > low:
            # A small source is one window, and its lines stay whole however long they are.
            is_whole = low == 0 and high == stop
            piece = max(sizes.piece, len(data)) if is_whole else sizes.piece
            window = Window(data, (low - start, high - start), line, start, part, piece)
            yield window
            line = window.line_at(high - start)
            low = aim = high
        if aim == border:
            return


def _cut(data: bytes | bytearray, offset: int, aim: int, piece: int) -> int:
    """Return the last place up to ``aim`` where a body may end.

    It depends on nothing but the text before ``aim``, and never goes back when ``aim`` goes on.
    """
    newline = data.rfind(b"\n", max(0, aim - 2 * piece - offset), aim - offset)
    # What stands at the cut is no newline: it would belong to the line before.
    return offset + newline + 1 if newline >= 0 else (aim - 1) // piece * piece


class _Stream(Struct):
    """What of a stream is still needed, in the blocks that it came in."""

    blocks: Iterator[bytes]
    kept: deque[bytes] = field(default_factory=deque)
    start: int = 0
    end: int = 0

    def filled_to(self, aim: int) -> int:
        """Read on to ``aim`` or to the end of the stream; return how far."""
        while self.end < aim:
            block = next(self.blocks, None)
            if block is None:
                break
            self.kept.append(block)
            self.end += len(block)
        return self.end

    def drop_before(self, place: int) -> None:
        """Forget the blocks that end before ``place``."""
        while self.kept and self.start + len(self.kept[0]) <= place:
            self.start += len(self.kept.popleft())

    def part(self, low: int, high: int) -> bytes:
        """Return what is there of a part of the stream."""
        pieces = []
        start = self.start
        for block in self.kept:
            if start >= high:
                break
            pieces.append(memoryview(block)[max(0, low - start) : high - start])
            start += len(block)
        return b"".join(pieces)
