"""One part of a source: what its windows say, gathered; parts are joined in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
from ascend_doctor.scan.judge import Judgement, judge
from ascend_doctor.scan.meanings import Aside, Meaning, Vocabulary
from ascend_doctor.scan.targets import Hit, Target, Targets
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, of
from ascend_doctor.view.window import Window


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
        self, knowledge: Knowledge, vocabulary: Vocabulary, meanings: Sequence[Meaning]
    ) -> None:
        self._knowledge = knowledge
        self._literals = vocabulary.literals
        self._asides = Asides(vocabulary.asides, len(meanings))
        self._targets = Targets(vocabulary.literals, meanings)

    def read(self, window: Window, part: Part) -> None:
        """Gather what one window says."""
        hits = self._literals.hits(window.data, window.body[0])
        marked, signs = self._asides.note(window, hits, part)
        view = of(window, is_marked=marked)
        judging = Judging(view, part, self._knowledge)
        if isinstance(view, Printed):
            hits, signs = self._literals.hits(view.text), [*curves.SIGNS]
        judging.take(self._targets.of(view, hits))
        judging.finish()
        part.curves.see(window, view, signs)
        part.coverage.see(window)


class Asides:
    """Notes what is told beside the records; ``first`` is the number of the first such literal."""

    def __init__(self, asides: Sequence[Aside], first: int) -> None:
        self._asides = asides
        self._first = first

    def note(self, window: Window, hits: Iterable[Hit], part: Part) -> tuple[bool, list[bytes]]:
        """Note levels and environment of the body of a window.

        Return whether it holds marks, and which signs of a loss.
        """
        marked, signs = False, []
        end = window.body[1]
        for offset, number in hits:
            if number < self._first or offset >= end:
                continue
            aside = self._asides[number - self._first]
            if aside.name:
                part.environment.see(window, offset, aside.name)
            elif aside.level:
                part.coverage.levels.add(aside.level)
            elif aside.is_mark:
                marked = True
            else:
                signs.append(aside.metric)
        return marked, signs


class Judging:
    """Puts the records of one window together that are hit, and gathers what they say."""

    def __init__(self, view: Printed | Raw, part: Part, knowledge: Knowledge) -> None:
        self.records = Records(view, part.source, origin_of(part.source))
        self._collection = part.collection
        self._knowledge = knowledge
        self._body = view.body
        # Keyed by where the record begins: hits of one record need not follow each other.
        self._todo: dict[int, tuple[Record, dict[str, Rule]]] = {}

    def take(self, targets: Iterable[Target]) -> None:
        """Note the records around targets, and the signs of their processes."""
        low, high = self._body
        for place, meaning in targets:
            start, record = self.records.at(place)
            if not low <= start < high:
                continue
            _, rules = self._todo.setdefault(start, (record, {}))
            for rule in meaning.rules:
                rules[rule.id] = rule
            if meaning.sign is not None:
                process = self._collection.process_of(record)
                self._collection.signs.add((meaning.sign, process))

    def finish(self) -> None:
        """Judge all records that were noted."""
        for start in sorted(self._todo):
            self._judge(start)
        self._todo.clear()

    def judged(self, start: int) -> tuple[Record, Judgement, list[Rule]] | None:
        """Judge the record at ``start`` at once, if it was noted; return it and what was tried."""
        if start not in self._todo:
            return None
        found = self._judge(start)
        del self._todo[start]
        return found

    def _judge(self, start: int) -> tuple[Record, Judgement, list[Rule]]:
        record, rules = self._todo[start]
        tried = [rule for rule in rules.values() if not self._collection.is_off(rule.id)]
        judgement = judge(record, tried, self._knowledge)
        self._collection.add(record, judgement)
        return record, judgement, tried
