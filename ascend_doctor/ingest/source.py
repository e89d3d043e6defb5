"""A source: something with lines in it, read in blocks, however it is packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ascend_doctor.view.encoding import to_utf8, wide_encoding

BLOCK = 1 << 20
HEAD = 64 << 10

# Why a file without a byte was skipped: there was nothing in it to miss.
EMPTY = "empty"

# Where a log was cut while it was being written (copytruncate, a crash), it begins with a hole.
_HOLE = bytes(16)
_GZIP = b"\x1f\x8b"
# The unpacker copies what is left behind each member: small pieces keep many members cheap.
_PIECE = 16 << 10
_PACKED = {
    _GZIP: "gzip file within another",
    b"PK\x03\x04": "zip archive",
    b"\xfd7zXZ\x00": "xz file",
    b"BZh": "bzip2 file",
    b"(\xb5/\xfd": "zstandard file",
}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the input that was not read."""

    path: str
    reason: str


@dataclass(frozen=True)
class Source:
    """Something to read.

    Attributes:
        path: what reports call it, relative to the argument it was found under.
        open: opens the raw bytes; raises OSError if they are not readable any more.
    """

    path: str
    open: Callable[[], BinaryIO]


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the text of ``stream`` in bounded blocks: unpacked, and ASCII as single bytes.

    Raises:
        OSError, EOFError: the stream is broken; what came before is good.
    """
    head = stream.read(HEAD)
    rest = _with_head(head, stream)
    if head.startswith(_GZIP):
        rest = _gunzipped(rest)
        head = next(rest, b"")
        rest = _chain(head, rest)
    if head.startswith(_HOLE):
        rest = _behind_hole(rest)
        head = next(rest, b"")
        rest = _chain(head, rest)
    encoding = wide_encoding(head)
    return rest if encoding is None else to_utf8(rest, encoding)


def is_as_it_is(head: bytes) -> bool:
    """Say whether the file that begins with ``head`` holds its text byte for byte."""
    return not head.startswith((_GZIP, _HOLE)) and wide_encoding(head) is None


def unreadable(head: bytes) -> str | None:
    """Say why the text that begins with ``head`` is no log, or None if it may be one."""
    if not head:
        return EMPTY
    for magic, name in _PACKED.items():
        if head.startswith(magic):
            return f"{name}, not read; unpack it first"
    if head[257:262] == b"ustar":
        return "tar archive, not read; unpack it first"
    if b"\x00" in head[:8192] and head[:8192].count(0) > 8:
        return "binary"
    return None


def _with_head(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    if head:
        yield head
    while block := stream.read(BLOCK):
        yield block


def _chain(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


def _behind_hole(rest: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what stands behind leading NULs; a few of them if nothing does."""
    for block in rest:
        if text := block.lstrip(b"\x00"):
            yield text
            yield from rest
            return
    yield _HOLE


def _pieces(packed: Iterator[bytes]) -> Iterator[bytes]:
    for block in packed:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]


def _gunzipped(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip members one after the other, in bounded steps."""
    from isal import isal_zlib

    inflater = isal_zlib.decompressobj(wbits=31)
    begun = False
    for data in _pieces(packed):
        while data:
            begun = True
            try:
                out = inflater.decompress(data, BLOCK)
            except isal_zlib.error as err:  # type: ignore[misc]  # the stub forgets "type"
                raise OSError(f"the gzip stream is damaged: {err}") from err
            if out:
                yield out
            data = inflater.unconsumed_tail
            if inflater.eof:
                data = inflater.unused_data.lstrip(b"\x00")
                inflater = isal_zlib.decompressobj(wbits=31)
                begun = False
            elif not out and not data:
                break
    if begun:
        tail = inflater.flush()
        if tail:
            yield tail
        if not inflater.eof:
            raise EOFError("the gzip stream ends early")
