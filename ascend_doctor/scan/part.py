"""One part of a source: what its windows say, gathered; parts are joined in their order."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.formats.record import Records
from ascend_doctor.formats.sniff import origin_of
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import Record
from ascend_doctor.scan import curves
from ascend_doctor.scan.collect import Collection
from ascend_doctor.scan.coverage import Coverage
from ascend_doctor.scan.curves import Curves
from ascend_doctor.scan.environment import Environment
from ascend_doctor.scan.judge import ERRORS, judge
from ascend_doctor.scan.meanings import Meaning, Vocabulary
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, of
from ascend_doctor.view.window import Window

_ALARM = Meaning(is_alarm=True)
_NEWLINE = b"\n"

# Where a line begins, and why it is looked at.
Target = tuple[int, Meaning]


class Part:
    """What one part of a source yields."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.collection = Collection(source)
        self.environment = Environment(source)
        self.curves = Curves(source)
        self.coverage = Coverage()

    def join(self, other: Part) -> None:
        """Go on with the part behind this one."""
        lines = self.coverage.newlines
        self.collection.join(other.collection, lines)
        self.environment.join(other.environment, lines)
        self.curves.join(other.curves, lines)
        self.coverage.join(other.coverage)


class Reader:
    """Reads windows into parts, under one state of the rules."""

    def __init__(
        self, knowledge: Knowledge, vocabulary: Vocabulary, meanings: list[Meaning]
    ) -> None:
        self._knowledge = knowledge
        self._literals = vocabulary.literals
        self._meanings = meanings
        self._asides = vocabulary.asides

    def read(self, window: Window, part: Part) -> None:
        """Gather what one window says."""
        view = of(window)
        hits = self._literals.hits(window.data, window.body[0])
        signs = self._note_asides(window, hits, part)
        if isinstance(view, Raw):
            targets = self._targets_in_raw(view, hits)
            part.curves.see(window, view, signs)
        else:
            hits = self._literals.hits(view.text)
            targets = self._targets_in_printed(view, hits)
            part.curves.see(window, view, curves.SIGNS)
        self._judge(view, targets, part)
        part.coverage.see(window)

    def _note_asides(self, window: Window, hits: list[tuple[int, int]], part: Part) -> list[bytes]:
        """Note levels and environment of a window; return the signs of a loss that are in it."""
        signs = []
        first = len(self._meanings)
        for offset, number in hits:
            if number < first or offset >= window.body[1]:
                continue
            aside = self._asides[number - first]
            if aside.name:
                part.environment.see(window, offset, aside.name)
            elif aside.level:
                part.coverage.levels.add(aside.level)
            else:
                signs.append(aside.metric)
        return signs

    def _targets_in_printed(self, view: Printed, hits: list[tuple[int, int]]) -> Iterator[Target]:
        """Yield the lines that literals stand in, and those whose prefix names an error."""
        text = view.text
        for offset, number in hits:
            if number >= len(self._meanings):
                continue
            meaning = self._meanings[number]
            at = offset + (text[offset : offset + 1] == _NEWLINE)
            start = view.line_start(at)
            if meaning.is_level or (meaning.is_head and start != offset + 1):
                continue
            if view.owns(at):
                yield start, meaning
        for start in view.starts_of(ERRORS):
            yield start, _ALARM

    def _targets_in_raw(self, view: Raw, hits: list[tuple[int, int]]) -> Iterator[Target]:
        """Yield the same for a window of which only lines with literals are looked at."""
        data = view.data
        start = end = -1
        text_from: int | None = None
        is_error = False
        for offset, number in hits:
            if number >= len(self._meanings):
                continue
            meaning = self._meanings[number]
            at = offset + (data[offset : offset + 1] == _NEWLINE)
            if not start <= at < end:
                start, end = view.bounds(at)
                text_from = view.text_from(start)
                if text_from is None:
                    yield from self._targets_in_quoted(view, start)
                else:
                    is_error = view.line(start)[0].level in ERRORS
            if text_from is None:
                continue
            if at < text_from:
                if is_error and (meaning.is_alarm or meaning.is_level):
                    yield start, _ALARM
                if meaning.is_head and offset + 1 == text_from:
                    yield start, _ALARM
            elif not meaning.is_level and (not meaning.is_head or offset + 1 == text_from):
                yield start, meaning

    def _targets_in_quoted(self, view: Raw, start: int) -> Iterator[Target]:
        """Yield the same for a line whose bytes are not shown as they are."""
        for place, (prefix, text) in enumerate(view.shown(start), start=start):
            if prefix.level in ERRORS:
                yield place, _ALARM
            for offset, number in self._literals.hits(_NEWLINE + text + _NEWLINE):
                if number < len(self._meanings):
                    meaning = self._meanings[number]
                    if not meaning.is_level and (not meaning.is_head or offset == 0):
                        yield place, meaning

    def _judge(self, view: Printed | Raw, targets: Iterator[Target], part: Part) -> None:
        """Put the record around each target together, and gather what it says."""
        collection = part.collection
        records = Records(view, part.source, origin_of(part.source))
        low, high = view.body
        # Keyed by where the record begins: hits of one record need not follow each other.
        todo: dict[int, tuple[Record, dict[str, Rule]]] = {}
        for place, meaning in targets:
            start, record = records.at(place)
            if not low <= start < high:
                continue
            _, rules = todo.setdefault(start, (record, {}))
            for rule in meaning.rules:
                rules[rule.id] = rule
            if meaning.sign is not None:
                collection.signs.add((meaning.sign, collection.process_of(record)))
        for start in sorted(todo):
            record, rules = todo[start]
            tried = [rule for rule in rules.values() if not collection.is_off(rule.id)]
            collection.add(record, judge(record, tried, self._knowledge))
