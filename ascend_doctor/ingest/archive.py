"""A file → the logs in it: itself, or the members of an archive, never unpacked to disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import IO, BinaryIO, cast

from ascend_doctor.ingest import tar, zip
from ascend_doctor.ingest.compression import decompressed, format_of
from ascend_doctor.ingest.limits import DEFAULT, LimitError, Limits, Meter
from ascend_doctor.ingest.member import MAX_NAME, Member
from ascend_doctor.ingest.source import BROKEN, Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BlockStream, FileStream, Stream, streamed

# Enough to tell a tar header and every magic number.
_PEEK = tar.HEADER
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


def members(source: Source, limits: Limits = DEFAULT) -> Iterator[Source | Skipped]:
    """Yield what is in ``source``: itself if it is no archive and not compressed.

    A stream is valid until the next item is asked for. Members are called ``archive!member``.

    Args:
        source: as `discover` found it.
        limits: they hold for this source by itself.
    """
    try:
        file = source.open()
    except OSError as err:
        yield Skipped(source.path, reason_of(err))
        return
    with file:
        stream = streamed(file)
        try:
            head = stream.peek(_PEEK)
        except BROKEN as err:
            yield Skipped(source.path, reason_of(err))
            return
        if format_of(head) is None and _archive_of(head) is None:
            yield replace(source, open=lambda: _opened(stream, source))
        else:
            yield from _Unpacking(stream, limits).all(source.path)


def _opened(stream: Stream, source: Source) -> BinaryIO:
    """Return the stream that was opened to look into it, or open it again."""
    if isinstance(stream, FileStream):
        if stream.closed:
            stream = streamed(source.open())
        else:
            stream.seek(0)
        if isinstance(stream, FileStream) and stream.sparse:
            stream = BlockStream(stream.without_holes())
    return cast(BinaryIO, stream)


def _archive_of(head: bytes) -> str | None:
    if head.startswith(zip.MAGICS):
        return "zip"
    return "tar" if tar.is_tar(head) else None


class _Unpacking:
    """The unpacking of one file: its account, and what it is made of, level by level."""

    def __init__(self, stream: Stream, limits: Limits) -> None:
        self._stream = stream
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
            head = stream.peek(_PEEK)
            compression = format_of(head)
            if compression is not None:
                packed = decompressed(compression, stream.blocks())
                stream, size = BlockStream(self._meter.unpacking(packed)), None
                head = stream.peek(_PEEK)
        except BROKEN as err:
            yield Skipped(path, reason_of(err))
            return
        again = compression is not None and format_of(head) is not None
        archive = _archive_of(head)
        if not again and archive is None:
            yield Source(path, lambda: cast(BinaryIO, stream), size)
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

    def _unpacking(self, member: Member) -> Iterator[bytes]:
        return self._meter.unpacking(member.blocks())

    def _members(
        self, path: str, found: Iterator[Member], depth: int
    ) -> Iterator[Source | Skipped]:
        names: Counter[str] = Counter()
        try:
            for member in found:
                self._meter.member()
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


def _unlike(name: str, names: Counter[str]) -> str:
    """Return ``name``, with a number if a member before was called so."""
    unlike = name
    while names[unlike]:
        names[name] += 1
        unlike = f"{name} ({names[name]})"
    names[unlike] += 1
    return unlike


def _no_logs(head: bytes) -> str | None:
    """Name the kind of a zip archive that holds no logs."""
    if not head.startswith(zip.MAGICS):
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
