"""Compressed bytes → what they were made of, in bounded steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, Protocol

from ascend_doctor.ingest.ahead import Ahead
from ascend_doctor.ingest.stream import BLOCK

# The unpackers copy what is left behind each stream: small pieces keep many streams cheap.
_PIECE = 64 << 10
# What xz and zstd may hold of the text in memory, as a power of two. Outermost it is what
# their strongest presets need, within an archive what they need unasked: levels add up.
WINDOW = 26
INNER_WINDOW = 23
# What xz needs beside it.
_OVERHEAD = 1 << 20
# What is packed beyond this is unpacked by a thread, ahead of who reads it.
_ALONE = BLOCK
# Zeros behind a stream fill a tape block; behind more of them nothing is looked for.
_PADDING = BLOCK


def decompressed(
    name: str, packed: Iterator[bytes], window: int = WINDOW
) -> Generator[bytes, None, None]:
    """Unpack streams that follow each other, in blocks of at most 1 MiB.

    Packed bytes are asked for only when all that came before them was given: so a limit or an
    interruption falls on the same place whether a thread unpacks or not.

    Args:
        name: one of those of `sniff.compression_of`, or ``deflate``.
        packed: the compressed bytes.
        window: the logarithm of how many bytes xz and zstd may keep to unpack.

    Raises:
        OSError: the bytes are damaged, or need more memory than a scan may take.
        EOFError: they end early; what came before is good.
    """
    streams = _Streams(name, window)
    before = 0
    with closing(Ahead()) as ahead:
        for block in packed:
            unpacked = streams.unpacked(block)
            yield from unpacked if before < _ALONE else ahead.of(unpacked)
            if streams.are_over:
                return
            before += len(block)
    if streams.are_begun:
        raise EOFError(f"the {name} stream ends early")


class _Streams:
    """Streams that follow each other, while they are unpacked.

    Attributes:
        are_over: no more of them is looked for.
    """

    def __init__(self, name: str, window: int) -> None:
        self.are_over = False
        self._name = name
        self._make, self._failures = _UNPACKERS[name](window)
        self._unpacker: _Unpacker | None = None
        self._padding = 0

    @property
    def are_begun(self) -> bool:
        """Say whether one has begun and not ended."""
        return self._unpacker is not None

    def unpacked(self, packed: bytes) -> Iterator[bytes]:
        """Yield what comes out of the next packed bytes."""
        for start in range(0, len(packed), _PIECE):
            yield from self._of_piece(packed[start : start + _PIECE])
            if self.are_over:
                return

    def _of_piece(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._unpacker is None:
                stripped = data.lstrip(b"\x00")
                self._padding += len(data) - len(stripped)
                data = stripped
                self.are_over = self._padding > _PADDING
                if not data or self.are_over:
                    return
                self._unpacker, self._padding = self._make(), 0
            unpacker = self._unpacker
            if out := self._step(unpacker, data):
                yield out
            if unpacker.eof:
                data = unpacker.unused_data
                self._unpacker = None
            elif unpacker.needs_input:
                return
            else:
                data = b""

    def _step(self, unpacker: _Unpacker, data: bytes) -> bytes:
        try:
            return unpacker.decompress(data, BLOCK)
        except self._failures as err:
            why = f"is damaged: {err}"
            if "memory" in str(err).lower():
                why = "needs too much memory; unpack it first"
            raise OSError(f"the {self._name} stream {why}") from err


class _Unpacker(Protocol):
    """As the standard library's decompressors are."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


_Made = tuple[Callable[[], _Unpacker], tuple[type[Exception], ...]]


class _Inflater:
    """isal's decompressor, which keeps its unread input itself unlike the others."""

    def __init__(self, wbits: int) -> None:
        from isal import isal_zlib

        self._inflater = isal_zlib.decompressobj(wbits=wbits)
        self._full = False

    @property
    def eof(self) -> bool:
        return bool(self._inflater.eof)

    @property
    def needs_input(self) -> bool:
        return not self._inflater.unconsumed_tail and not self._full

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inflater.unused_data)

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        out: bytes = self._inflater.decompress(data or self._inflater.unconsumed_tail, max_length)
        # What is unpacked may wait inside for room, with no input left.
        self._full = len(out) == max_length
        return out


def _inflate(wbits: int) -> _Made:
    from isal import isal_zlib

    failure: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # the stub forgets "type"
    return lambda: _Inflater(wbits), (failure,)


def _bzip2(_: int) -> _Made:
    import bz2

    return bz2.BZ2Decompressor, (OSError, ValueError)


def _xz(window: int) -> _Made:
    import lzma

    memory = (1 << window) + _OVERHEAD
    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memory), (lzma.LZMAError,)


def _zstd(window: int) -> _Made:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    options: dict[Any, int] = {zstd.DecompressionParameter.window_log_max: window}
    return lambda: zstd.ZstdDecompressor(options=options), (zstd.ZstdError,)


_UNPACKERS: dict[str, Callable[[int], _Made]] = {
    "deflate": lambda _: _inflate(-15),
    "gzip": lambda _: _inflate(31),
    "xz": _xz,
    "bzip2": _bzip2,
    "zstd": _zstd,
}
