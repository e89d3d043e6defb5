"""Zip archives, member after member, out of the directory at their end.

The standard library's reader makes an object for every member before the first can be read, and
unpacks at a third of the speed.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple, Protocol

from ascend_doctor.ingest.compression import INNER_WINDOW, decompressed
from ascend_doctor.ingest.member import LINK, SPECIAL, ArchiveError, Member
from ascend_doctor.ingest.stream import BLOCK
from ascend_doctor.view.encoding import shown

_METHODS = {8: "deflate", 12: "bzip2", 93: "zstd", 95: "xz"}
_END = struct.Struct("<4s4H2LH")
_END64_PLACE = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_UNSET = 0xFFFFFFFF
_UNIX = 3
_FOLDER = 0x10


class File(Protocol):
    """A file of which any part can be read."""

    size: int

    def read_at(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes from a place, fewer only at the end."""


class _Entry(NamedTuple):
    signature: bytes
    made_by: int
    needs: int
    flags: int
    method: int
    time: int
    date: int
    checksum: int
    packed: int
    unpacked: int
    name: int
    extra: int
    comment: int
    disk: int
    internal: int
    external: int
    place: int


def members(file: File) -> Iterator[Member]:
    """Yield the members of an archive in the order of its directory.

    Raises:
        ArchiveError: it has no directory, or a damaged one.
        OSError, EOFError: it cannot be read.
    """
    place, end, shift = _directory(file)
    while place < end:
        entry = _Entry(*_ENTRY.unpack(_exactly(file, place, _ENTRY.size)))
        if entry.signature != b"PK\x01\x02":
            raise ArchiveError("the directory of the zip archive is damaged")
        texts = _exactly(file, place + _ENTRY.size, entry.name + entry.extra)
        place += _ENTRY.size + entry.name + entry.extra + entry.comment
        name, extra = texts[: entry.name], texts[entry.name :]
        if name.endswith(b"/") or entry.external & _FOLDER:
            continue
        entry = _wide(entry, extra)
        yield _member(file, shown(name), entry, entry.place + shift)


def _member(file: File, name: str, entry: _Entry, place: int) -> Member:
    def blocks() -> Generator[bytes, None, None]:
        packed = _packed(file, entry.packed, place)
        if entry.method:
            packed = decompressed(_METHODS[entry.method], packed, INNER_WINDOW)
        return _checked(packed, entry)

    return Member(name, entry.unpacked, blocks, _refusal(entry))


def _refusal(entry: _Entry) -> str | None:
    kind = stat.S_IFMT(entry.external >> 16) if entry.made_by >> 8 == _UNIX else 0
    if kind == stat.S_IFLNK:
        return LINK
    if kind not in (0, stat.S_IFREG):
        return SPECIAL
    if entry.flags & 1:
        return "encrypted, not read; unpack it first"
    if entry.method and entry.method not in _METHODS:
        return f"packed by a method that is not known here ({entry.method}); unpack it first"
    return None


def _packed(file: File, left: int, place: int) -> Generator[bytes, None, None]:
    local = _LOCAL.unpack(_exactly(file, place, _LOCAL.size))
    if local[0] != b"PK\x03\x04":
        raise OSError("the directory of the zip archive points to where no member is")
    place += _LOCAL.size + local[-2] + local[-1]
    while left:
        block = file.read_at(place, min(left, BLOCK))
        if not block:
            raise EOFError("the zip archive ends early")
        place += len(block)
        left -= len(block)
        yield block


def _checked(blocks: Generator[bytes, None, None], entry: _Entry) -> Generator[bytes, None, None]:
    from isal.isal_zlib import crc32

    checksum = count = 0
    with closing(blocks):
        for block in blocks:
            checksum = crc32(block, checksum)
            count += len(block)
            yield block
            if count > entry.unpacked:
                raise OSError("more comes out of the zip archive than its directory says")
    if count != entry.unpacked or checksum != entry.checksum:
        raise OSError("what comes out of the zip archive does not match its checksum")


def _directory(file: File) -> tuple[int, int, int]:
    """Return where the directory begins and ends, and what to add to the places it names."""
    start = max(0, file.size - _END.size - 0xFFFF)
    tail = file.read_at(start, file.size - start)
    found = len(tail)
    while (found := tail.rfind(b"PK\x05\x06", 0, found)) >= 0:
        if len(tail) - found >= _END.size:
            break
    else:
        raise ArchiveError("the zip archive has no directory at its end; it is cut off or damaged")
    end = start + found
    *_, size, place, _ = _END.unpack_from(tail, found)
    if found >= _END64_PLACE.size:
        mark, _, wide, _ = _END64_PLACE.unpack_from(tail, found - _END64_PLACE.size)
        if mark == b"PK\x06\x07":
            end64 = _END64.unpack(_exactly(file, wide, _END64.size))
            if end64[0] != b"PK\x06\x06":
                raise ArchiveError("the directory of the zip archive is damaged")
            end, size, place = wide, end64[-2], end64[-1]
    if size + place > end:
        raise ArchiveError("the directory of the zip archive is damaged")
    # Something may have been put before the archive after it was made.
    return end - size, end, end - size - place


def _wide(entry: _Entry, extra: bytes) -> _Entry:
    """Return ``entry`` with the sizes and the place that did not fit into it."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            content = extra[at + 4 : at + 4 + length]
            numbers = [*struct.unpack_from(f"<{len(content) // 8}Q", content)]
            wide = {}
            for field in ("unpacked", "packed", "place"):
                if getattr(entry, field) == _UNSET and numbers:
                    wide[field] = numbers.pop(0)
            return entry._replace(**wide)
        at += 4 + length
    return entry


def _exactly(file: File, place: int, size: int) -> bytes:
    data = file.read_at(place, size)
    if len(data) < size:
        raise EOFError("the zip archive ends early")
    return data
