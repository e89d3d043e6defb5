"""Reads sources, whole or in parts, in whichever process it is told to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, cast

from msgspec import Struct

from ascend_doctor.engines.streams import watched
from ascend_doctor.engines.watch import INTERRUPTED, Watch
from ascend_doctor.facts import Shard
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BROKEN, FileStream
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.scope import EVERYTHING, Scope
from ascend_doctor.view.window import SIZES, Sizes


class Cut(Struct, frozen=True):
    """A file that is read in ``count`` parts.

    Attributes:
        source: the file.
        kind: the kind of log that it is.
        count: how many parts there are.
        size: of the file when it was looked at; what is appended later is not read.
        inode: device and number of it, since a name may come to mean another file.
    """

    source: Source
    kind: str
    count: int
    size: int
    inode: tuple[int, int]


def _not_noted(count: int) -> None:
    pass


class Reader:
    """Reads under one state of the knowledge.

    Attributes:
        knowledge: what is known.
        limits: how much is unpacked of one archive.
        sizes: into what a source is cut.
        scope: the part of the job that is looked at.
        watch: looks on, and may stop it.
        note: is told of bytes that were read; they are those on disk.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        limits: Limits = DEFAULT,
        sizes: Sizes = SIZES,
        scope: Scope = EVERYTHING,
        watch: Watch | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.limits = limits
        self.sizes = sizes
        self.scope = scope
        self.watch = watch or Watch()
        self.note: Callable[[int], None] = _not_noted

    @cached_property
    def scanner(self) -> Scanner:
        """The scanner, compiled when it is first needed."""
        return Scanner(self.knowledge, self.sizes, self.scope)

    def __getstate__(self) -> dict[str, Any]:
        # A process that is not forked compiles its own, and has its own watch.
        return {name: getattr(self, name) for name in ("knowledge", "limits", "sizes", "scope")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def read(self, source: Source) -> Iterator[Shard | Skipped]:
        """Yield what a source holds, or each member of it.

        When it is stopped, what was begun says so, and what was not is left out.
        """
        for item in members(watched(source, self.watch, self.note), self.limits):
            result = item if isinstance(item, Skipped) else self.scanner.scan(item)
            if not isinstance(result, Skipped) or result.reason != INTERRUPTED:
                yield result

    def cut(self, source: Source) -> tuple[Cut, Part] | None:
        """Return how a source is cut, and its first part; None if it is to be read whole."""
        seen = watched(source, self.watch, self.note)
        try:
            with seen.open() as stream:
                assert isinstance(stream, FileStream)
                count, kind = self.scanner.parts_of(stream) or (1, "")
                if count < 3:  # the first is small, and the second none to wait for
                    return None
                cut = Cut(source, kind, count, stream.size, _inode(stream))
                return cut, self.scanner.read_part(seen, stream, 0)
        except BROKEN:
            return None  # to be read whole is to be told why it cannot be

    def part(self, cut: Cut, number: int) -> Part:
        """Read one part of a file."""
        source = watched(cut.source, self.watch, self.note)
        try:
            with source.open() as file:
                stream = cast(FileStream, file)
                if _inode(stream) != cut.inode:
                    return _broken(source, "the file was replaced while it was read")
                is_shorter = stream.size < cut.size
                stream.size = min(stream.size, cut.size)
                part = self.scanner.read_part(source, stream, number)
        except OSError as err:
            return _broken(source, reason_of(err))
        if is_shorter:
            part.coverage.broken = part.coverage.broken or "the file was cut while it was read"
        return part


def _inode(stream: FileStream) -> tuple[int, int]:
    status = os.fstat(stream.fileno())
    return status.st_dev, status.st_ino


def _broken(source: Source, reason: str) -> Part:
    part = Part(source.path)
    part.coverage.broken = reason
    return part
