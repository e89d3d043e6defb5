"""A source: something with lines in it, read in blocks, however it is packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import Struct

from ascend_doctor import late
from ascend_doctor.ingest.limits import DEFAULT, Limits, Meter
from ascend_doctor.ingest.sniff import compression_of
from ascend_doctor.ingest.stream import BLOCK, GAP, BlockStream
from ascend_doctor.view.encoding import to_utf8, wide_encoding

HEAD = 64 << 10

# Why a file without a byte was skipped: there was nothing in it to miss.
EMPTY = "empty"
# Or why: results, baselines and listings repeat what is known, which is no news.
OWN = "written by ascend-doctor"
# How the listing in what ``env collect`` writes begins.
LISTING = "# ascend-doctor listing"
# Reasons why nothing is missed by what was skipped.
UNMISSED = frozenset({EMPTY, OWN})
_OWN = late.pattern(
    rb'\s*\{\s*(?:"baseline_version"'
    rb'|"schema_version"\s*:\s*"[\d.]{1,9}"\s*,\s*"tool"\s*:\s*\{\s*"name"\s*:\s*"ascend-doctor")'
)
# One that tells of a machine is read for that: a result of ``env``, or a part of a collection.
_MACHINE = late.pattern(_OWN.pattern + rb'[^{}]{0,400}\}\s*,\s*"machine"\s*:\s*\{')
# A line that is none of such a document: behind one that was printed, a log goes on.
_FOREIGN = late.pattern(rb"\n(?![ \t\r\n}]|\Z)")


class Skipped(Struct, frozen=True):
    """A part of the input that was not read."""

    path: str
    reason: str


class Source(Struct, frozen=True):
    """Something to read.

    Attributes:
        path: what reports call it, relative to the argument it was found under.
        open: opens the raw bytes; raises OSError if they are not readable any more.
        size: bytes when it was found; of a member of an archive, what the archive says; None if
            nothing says it.
        file: where it lies on disk, None if it is no file of its own.
        above: the folders that ``path`` stands in, as far as the argument and where it lies tell:
            the innermost ones, which may say whose it is.
    """

    path: str
    open: Callable[[], BinaryIO]
    size: int | None = None
    file: str | None = None
    above: str = ""


def reason_of(error: Exception) -> str:
    """Return why something could not be read, in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


def blocks(stream: BinaryIO, limits: Limits = DEFAULT) -> Iterator[bytes]:
    """Yield the text of ``stream`` in bounded blocks: unpacked, and ASCII as single bytes.

    Raises:
        OSError, EOFError: the stream is broken; what came before is good.
    """
    head = stream.read(HEAD)
    rest = _with_head(head, stream)
    compression = compression_of(head)
    if compression is not None:
        from ascend_doctor.ingest.compression import decompressed

        packed = BlockStream(rest)
        rest = Meter(limits, packed).unpacking(decompressed(compression, packed.blocks()))
        head = next(rest, b"")
        rest = _chain(head, rest)
    if head.startswith(GAP):
        rest = _behind_hole(rest)
        head = next(rest, b"")
        rest = _chain(head, rest)
    encoding = wide_encoding(head)
    return rest if encoding is None else to_utf8(rest, encoding)


def is_as_it_is(head: bytes) -> bool:
    """Say whether the file that begins with ``head`` holds its text byte for byte."""
    is_packed = compression_of(head) is not None
    return not is_packed and not head.startswith(GAP) and wide_encoding(head) is None


def is_machine(head: bytes) -> bool:
    """Say whether the text that begins with ``head`` tells of a machine, as ``env`` does."""
    return _MACHINE.match(head) is not None


def unreadable(head: bytes) -> str | None:
    """Say why the text that begins with ``head`` is no log, or None if it may be one."""
    if not head:
        return EMPTY
    if head.startswith(LISTING.encode()):
        return OWN
    own = _OWN.match(head)
    if own is not None and not _FOREIGN.search(head, own.end(), HEAD):
        return OWN
    if head[257:262] == b"ustar":
        return "tar archive with a damaged header"
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
    """Yield what stands behind leading NULs; a few of them if nothing does.

    Where a log was cut while it was being written (copytruncate, a crash), it begins so.
    """
    for block in rest:
        if text := block.lstrip(b"\x00"):
            yield text
            yield from rest
            return
    yield GAP
