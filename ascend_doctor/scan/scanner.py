"""One source → the facts it yields, in one pass and bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from ascend_doctor.facts import Shard
from ascend_doctor.formats import python
from ascend_doctor.formats.record import Records
from ascend_doctor.formats.sniff import kind_of, origin_of
from ascend_doctor.ingest.source import Skipped, Source, blocks, unreadable
from ascend_doctor.knowledge.explain import explain
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.match import is_excluded, match
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import Record, Sighting
from ascend_doctor.scan.collect import (
    Collection,
    captures_of,
    evidence,
    process_of,
)
from ascend_doctor.scan.environment import Environment
from ascend_doctor.scan.literals import Literals
from ascend_doctor.scan.tables import scan_table
from ascend_doctor.view.view import keeps_literals, of
from ascend_doctor.view.window import Window, windows

# Where an error may stand that no rule knows.
_ALARMS = (b"ERROR", b"Error", b"CRITICAL", b"FATAL", b"Traceback (most", b"Exception", b"[F ")
_LEVELS = ("DEBUG", "INFO", "EVENT", "WARNING", "ERROR")
_ERRORS = frozenset({"ERROR", "FATAL"})
_QUIET = frozenset({"DEBUG", "INFO", "TRACE", "EVENT"})
_TIME = re.compile(rb"(?<!\d)(\d{4}-\d\d-\d\d)[-T ](\d\d:\d\d:\d\d)(?!\d)")
# What reading raises when a stream is damaged, truncated or closed.
_BROKEN = (OSError, EOFError, ValueError)
# How far into a window its first and last time are looked for.
_TIME_REACH = 8 << 10


@dataclass(slots=True)
class _Meaning:
    """Why a literal is looked for."""

    rules: list[Rule] = field(default_factory=list)
    sign: bytes | None = None


class Scanner:
    """Scans sources under one state of the knowledge."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        meanings: dict[bytes, _Meaning] = {alarm: _Meaning() for alarm in _ALARMS}
        for rule in knowledge.rules.values():
            for variant in rule.match:
                meaning = meanings.setdefault(variant.anchor, _Meaning())
                if rule not in meaning.rules:
                    meaning.rules.append(rule)
            for literal in (*rule.requires_process, *rule.excludes_process):
                meanings.setdefault(literal, _Meaning()).sign = literal
        self._meanings = [*meanings.values()]
        self._literals = Literals([*meanings])

    def scan(self, source: Source) -> Shard | Skipped:
        """Read a source to its end and return what it yielded.

        A source that breaks off (truncated, vanished, unreadable half-way) keeps what came
        before, and says so.
        """
        try:
            stream = source.open()
        except OSError as err:
            return Skipped(source.path, (err.strerror or "unreadable").lower())
        collection, environment = Collection(), Environment()
        coverage = _Coverage()
        with stream:
            try:
                text = blocks(stream)
                head = next(text, b"")
                reason = unreadable(head)
                if reason is not None:
                    return Skipped(source.path, reason)
                kind = kind_of(head)
                if kind == "profile":
                    return scan_table(source, chain((head,), text))
            except _BROKEN as err:
                return Skipped(source.path, str(err) or type(err).__name__)
            for window in windows(_chained(head, text, coverage)):
                coverage.see(window)
                environment.see(window)
                self._scan_window(window, source, collection)
        return Shard(
            path=source.path,
            kind=kind,
            size=coverage.size,
            lines=coverage.lines,
            levels=frozenset(coverage.levels),
            time_range=coverage.time_range,
            findings=collection.findings(),
            codes=collection.codes(),
            unknown=collection.unknown(),
            signs=frozenset(collection.signs),
            environment=environment.values,
            broken=coverage.broken,
        )

    def _scan_window(self, window: Window, source: Source, collection: Collection) -> None:
        if keeps_literals(window) and not self._literals.hits(window.data):
            return  # most windows of a healthy run; a view would cost more than the scan
        view = of(window)
        records = Records(view, source.path, origin_of(source.path))
        # Keyed by where the record begins: hits of one record need not follow each other.
        todo: dict[int, tuple[Record, dict[str, Rule]]] = {}
        for offset, number in self._literals.hits(view.text):
            start, record = records.at(offset)
            if not view.body[0] <= start < view.body[1]:
                continue
            meaning = self._meanings[number]
            _, rules = todo.setdefault(start, (record, {}))
            for rule in meaning.rules:
                rules[rule.id] = rule
            if meaning.sign is not None:
                collection.signs.add((meaning.sign, process_of(record)))
        for start in sorted(todo):
            record, rules = todo[start]
            self._judge(record, rules, records, collection)

    def _judge(
        self, record: Record, rules: dict[str, Rule], records: Records, collection: Collection
    ) -> None:
        """Count what one record says: rules that fit, codes, or that nothing knows it."""
        process = process_of(record)
        known = harmless = False
        codes = []
        if record.level not in _QUIET:
            codes = self._knowledge.codes.find(record.text)
        for rule in rules.values():
            found = match(rule, record)
            if found is None:
                continue
            known = True
            if is_excluded(rule, record):
                harmless = True
                continue
            more = None
            if rule.explainer is not None:
                answer = explain(rule.explainer, found.captures)
                if answer is None or answer[0] not in rule.verdicts:
                    continue
                more = answer[1]
            # What is known as harmless clears a message that begins with it, not one that
            # merely quotes it.
            first_line = record.text.find(b"\n", 0, found.offset) < 0
            harmless = harmless or (rule.role == "notice" and first_line)
            lines = _proof(record, found.offset, records)
            sighting = Sighting(
                evidence=tuple(evidence(record, number, line) for number, line in lines),
                captures=captures_of(found.captures, more),
                codes=tuple(code.code for _, code in codes),
                location=python.location(record.text.split(b"\n")),
                weight=found.weight,
            )
            collection.add_finding(rule.id, process, sighting)
        if harmless:
            return
        for offset, code in codes:
            number, line = records.line_of(record, offset)
            place = replace(evidence(record, number, line), order=(number, offset))
            collection.add_code(code, process, place)
        if not known and not codes and record.level in _ERRORS:
            number, line = records.line_of(record, 0)
            collection.add_unknown(record, evidence(record, number, line))


def _proof(record: Record, offset: int, records: Records) -> list[tuple[int, bytes]]:
    """Return the deciding line of a record and, where it is another, the line that raised."""
    deciding = records.line_of(record, offset)
    proof = [deciding]
    position = 0
    for line in record.text.split(b"\n"):
        raised = python.RAISED.match(line) is not None
        if raised and line != deciding[1]:
            proof.append(records.line_of(record, position))
            break
        position += len(line) + 1
    return proof


def _chained(head: bytes, rest: Iterator[bytes], coverage: _Coverage) -> Iterator[bytes]:
    """Yield and count the blocks of a source; where it breaks off, they end."""
    block: bytes | None = head
    while block is not None:
        coverage.count(block)
        yield block
        try:
            block = next(rest, None)
        except _BROKEN as err:
            coverage.broken = str(err) or type(err).__name__
            return


@dataclass(slots=True)
class _Coverage:
    """How much was read, and which levels and times it spans."""

    size: int = 0
    lines: int = 0
    levels: set[str] = field(default_factory=set)
    time_range: tuple[str, str] | None = None
    broken: str | None = None
    _last: bytes = b"\n"

    def count(self, block: bytes) -> None:
        if block:
            self.size += len(block)
            # A line counts when it begins, so that a last one without newline is not lost.
            self.lines += (self._last == b"\n") + block.count(b"\n", 0, len(block) - 1)
            self._last = block[-1:]

    def see(self, window: Window) -> None:
        for level in _LEVELS:
            if level not in self.levels and f"[{level}]".encode() in window.data:
                self.levels.add(level)
        low, high = window.body
        first = _TIME.search(window.data, low, min(high, low + _TIME_REACH))
        for found in (first, *_TIME.finditer(window.data, max(low, high - _TIME_REACH), high)):
            if found is not None:
                time = f"{found[1].decode()}T{found[2].decode()}"
                start, end = self.time_range or (time, time)
                self.time_range = (min(start, time), max(end, time))
