"""A bounded copy of what a job prints: its beginning and its end."""

from __future__ import annotations

import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

# A line of one stream that is longer is written in pieces, between those of the other.
MAX_LINE = 64 << 10
# Times are noted so often, and so many of them.
_EVERY_S = 1.0
_MARKS = 4096
_BLOCK = 1 << 20


class Bounds(Struct, frozen=True):
    """How much is kept of a long output.

    Attributes:
        head: bytes of its beginning.
        tail: bytes of its end, at least; at most twice as many.
    """

    head: int = 128 << 20
    tail: int = 64 << 20


USUAL = Bounds()


class Spool:
    """Takes what one or more streams print, line by line, and keeps a bounded part of it.

    Attributes:
        file: where it is kept, None if nothing is left of it afterwards.
        size: bytes that were taken.
        dropped: bytes between beginning and end that were not kept.
        broken: why nothing more could be written, None if all went well.
    """

    def __init__(
        self,
        file: Path | None = None,
        bounds: Bounds = USUAL,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep the copy in ``file``, which must be new, or in one without a name, if that can be.

        Raises:
            OSError: the file cannot be written.
        """
        self.file = file
        self.size = self.dropped = 0
        self.broken: OSError | None = None
        self._bounds = bounds
        self._clock = clock
        try:
            self._head = _Stretch(file)
        except OSError as err:
            if file is not None:
                raise
            # Where no temporary file can be made, the job goes on without a copy.
            self.broken = err
            self._head = _Stretch(Path(os.devnull), mode="r+b")
        # Of the end, the older half and the newer one.
        self._tails: list[_Stretch] = []
        self._partial: dict[int, bytearray] = {}
        self._marks: deque[tuple[int, float]] = deque(maxlen=_MARKS)

    @property
    def path(self) -> str:
        """Where the beginning can be read from, also by processes that are forked."""
        return f"/proc/{os.getpid()}/fd/{self._head.file.fileno()}"

    @property
    def is_whole(self) -> bool:
        """Say whether all that was kept stands in one file."""
        return not self._tails

    def take(self, stream: int, data: memoryview, *, is_only: bool) -> None:
        """Take what a stream printed; if it ``is_only`` one, lines need not be whole."""
        if is_only:
            self._write(data)
            return
        partial = self._partial.setdefault(stream, bytearray())
        partial += data
        whole = partial.rfind(b"\n") + 1
        if not whole and len(partial) > MAX_LINE:
            whole = len(partial)
        if whole:
            with memoryview(partial) as lines:
                self._write(lines[:whole])
            del partial[:whole]

    def finish(self) -> None:
        """Take what is left of lines that were not ended; if it is kept, put the file together."""
        for partial in self._partial.values():
            if partial:
                self._write(memoryview(bytes(partial) + b"\n"))
        self._partial.clear()
        if self.file is None or not self._tails:
            return
        try:
            for block in self._end():
                self._head.write(memoryview(block))
        except OSError as err:
            self.broken = self.broken or err
        self._forget_tails()

    def blocks(self) -> Iterator[bytes]:
        """Yield what is kept so far, and a line that says how much is left out."""
        yield from self._head.blocks()
        yield from self._end()

    def last(self, count: int) -> tuple[bytes, int]:
        """Return the last ``count`` bytes, at most, and where they begin in all that was taken."""
        left = min(count, self._bounds.tail)
        pieces: list[bytes] = []
        for stretch in (*reversed(self._tails), self._head):
            pieces.append(stretch.last(left))
            left -= len(pieces[-1])
        data = b"".join(reversed(pieces))
        return data, self.size - len(data)

    def time_at(self, offset: int) -> float | None:
        """Return when the byte at ``offset`` was taken, to a second; None if it is too long ago."""
        found = None
        for place, moment in self._marks:
            if place > offset:
                break
            found = moment
        return found

    def close(self) -> None:
        """Close the file; if it has no name, it is gone."""
        self._head.file.close()
        self._forget_tails()

    def _write(self, data: memoryview) -> None:
        now = self._clock()
        if not self._marks or now - self._marks[-1][1] >= _EVERY_S:
            self._marks.append((self.size, now))
        self.size += len(data)
        if self.broken is not None:
            return
        try:
            room = max(0, self._bounds.head - self._head.size)
            self._head.write(data[:room])
            self._write_end(data[room:])
        except OSError as err:
            # The job must not suffer from a full disk that only the copy is on.
            self.broken = err

    def _write_end(self, data: memoryview) -> None:
        while data:
            if not self._tails or self._tails[-1].size >= self._bounds.tail:
                self._tails.append(self._next_tail())
            room = self._bounds.tail - self._tails[-1].size
            self._tails[-1].write(data[:room])
            data = data[room:]

    def _next_tail(self) -> _Stretch:
        if len(self._tails) < 2:
            return _Stretch(None, None if self.file is None else self.file.parent)
        oldest = self._tails.pop(0)
        self.dropped += oldest.size
        oldest.clear()
        return oldest

    def _end(self) -> Iterator[bytes]:
        if self.dropped and self._tails:
            yield f"\n[ascend-doctor left out {self.dropped} bytes here]\n".encode()
        for tail in self._tails:
            yield from tail.blocks()

    def _forget_tails(self) -> None:
        for tail in self._tails:
            tail.file.close()
        self._tails.clear()


class _Stretch:
    """A file that is written once; without a name, it ends with whatever ends this process."""

    def __init__(self, path: Path | None, folder: Path | None = None, mode: str = "x+b") -> None:
        self.file: BinaryIO
        if path is None:
            self.file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115
        else:
            self.file = cast(BinaryIO, path.open(mode, buffering=0))
        self.size = 0

    def write(self, data: memoryview) -> None:
        while data:
            count = self.file.write(data)
            self.size += count
            data = data[count:]

    def clear(self) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.size = 0

    def last(self, count: int) -> bytes:
        return os.pread(self.file.fileno(), count, max(0, self.size - count))

    def blocks(self) -> Iterator[bytes]:
        for start in range(0, self.size, _BLOCK):
            yield os.pread(self.file.fileno(), min(_BLOCK, self.size - start), start)
