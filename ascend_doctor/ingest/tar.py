"""Tar archives, member after member, as the bytes come in.

The standard library's reader takes the long name of a member into memory whatever length its
header claims, keeps every member, and on some supported Python versions does not end on a
negative size.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from ascend_doctor.ingest.member import LINK, SPECIAL, ArchiveError, Member
from ascend_doctor.ingest.sniff import OCTAL, checks
from ascend_doctor.ingest.stream import BLOCK, Stream

HEADER = 512
# Names and attributes of one member.
_MAX_EXTENSION = 1 << 20
# Zeros end an archive and fill a tape record; behind more of them nothing is looked for.
_MAX_ZEROS = BLOCK
_ZEROS = bytes(HEADER)

_FILES = b"0\x007"
_REFUSED = {
    b"1": LINK,
    b"2": LINK,
    b"3": SPECIAL,
    b"4": SPECIAL,
    b"6": SPECIAL,
    b"S": "stored as a sparse file, not read; pack it without tar's -S",
    b"M": "goes on from another volume, not read",
}
# Folders, folders with the names that they held, and the label of a volume have no content.
_NOTHING = b"5DV"
# What is asked of the attributes of a member; the rest is not kept.
_ASKED = ("path", "size", "GNU.sparse.name", "GNU.sparse.major", "GNU.sparse.map")
_ATTRIBUTE = re.compile(rb"(\d{1,7}) ([^=\n]{1,200})=")
_ENDS = "the tar archive ends early"


def members(stream: Stream) -> Iterator[Member]:
    """Yield the members of an archive.

    Raises:
        ArchiveError: a header is damaged.
        EOFError: the archive ends early.
        OSError: it cannot be read.
    """
    said: dict[str, bytes] = {}
    while header := _header(stream):
        kind = header[156:157]
        size = _number(header[124:136])
        if kind in b"LxX":
            extension = _extension(stream, size)
            if kind == b"L":
                said["path"] = extension.split(b"\x00", 1)[0]
            else:
                said.update(_attributes(extension))
            continue
        if kind in b"Kg":
            _pass(stream, size)
            continue
        if "size" in said:
            size = _decimal(said["size"])
        yield from _member(stream, header, size, said)
        said = {}


def _member(stream: Stream, header: bytes, size: int, said: dict[str, bytes]) -> Iterator[Member]:
    kind = header[156:157]
    name = said.get("path") or _name(header)
    refused = _REFUSED.get(kind)
    if kind == b"S" and header[482]:
        while _exactly(stream, HEADER)[504]:
            pass
    if any(key.startswith("GNU.sparse.") for key in said):
        name, refused = said.get("GNU.sparse.name", name), _REFUSED[b"S"]
    if kind in b"12":
        # Some writers give the size of what a link points to; no content follows.
        size = 0
    content = _Content(stream, size)
    if kind in _NOTHING or (kind in _FILES and name.endswith(b"/")):
        pass
    elif refused is not None or kind in _FILES:
        yield Member(_shown(name), size, content.blocks, refused)
    else:
        refused = "of a kind that tar does not define"
        yield Member(_shown(name), size, content.blocks, refused)
    _pass(stream, content.left, size)


class _Content:
    """The content of one member; ``left`` is what was not read of it yet."""

    def __init__(self, stream: Stream, size: int) -> None:
        self._stream = stream
        self.left = size

    def blocks(self) -> Generator[bytes, None, None]:
        while self.left:
            block = self._stream.read(min(self.left, BLOCK))
            if not block:
                raise EOFError(_ENDS)
            self.left -= len(block)
            yield block


def _header(stream: Stream) -> bytes | None:
    """Return the next header, None at the end of the archive."""
    zeros = 0
    while True:
        header = stream.read(HEADER)
        if header != _ZEROS:
            break
        zeros += HEADER
        if zeros > _MAX_ZEROS:
            return None
    if not header:
        if not zeros:
            raise EOFError(_ENDS)
        return None
    if len(header) < HEADER:
        if zeros:
            return None
        raise EOFError(_ENDS)
    if not checks(header):
        raise ArchiveError("a header of the tar archive is damaged")
    return header


def _number(field: bytes) -> int:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    found = OCTAL.fullmatch(field)
    if found is None:
        raise ArchiveError("a header of the tar archive gives no valid size")
    return int(found[1] or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not re.fullmatch(rb"\d{1,20}", digits):
        raise ArchiveError("a header of the tar archive gives no valid size")
    return int(digits)


def _name(header: bytes) -> bytes:
    name = header[:100].split(b"\x00", 1)[0]
    # GNU's own format has times where POSIX has the first part of the name.
    prefix = header[345:500].split(b"\x00", 1)[0] if header[257:263] == b"ustar\x00" else b""
    return prefix + b"/" + name if prefix else name


def _extension(stream: Stream, size: int) -> bytes:
    if size > _MAX_EXTENSION:
        raise ArchiveError(f"a header of the tar archive claims a name of {size} bytes")
    extension = _exactly(stream, size)
    _pass(stream, 0, size)
    return extension


def _attributes(extension: bytes) -> dict[str, bytes]:
    """Return what is asked of a pax header, which has ``length key=value`` on each line."""
    attributes = {}
    start = 0
    while found := _ATTRIBUTE.match(extension, start):
        end = start + int(found[1])
        if end <= found.end() or end > len(extension):
            break
        key = found[2].decode("utf-8", "replace")
        if key in _ASKED:
            attributes[key] = extension[found.end() : end - 1]
        start = end
    return attributes


def _exactly(stream: Stream, size: int) -> bytes:
    data = stream.peek(size)
    if len(data) < size:
        raise EOFError(_ENDS)
    stream.skip(size)
    return data


def _pass(stream: Stream, left: int, size: int | None = None) -> None:
    """Pass over what is left of a content of ``size`` bytes, and what fills its last block."""
    size = left if size is None else size
    rest = left + -size % HEADER
    if rest and stream.skip(rest) < rest:
        raise EOFError(_ENDS)


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
