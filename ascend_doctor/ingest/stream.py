"""Streams that can be looked into before they are read."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO, Protocol

BLOCK = 1 << 20

# What reading raises when a stream is damaged, truncated or stopped.
BROKEN = (OSError, EOFError)

# What stands in place of a hole: it parts what stood before and behind it.
GAP = bytes(16)
_AT_LEAST = 64 << 10
# Files below this are read with their holes, and all at once.
_SMALL = BLOCK


class Stream(Protocol):
    """Bytes from a place that may not be gone back in."""

    @property
    def taken(self) -> int:
        """How many bytes were read, those read twice counted twice."""

    @property
    def size(self) -> int | None:
        """How many there are, if that is known."""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer only at the end, and stay before them."""

    def read(self, size: int) -> bytes:
        """Return the next bytes: at most ``size``, none at the end, few only before it."""

    def skip(self, size: int) -> int:
        """Pass over ``size`` bytes; return how many there were."""

    def blocks(self) -> Iterator[bytes]:
        """Yield what is left."""


class FileStream(io.BufferedIOBase):
    """A regular file as long as it was when it was opened: what is appended later is not read.

    Raises:
        OSError: it cannot be opened, or is no regular file any more.
    """

    def __init__(self, file: str | bytes) -> None:
        self._fd = -1
        # In place of the file there may be a pipe by now, which must not be waited for.
        self._fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        status = os.fstat(self._fd)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise OSError("not a regular file any more")
        # The kernel's own files say 0 whatever is in them.
        self.size = status.st_size or BLOCK
        self._shortest = status.st_size
        self.sparse = status.st_size >= _SMALL and status.st_blocks * 512 < status.st_size
        self.taken = 0
        self._place = 0
        self._all: bytes | None = None

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that one can go to any place in it."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._fd

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        base = (0, self._place, self.size)[whence]
        self._place = max(0, base + offset)
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, none at the end.

        Raises:
            EOFError: the file became shorter after it was opened.
        """
        data = self.read_at(self._place, self.size if size is None or size < 0 else size)
        self._place += len(data)
        return data

    def read_at(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes from a place, fewer only at the end."""
        size = min(size, self.size - offset)
        if size <= 0:
            return b""
        data = self._at_once(offset, size) or os.pread(self._fd, size, offset)
        self.taken += len(data)
        if not data and os.fstat(self._fd).st_size < self._shortest:
            raise EOFError("the file was cut while it was read")
        return data

    def _at_once(self, offset: int, size: int) -> bytes:
        """Return bytes out of all of a small file, which is looked into several times."""
        if self._shortest >= _SMALL or self._shortest == 0:
            return b""
        if self._all is None:
            self._all = os.pread(self._fd, self._shortest, 0)
        return self._all[offset : offset + size]

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer only at the end, and stay before them."""
        return self.read_at(self._place, size)

    def skip(self, size: int) -> int:
        """Pass over ``size`` bytes; return how many there were."""
        there = max(0, min(size, self.size - self._place))
        self._place += there
        return there

    def blocks(self) -> Iterator[bytes]:
        """Yield what is left in blocks of at most 1 MiB."""
        return iter(lambda: self.read(BLOCK), b"")

    def without_holes(self) -> Iterator[bytes]:
        """Yield the file in blocks, with a few NULs for each hole."""
        while self._place < self.size:
            try:
                data = os.lseek(self._fd, self._place, os.SEEK_DATA)
            except OSError as err:
                if err.errno != errno.ENXIO:
                    raise
                data = self.size
            if data > self._place:
                yield GAP
            hole = os.lseek(self._fd, data, os.SEEK_HOLE) if data < self.size else data
            self._place = data
            while block := self.read(min(BLOCK, hole - self._place)):
                yield block

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        super().close()


class BlockStream(io.BufferedIOBase):
    """Reads from blocks that are made while it is read; where they end in an error, it ends so."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.taken = 0
        self.size: int | None = None
        self._blocks = blocks
        self._data = b""
        self._start = 0
        self._error: Exception | None = None

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def peek(self, size: int = 1) -> bytes:
        """Return the next ``size`` bytes, fewer only at the end, and stay before them.

        Raises:
            OSError, EOFError: what the blocks ended with, if nothing came before.
        """
        if len(self._data) - self._start < size:
            self._fill(size)
        return self._data[self._start : self._start + size]

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes: at most ``size``, fewer than 64 KiB only at the end.

        Raises:
            OSError, EOFError: what the blocks ended with, once all before it was read.
        """
        if size is None or size < 0:
            return b"".join(self.blocks())
        # More would have to be put together from several blocks.
        if len(self._data) - self._start < min(size, _AT_LEAST):
            self._fill(min(size, _AT_LEAST))
        data = self._data[self._start : self._start + size]
        self._start += len(data)
        return data

    def skip(self, size: int) -> int:
        """Pass over ``size`` bytes; return how many there were."""
        left = size
        while left and (data := self.read(min(left, BLOCK))):
            left -= len(data)
        return size - left

    def blocks(self) -> Iterator[bytes]:
        """Yield what is left in blocks of at most 1 MiB."""
        return iter(lambda: self.read(BLOCK), b"")

    def _fill(self, size: int) -> None:
        pieces = [self._data[self._start :]]
        count = len(pieces[0])
        while count < size and self._error is None:
            try:
                block = next(self._blocks, None)
            except BROKEN as err:
                self._error = err
                break
            if block is None:
                break
            pieces.append(block)
            count += len(block)
            self.taken += len(block)
        self._data, self._start = b"".join(filter(None, pieces)), 0
        if size and self._error is not None and not self._data:
            raise self._error


def streamed(file: BinaryIO | FileStream) -> Stream:
    """Return an opened file as a stream that can be looked into."""
    if isinstance(file, (FileStream, BlockStream)):
        return file
    return BlockStream(iter(lambda: file.read(BLOCK), b""))
