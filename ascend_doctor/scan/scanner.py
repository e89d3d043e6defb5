"""One source → the facts it yields, in one pass and bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import chain, groupby
from operator import attrgetter
from typing import BinaryIO

from ascend_doctor.facts import Shard
from ascend_doctor.formats.sniff import kind_of
from ascend_doctor.ingest.source import (
    HEAD,
    Skipped,
    Source,
    blocks,
    is_as_it_is,
    is_machine,
    reason_of,
    unreadable,
)
from ascend_doctor.ingest.stream import BROKEN, FileStream
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import by_reader
from ascend_doctor.profile.heads import is_database
from ascend_doctor.scan.meanings import Vocabulary
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.reader import Reader
from ascend_doctor.scan.tables import scan_table
from ascend_doctor.scope import EVERYTHING, Scope
from ascend_doctor.view.window import SIZES, Sizes, windows, windows_of_part

# Where graphs are compiled anew, it matters how long steps take before and after.
_RECOMPILING = "static_fallback"


class Scanner:
    """Scans sources under one state of the knowledge, cut into pieces of the given ``sizes``."""

    def __init__(
        self, knowledge: Knowledge, sizes: Sizes = SIZES, scope: Scope = EVERYTHING
    ) -> None:
        self._sizes = sizes
        self._knowledge = knowledge
        self._vocabulary = Vocabulary(knowledge.rules.values())
        self._tables = by_reader(knowledge.rules.values())
        self._scope = scope
        self._reader = Reader(knowledge, self._vocabulary, self._vocabulary.meanings, scope)

    def without(self, rule: str) -> Scanner:
        """Return a scanner that does not know one rule; what that changes is what the rule does."""
        other = copy(self)
        other._knowledge = self._knowledge.without(rule)
        other._tables = by_reader(other._knowledge.rules.values())
        meanings = self._vocabulary.without(rule)
        other._reader = Reader(other._knowledge, self._vocabulary, meanings, self._scope)
        return other

    def scan(self, source: Source) -> Shard | Skipped:
        """Read a source to its end and return what it yielded.

        A source that breaks off (truncated, vanished, unreadable half-way) keeps what came
        before, and says so.
        """
        try:
            with source.open() as stream:
                if isinstance(stream, FileStream) and (found := self.parts_of(stream)) is not None:
                    count, kind = found
                    parts = (self.read_part(source, stream, number) for number in range(count))
                    return self.shard_of(parts, kind)
                return self._scan_stream(source, stream)
        except BROKEN as err:
            return Skipped(source.path, reason_of(err))

    def parts_of(self, stream: FileStream) -> tuple[int, str] | None:
        """Return in how many parts a file can be read, and its kind; None if only as a whole.

        Raises:
            OSError, EOFError: it cannot be read.
        """
        kind = self._kind_of_parts(stream)
        return None if kind is None else (self._sizes.part_at(stream.size - 1) + 1, kind)

    def read_part(self, source: Source, stream: FileStream, number: int) -> Part:
        """Read one part of a file, which keeps what came before where it breaks off."""
        reading, reason = self._reader.begin(source.path, source.above), None
        try:
            for window in windows_of_part(stream.read_at, stream.size, number, self._sizes):
                reading.read(window)
        except BROKEN as err:
            reason = reason_of(err)
        part = reading.finish()
        part.coverage.broken = reason
        return part

    def part_of(self, path: str, text: Iterator[bytes], above: str = "") -> Part:
        """Read a stretch of a file, of text as it is, as one part; see ``Source`` for ``above``."""
        parts = self._parts_in(path, text, above)
        first = next(parts, None)
        if first is None:
            return self._reader.begin(path, above).finish()
        return _joined(chain((first,), parts))

    def shard_of(self, parts: Iterable[Part], kind: str) -> Shard:
        """Join the parts of one file, in their order, up to where one breaks off.

        How many lines are missing there is not known, and so not on which lines the rest stands.
        """
        return self._shard(_joined(parts), kind)

    def _kind_of_parts(self, stream: FileStream) -> str | None:
        """Return the kind of a file whose parts can be read apart, None of any other."""
        head = stream.read_at(0, HEAD)
        if stream.sparse or not is_as_it_is(head) or unreadable(head) is not None:
            return None
        kind = kind_of(head)
        return None if kind == "profile" else kind

    def _scan_stream(self, source: Source, stream: BinaryIO) -> Shard | Skipped:
        text = blocks(stream)
        head = next(text, b"")
        if is_database(head):
            from ascend_doctor.scan.databases import scan_database

            return scan_database(source, chain((head,), text), self._scope)
        if is_machine(head):
            from ascend_doctor.scan.machines import scan_machine

            return scan_machine(source, chain((head,), text))
        reason = unreadable(head)
        if reason is not None:
            return Skipped(source.path, reason)
        kind = kind_of(head)
        if kind == "profile":
            return scan_table(source, chain((head,), text), self._scope)
        ending = _Ending()
        whole = self.part_of(source.path, ending.until_broken(chain((head,), text)), source.above)
        whole.coverage.broken = ending.reason
        return self._shard(whole, kind)

    def _parts_in(self, path: str, text: Iterator[bytes], above: str) -> Iterator[Part]:
        """Yield the parts of a stream, of which there is one at least."""
        for _, some in groupby(windows(text, self._sizes), key=attrgetter("part")):
            reading = self._reader.begin(path, above)
            for window in some:
                reading.read(window)
            yield reading.finish()

    def _shard(self, whole: Part, kind: str) -> Shard:
        collection, coverage = whole.collection, whole.coverage
        for told in whole.curves.told():
            process = collection.process_of(told.record)
            rules = self._tables.get(("curve", told.verdict), ())
            collection.add_reading(rules, process, told.sighting, told.count)
        findings = collection.findings()
        measures = (*whole.steps.measures(), *whole.cards.measures())
        if any(self._knowledge.rules[found.rule].family == _RECOMPILING for found in findings):
            measures += whole.curves.measures()
        return Shard(
            path=whole.source,
            kind=kind,
            size=coverage.size,
            lines=coverage.lines,
            levels=frozenset(coverage.levels),
            time_range=coverage.time_range,
            findings=findings,
            codes=collection.codes(),
            unknown=collection.unknown(),
            signs=frozenset(collection.signs),
            environment=whole.environment.said(),
            measures=measures,
            outside=whole.outside,
            unplaced=whole.unplaced,
            ranks=frozenset(whole.ranks),
            broken="; ".join(filter(None, (coverage.broken, collection.slow()))) or None,
        )


def _joined(parts: Iterable[Part]) -> Part:
    """Join parts in their order, up to where one breaks off."""
    left = iter(parts)
    whole = next(left)
    while whole.coverage.broken is None and (part := next(left, None)) is not None:
        whole.join(part)
    return whole


class _Ending:
    """Why a stream ended before its time, if it did."""

    reason: str | None = None

    def until_broken(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield blocks until there are no more, or reading fails."""
        try:
            yield from blocks
        except BROKEN as err:
            self.reason = reason_of(err)
