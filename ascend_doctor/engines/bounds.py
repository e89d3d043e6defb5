"""How work is shared out among processes, and whether it is worth it."""

from __future__ import annotations

from msgspec import Struct

from ascend_doctor.ingest.source import Source


class Bounds(Struct, frozen=True):
    """How work is shared out; the numbers of bytes that are used except in tests.

    Attributes:
        alone: less than this is read by one process, since others cost time to start.
        batch: files are read together up to so much.
        file: what a file costs beside its content.
        large: a file of more is likely to be cut into parts.
        ahead: so many parts of a file may be read before the one that is joined next, for each
            process: they are kept until then.
    """

    alone: int = 64 << 20
    batch: int = 16 << 20
    file: int = 32 << 10
    large: int = 33 << 20
    ahead: int = 2

    def weight(self, source: Source) -> int:
        """Return about how many bytes of text a file costs as much as."""
        return self.file + (source.size or 0)


BOUNDS = Bounds()
