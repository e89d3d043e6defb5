"""A file → the logs in it: itself, or the members of an archive, never unpacked to disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, cast

from msgspec.structs import replace

from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.sniff import PEEK, archive_of, compression_of
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BROKEN, BlockStream, FileStream, Stream, streamed


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
            head = stream.peek(PEEK)
        except BROKEN as err:
            yield Skipped(source.path, reason_of(err))
            return
        if compression_of(head) is None and archive_of(head) is None:
            yield replace(source, open=lambda: _opened(stream, source))
        else:
            from ascend_doctor.ingest.unpack import Unpacking

            yield from Unpacking(stream, limits, source.above).all(source.path)


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
