"""One source → the facts it yields, in one pass and bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import chain

from ascend_doctor.facts import Shard
from ascend_doctor.formats.record import Records
from ascend_doctor.formats.sniff import kind_of, origin_of
from ascend_doctor.ingest.source import Skipped, Source, blocks, unreadable
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Rule, by_reader
from ascend_doctor.records import Record
from ascend_doctor.scan.collect import Collection
from ascend_doctor.scan.curves import Curves
from ascend_doctor.scan.environment import Environment
from ascend_doctor.scan.judge import ERRORS, judge
from ascend_doctor.scan.literals import Literals
from ascend_doctor.scan.tables import scan_table
from ascend_doctor.view.view import View, keeps_literals, of
from ascend_doctor.view.window import BODY, MARGIN, Window, windows

# Where an error may stand that no rule knows.
_ALARMS = (
    *(b"ERROR", b"Error", b"CRITICAL", b"FATAL", b"Traceback (most", b"Exception", b"[F "),
    b"TraceBack (most",  # an error block, which need not name an error otherwise
    *(b"\nE0", b"\nE1", b"\nF0", b"\nF1"),  # glog: the letter and the month
)
_LEVELS = ("DEBUG", "INFO", "EVENT", "WARNING", "ERROR")
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


_ALARM = _Meaning()
_NEWLINE = ord("\n")


class Scanner:
    """Scans sources under one state of the knowledge, in windows of ``body`` and ``margin``."""

    def __init__(self, knowledge: Knowledge, *, body: int = BODY, margin: int = MARGIN) -> None:
        self._knowledge = knowledge
        self._body, self._margin = body, margin
        meanings: dict[bytes, _Meaning] = {alarm: _Meaning() for alarm in _ALARMS}
        for rule in knowledge.rules.values():
            for variant in rule.match:
                meaning = meanings.setdefault(variant.anchor, _Meaning())
                if rule not in meaning.rules:
                    meaning.rules.append(rule)
            for literal in (*chain(*rule.requires_process), *rule.excludes_process):
                meanings.setdefault(literal, _Meaning()).sign = literal
        self._readers = by_reader(knowledge.rules.values())
        self._meanings = [*meanings.values()]
        self._literals = Literals([*meanings])

    def without(self, rule: str) -> Scanner:
        """Return a scanner that does not know one rule; what that changes is what the rule does."""
        other = copy(self)
        other._knowledge = self._knowledge.without(rule)
        other._readers = by_reader(other._knowledge.rules.values())
        other._meanings = [
            _Meaning([item for item in meaning.rules if item.id != rule], meaning.sign)
            for meaning in self._meanings
        ]
        return other

    def scan(self, source: Source) -> Shard | Skipped:
        """Read a source to its end and return what it yielded.

        A source that breaks off (truncated, vanished, unreadable half-way) keeps what came
        before, and says so.
        """
        try:
            stream = source.open()
        except OSError as err:
            return Skipped(source.path, (err.strerror or "unreadable").lower())
        collection, environment = Collection(), Environment(source.path)
        coverage, curves = _Coverage(), Curves(source.path)
        with stream:
            try:
                text = blocks(stream)
                head = next(text, b"")
                reason = unreadable(head)
                if reason is not None:
                    return Skipped(source.path, reason)
                kind = kind_of(head)
                if kind == "profile":
                    return scan_table(source, chain((head,), text), self._readers)
            except _BROKEN as err:
                return Skipped(source.path, str(err) or type(err).__name__)
            for window in windows(_chained(head, text, coverage), self._body, self._margin):
                coverage.see(window)
                hit = self._scan_window(window, source, collection, curves)
                environment.see(window, hit)
        for told in curves.told():
            process = collection.process_of(told.record)
            rules = self._readers.get(("curve", told.verdict), ())
            collection.add_reading(rules, process, told.sighting, told.count)
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
            environment=environment.said(),
            broken="; ".join(filter(None, (coverage.broken, collection.slow()))) or None,
        )

    def _scan_window(
        self, window: Window, source: Source, collection: Collection, curves: Curves
    ) -> bool:
        """Gather what one window says; return whether there was more to it than steps."""
        if keeps_literals(window) and not self._literals.hits(window.data):
            # Most windows of a healthy run; a view would cost more than the scan.
            curves.see(View(window.data, window.body, window.first_line), is_raw=True)
            return False
        view = of(window)
        curves.see(view, is_raw=False)
        records = Records(view, source.path, origin_of(source.path))
        # Keyed by where the record begins: hits of one record need not follow each other.
        todo: dict[int, tuple[Record, dict[str, Rule]]] = {}
        # What names its level in a prefix has lost the word to the view.
        alarms = ((start, -1) for start in view.starts_of(ERRORS))
        for offset, number in chain(self._literals.hits(view.text), alarms):
            start, record = records.at(offset + (view.text[offset] == _NEWLINE))
            if not view.body[0] <= start < view.body[1]:
                continue
            meaning = self._meanings[number] if number >= 0 else _ALARM
            _, rules = todo.setdefault(start, (record, {}))
            for rule in meaning.rules:
                rules[rule.id] = rule
            if meaning.sign is not None:
                collection.signs.add((meaning.sign, collection.process_of(record)))
        for start in sorted(todo):
            record, rules = todo[start]
            tried = [rule for rule in rules.values() if not collection.is_off(rule.id)]
            collection.add(record, judge(record, tried, self._knowledge))
        return bool(todo)


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
