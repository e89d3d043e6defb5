"""Compressed bytes → what they were made of, in bounded steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from ascend_doctor.ingest.stream import BLOCK

# The unpackers copy what is left behind each stream: small pieces keep many streams cheap.
_PIECE = 64 << 10
# What xz and zstd may hold of the text in memory, as a power of two. Outermost it is what
# their strongest presets need, within an archive what they need unasked: levels add up.
WINDOW = 26
INNER_WINDOW = 23
# What xz needs beside it.
_OVERHEAD = 1 << 20
# Zeros behind a stream fill a tape block; behind more of them nothing is looked for.
_PADDING = BLOCK


def decompressed(name: str, packed: Iterator[bytes], window: int = WINDOW) -> Iterator[bytes]:
    """Unpack streams that follow each other, in blocks of at most 1 MiB.

    Args:
        name: one of those of `sniff.compression_of`, or ``deflate``.
        packed: the compressed bytes.
        window: the logarithm of how many bytes xz and zstd may keep to unpack.

    Raises:
        OSError: the bytes are damaged, or need more memory than a scan may take.
        EOFError: they end early; what came before is good.
    """
    make, failures = _UNPACKERS[name](window)
    unpacker: _Unpacker | None = None
    padding = 0
    for data in _pieces(packed):
        while True:
            if unpacker is None:
                stripped = data.lstrip(b"\x00")
                padding += len(data) - len(stripped)
                data = stripped
                if padding > _PADDING:
                    return
                if not data:
                    break
                unpacker, padding = make(), 0
            try:
                out = unpacker.decompress(data, BLOCK)
            except failures as err:
                why = f"is damaged: {err}"
                if "memory" in str(err).lower():
                    why = "needs too much memory; unpack it first"
                raise OSError(f"the {name} stream {why}") from err
            if out:
                yield out
            if unpacker.eof:
                data = unpacker.unused_data
                unpacker = None
            elif unpacker.needs_input:
                break
            else:
                data = b""
    if unpacker is not None:
        raise EOFError(f"the {name} stream ends early")


def _pieces(packed: Iterator[bytes]) -> Iterator[bytes]:
    for block in packed:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]


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
