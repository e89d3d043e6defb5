"""Parts of files as sources: what was added to a log since a moment, on its own lines."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, cast

from msgspec.structs import replace

from ascend_doctor.facts import Facts, Shard
from ascend_doctor.ingest.source import Source
from ascend_doctor.ingest.stream import BLOCK, FileStream
from ascend_doctor.running.logs import Growth
from ascend_doctor.view.encoding import shown


class _Blocks(io.RawIOBase):
    """A stream of blocks that are made while it is read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def streamed(blocks: Callable[[], Iterator[bytes]]) -> BinaryIO:
    """Return blocks as a stream."""
    return cast(BinaryIO, io.BufferedReader(_Blocks(blocks()), BLOCK))


def source_of(growth: Growth) -> Source:
    """Return what was written to a file as a source: all of it, or what was added."""
    path = shown(os.fsencode(growth.path))
    if growth.start == 0:
        return Source(path, partial(_whole, growth.path), growth.size, growth.path)
    return Source(path, partial(streamed, partial(stretch, growth.path, growth.start, growth.size)))


def lines_before(growth: Growth) -> int:
    """Return how many lines of the file were there before."""
    return sum(block.count(b"\n") for block in stretch(growth.path, 0, growth.start))


def moved(facts: Facts, lines: dict[str, int]) -> Facts:
    """Return facts with the lines of some files counted from so many lines further up."""
    shards = {
        path: shard_moved(shard, lines[path]) if lines.get(path) else shard
        for path, shard in facts.shards.items()
    }
    return replace(facts, shards=shards)


def shard_moved(shard: Shard, lines: int) -> Shard:
    """Return the same shard with its lines counted from so many lines further up."""
    return replace(
        shard,
        findings=tuple(
            replace(found, sightings=tuple(seen.moved(lines) for seen in found.sightings))
            for found in shard.findings
        ),
        codes=tuple(replace(code, sighting=code.sighting.moved(lines)) for code in shard.codes),
        unknown=tuple(replace(item, first=item.first.moved(lines)) for item in shard.unknown),
        environment=tuple(
            replace(said, evidence=said.evidence.moved(lines)) for said in shard.environment
        ),
    )


def _whole(path: str) -> BinaryIO:
    return cast(BinaryIO, FileStream(path))


def stretch(path: str, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of a file from ``start`` to ``end`` in blocks; fewer if it was cut.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        while start < end and (block := file.read(min(BLOCK, end - start))):
            start += len(block)
            yield block
