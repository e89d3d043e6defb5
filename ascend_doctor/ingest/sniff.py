"""How something is packed, by its first bytes."""

from __future__ import annotations

import re

# Enough for every format: the size of a tar header.
PEEK = 512

ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_COMPRESSIONS = re.compile(
    rb"(?P<gzip>\x1f\x8b\x08)|(?P<xz>\xfd7zXZ\x00)|(?P<zstd>\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)"
    rb"|(?P<bzip2>BZh[1-9](?:1AY&SY|\x17rE8P\x90))"
)
OCTAL = re.compile(rb"[ \x00]*([0-7]*)[ \x00]*")


def compression_of(head: bytes) -> str | None:
    """Name the compression of what begins with ``head``: gzip, xz, bzip2, zstd or None."""
    found = _COMPRESSIONS.match(head)
    return found and found.lastgroup


def archive_of(head: bytes) -> str | None:
    """Name the kind of archive that begins with ``head``: zip, tar or None."""
    if head.startswith(ZIP):
        return "zip"
    return "tar" if len(head) >= PEEK and head[0] and checks(head[:PEEK]) else None


def checks(header: bytes) -> bool:
    """Say whether the checksum of a tar header is right; text never has one by chance."""
    field = OCTAL.fullmatch(header, 148, 156)
    if field is None or not field[1]:
        return False
    # The field itself counts as blanks.
    return int(field[1], 8) == sum(header) - sum(header[148:156]) + 8 * ord(" ")
