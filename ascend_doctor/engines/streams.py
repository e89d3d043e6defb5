"""Sources whose reading is looked on, and may be stopped in the middle of a read."""

from __future__ import annotations

import io
import select
from collections.abc import Callable
from functools import partial
from typing import BinaryIO, cast

from msgspec.structs import replace

from ascend_doctor.engines.watch import Watch
from ascend_doctor.ingest.source import Source
from ascend_doctor.ingest.stream import FileStream

_WAIT_MS = 200

# Is told how many bytes were read that had not been read before.
Note = Callable[[int], None]


def watched(source: Source, watch: Watch, note: Note) -> Source:
    """Return a source that is read under ``watch``."""
    if source.file is not None and source.size is not None:
        return replace(source, open=partial(watch.guard, _open, source.file, watch, note))
    return replace(source, open=partial(watch.guard, _open_pipe, source, watch, note))


def _open(file: str, watch: Watch, note: Note) -> BinaryIO:
    return cast(BinaryIO, _File(file, watch, note))


def _open_pipe(source: Source, watch: Watch, note: Note) -> BinaryIO:
    return cast(BinaryIO, _Pipe(source.open(), watch, note))


class _File(FileStream):
    def __init__(self, file: str, watch: Watch, note: Note) -> None:
        super().__init__(file)
        self._watch = watch
        self._note = note
        self._reached: int | None = None

    def read_at(self, offset: int, size: int) -> bytes:
        data = self._watch.guard(super().read_at, offset, size)
        end = offset + len(data)
        # What stands around a window is read with each.
        before = offset if self._reached is None else self._reached
        if end > before:
            self._reached = end
            self._note(end - before)
        return data


class _Pipe(io.BufferedIOBase):
    """Gives what has arrived: what is waited for in vain must not hold it back."""

    def __init__(self, pipe: BinaryIO, watch: Watch, note: Note) -> None:
        self._pipe = cast(io.BufferedIOBase, pipe)
        self._watch = watch
        self._note = note
        self._poll = select.poll()
        try:
            self._poll.register(pipe.fileno(), select.POLLIN)
            self._is_polled = True
        except OSError:  # held in memory
            self._is_polled = False

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        data = self._watch.guard(self._read, -1 if size is None else size)
        self._note(len(data))
        return data

    def _read(self, size: int) -> bytes:
        # Python looks at signals between two waits: one that came just before a read that blocks
        # would be seen only behind it.
        while self._is_polled and not self._poll.poll(_WAIT_MS):
            pass
        return self._pipe.read1(size)

    def close(self) -> None:
        self._pipe.close()
        super().close()
