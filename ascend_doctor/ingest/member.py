"""What an archive holds, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Generator

from msgspec import Struct

# No file system has longer paths (PATH_MAX).
MAX_NAME = 4096

LINK = "link, not followed"
SPECIAL = "not a regular file"


class Member(Struct, frozen=True):
    """A member of an archive.

    Attributes:
        name: its path within the archive, as it stands there.
        size: bytes when unpacked, as the archive says.
        blocks: yields its content, until the next member is asked for.
        refused: why it is not read, or None.
    """

    name: str
    size: int
    blocks: Callable[[], Generator[bytes, None, None]]
    refused: str | None = None


class ArchiveError(OSError):
    """An archive is damaged in a way that ends its reading."""
