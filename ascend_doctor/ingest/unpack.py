"""A packed file → the logs in it, level by level, within limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from functools import partial
from typing import IO, BinaryIO, cast

from msgspec.structs import replace

from ascend_doctor.ingest import tar, zip
from ascend_doctor.ingest.compression import INNER_WINDOW, WINDOW, decompressed
from ascend_doctor.ingest.limits import LimitError, Limits, Meter
from ascend_doctor.ingest.member import MAX_NAME, Member
from ascend_doctor.ingest.sniff import PEEK, ZIP, archive_of, compression_of
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BROKEN, BlockStream, FileStream, Stream

# A zip archive is read from its end. One that comes as a stream is kept, up to this size, in
# memory and beyond the first part of it in a nameless temporary file.
_MAX_KEPT = 64 << 20
_IN_MEMORY = 8 << 20

# Zip archives that hold no logs, by how the name of their first member ends.
_NO_LOGS = {
    b"/data.pkl": "PyTorch checkpoint",
    b".npy": "NumPy archive",
    b"[Content_Types].xml": "office document",
}


class Unpacking:
    """The unpacking of one file: its account, and what it is made of, level by level."""

    def __init__(self, stream: Stream, limits: Limits, above: str = "") -> None:
        self._stream = stream
        self._above = above
        self._limits = limits
        self._meter = Meter(limits, stream)

    def all(self, path: str) -> Iterator[Source | Skipped]:
        """Yield what is in the file; a limit ends the outermost archive."""
        yield from self._read(path, self._stream, 0)
        if self._meter.reached is not None and self._meter.members:
            yield Skipped(path, f"{self._meter.reached}; what follows was not read")

    def _read(
        self, path: str, stream: Stream, depth: int, size: int | None = None
    ) -> Iterator[Source | Skipped]:
        """Yield what is in a stream that ``depth`` archives stand around."""
        try:
            head = stream.peek(PEEK)
            compression = compression_of(head)
            if compression is not None:
                window = INNER_WINDOW if depth else WINDOW
                packed = decompressed(compression, stream.blocks(), window)
                stream, size = BlockStream(self._meter.unpacking(packed)), None
                head = stream.peek(PEEK)
        except BROKEN as err:
            yield Skipped(path, reason_of(err))
            return
        again = compression is not None and compression_of(head) is not None
        archive = archive_of(head)
        if not again and archive is None:
            yield Source(path, lambda: cast(BinaryIO, stream), size, above=self._above)
        elif depth >= self._limits.depth:
            yield Skipped(path, f"packed more than {depth} deep; --max-depth raises this limit")
        elif again:
            yield from self._read(path, stream, depth + 1)
        elif (kind := _no_logs(head)) is not None:
            yield Skipped(path, kind)
        elif archive == "tar":
            yield from self._members(path, tar.members(stream), depth)
        else:
            yield from self._zip(path, stream, depth)

    def _zip(self, path: str, stream: Stream, depth: int) -> Iterator[Source | Skipped]:
        if isinstance(stream, FileStream):
            yield from self._members(path, self._counted(zip.members(stream)), depth)
            return
        try:
            kept = _Kept(stream)
        except BROKEN as err:
            yield Skipped(path, reason_of(err))
            return
        with closing(kept):
            yield from self._members(path, self._counted(zip.members(kept)), depth)

    def _counted(self, found: Iterator[Member]) -> Iterator[Member]:
        """Count what comes out of zip members, even those that are not compressed."""
        for member in found:
            yield replace(member, blocks=partial(self._unpacking, member))

    def _unpacking(self, member: Member) -> Generator[bytes, None, None]:
        return self._meter.unpacking(member.blocks())

    def _members(
        self, path: str, found: Iterator[Member], depth: int
    ) -> Iterator[Source | Skipped]:
        names: Counter[int] = Counter()
        try:
            for member in found:
                self._meter.member(member.name[:MAX_NAME])
                name = _unlike(member.name[:MAX_NAME].removeprefix("./"), names)
                shown = f"{path}!{name}"
                if member.refused is not None:
                    yield Skipped(shown, member.refused)
                elif len(member.name) > MAX_NAME:
                    yield Skipped(shown, "its name is longer than any file's can be")
                else:
                    stream = BlockStream(member.blocks())
                    yield from self._read(shown, stream, depth + 1, member.size)
                if self._meter.reached is not None:
                    raise self._meter.reached
        except BROKEN as err:
            if not isinstance(err, LimitError):
                rest = "; what follows was not read" if names else ""
                yield Skipped(path, reason_of(err) + rest)


def _unlike(name: str, names: Counter[int]) -> str:
    """Return ``name``, with a number if a member before was called so.

    Args:
        name: what the archive calls it.
        names: how often each name was given, by its hash: a hostile one may be long.
    """
    unlike, key = name, hash(name)
    while names[hash(unlike)]:
        names[key] += 1
        unlike = f"{name} ({names[key]})"
    names[hash(unlike)] += 1
    return unlike


def _no_logs(head: bytes) -> str | None:
    """Name the kind of a zip archive that holds no logs."""
    if not head.startswith(ZIP):
        return None
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return next((kind for end, kind in _NO_LOGS.items() if first.endswith(end)), None)


class _Kept:
    """A stream that is kept so that any part of it can be read."""

    def __init__(self, stream: Stream) -> None:
        import tempfile

        self.size = 0
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        for block in stream.blocks():
            self.size += len(block)
            if self.size > _MAX_KEPT:
                self.close()
                raise OSError(
                    f"zip archive of more than {_MAX_KEPT >> 20} MiB that comes as a stream, "
                    "not read; unpack what is around it first"
                )
            self._file.write(block)

    def read_at(self, offset: int, size: int) -> bytes:
        if offset >= self.size:
            return b""
        self._file.seek(offset)
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()
