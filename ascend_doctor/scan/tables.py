"""Files of a profile → facts, by way of the readers in ``profile``."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.facts import Shard
from ascend_doctor.ingest.source import Skipped, Source


def scan_table(source: Source, text: Iterator[bytes]) -> Shard | Skipped:
    """Read a file of a profile; one that no reader knows is skipped, and said to be."""
    from ascend_doctor.profile.readers import reader_of

    head = next(text, b"")
    reader = reader_of(head)
    if reader is None:
        return Skipped(source.path, "profiler data that this version does not read")
    counted = _Counted(head, text)
    measures = reader.read(source.path, iter(counted))
    return Shard(
        source.path,
        "profile",
        counted.size,
        counted.lines,
        measures=(measures,),
        broken=measures.broken,
    )


class _Counted:
    """Blocks of a text that are counted while they are read."""

    def __init__(self, head: bytes, rest: Iterator[bytes]) -> None:
        self._head = head
        self._rest = rest
        self._last = b""
        self.size = self._newlines = 0

    @property
    def lines(self) -> int:
        """How many lines were read; the last one need not end."""
        return self._newlines + (self._last not in (b"", b"\n"))

    def __iter__(self) -> Iterator[bytes]:
        block = self._head
        while block:
            self.size += len(block)
            self._newlines += block.count(b"\n")
            self._last = block[-1:]
            yield block
            block = next(self._rest, b"")
