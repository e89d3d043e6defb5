"""The records of one window: put together where they are hit, and judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.facts import Process
from ascend_doctor.formats.lines import Kind
from ascend_doctor.formats.record import Records
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.match import is_quiet
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import Evidence, Record
from ascend_doctor.scan.judge import Judgement, judge
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.sampling import Sampler
from ascend_doctor.scan.targets import Target
from ascend_doctor.scope import Place
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.printed import uncoloured
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed

# Where so many records wait in a window, those are judged that begin so many bytes before the place
# that is looked at: no hit from there on can be in one of them.
MAX_WAITING = 4096
REACH = 256 << 10

# Characters that are kept of a line around a proof.
MAX_AROUND = 240


class Judged(Struct, frozen=True):
    """A record, who wrote it, what was said of it, and the rules that were tried."""

    record: Record
    process: Process
    judgement: Judgement
    tried: Sequence[Rule]


class Judging:
    """Puts the records of one window together that are hit, and gathers what they say."""

    def __init__(
        self, view: Printed | Raw, part: Part, knowledge: Knowledge, samplers: dict[bytes, Sampler]
    ) -> None:
        self._records = Records(view, part.source, part.origin)
        self._part = part
        self._collection = part.collection
        # Of which records it is known that they are outside of what is looked at, or not.
        self._places: dict[int, Place] = {}
        self._knowledge = knowledge
        self._view = view
        self._body = view.body
        self._is_raw = isinstance(view, Raw)
        self._samplers = samplers
        # Step lines that others stand for: that a rule knows them is as good as certain.
        self._passed: set[int] = set()
        self._is_beyond = False
        # Keyed by where the record begins: hits of one record need not follow each other. Each
        # rule comes with the number of records that this one stands for.
        self._todo: dict[int, tuple[Record, dict[str, tuple[Rule, int]]]] = {}
        # Before which place none of them need be judged, as that was done lately.
        self._due = 0

    def take(self, targets: Iterable[Target]) -> None:
        """Note the records around targets, and the signs of their processes."""
        low, high = self._body
        for place, meaning in targets:
            weight = 1
            if meaning.steps is not None:
                weight = self._weight(meaning.steps, place)
                if weight == 0:
                    continue
            start, record = self._records.at(place)
            if not low <= start < high:
                if start >= high and self._is_raw and _begins_anew(record):
                    break
                continue
            if not self._part.scope.is_all and self._place(start, record) == "outside":
                continue
            _, rules = self._todo.setdefault(start, (record, {}))
            for rule in meaning.rules:
                rules[rule.id] = (rule, weight)
            if meaning.sign is not None:
                process = self._collection.process_of(record)
                self._collection.signs.add((meaning.sign, process))
            is_due = place >= self._due and len(self._todo) > MAX_WAITING
            if is_due and isinstance(self._view, Raw):
                self._finish_before(place - REACH, self._view)
                self._due = place + REACH

    def _finish_before(self, place: int, view: Raw) -> None:
        """Judge the records that begin before ``place``, and forget what was read of all lines."""
        for start in sorted(start for start in self._todo if start < place):
            self._judge(start)
            del self._todo[start]
        view.forget()
        self._records = Records(view, self._part.source, self._part.origin)

    def _place(self, start: int, record: Record) -> Place:
        place = self._places.get(start)
        if place is None:
            place = self._part.scope.place(record.time, record.origin.rank)
            self._places[start] = place
            self._part.outside += place == "outside"
            self._part.unplaced += place == "unplaced"
        return place

    def _weight(self, word: bytes, place: int) -> int:
        """Return for how many lines the step line at ``place`` stands, 0 if it is passed over."""
        low, high = self._body
        if low <= place < high:
            weight = self._samplers.setdefault(word, Sampler()).weight()
            if weight == 0:
                self._passed.add(place)
            return weight
        # Behind the body only the end of a message that began in it is of interest here.
        if place >= high and not self._is_beyond:
            self._is_beyond = self._records.at(place)[0] >= high
            return int(not self._is_beyond)
        return 0

    def finish(self) -> None:
        """Judge all records that were noted."""
        for start in sorted(self._todo):
            self._judge(start)
        self._todo.clear()
        self._passed.clear()

    def is_passed(self, start: int) -> bool:
        """Say whether the line at ``start`` is a step line that others stand for."""
        return start in self._passed

    def noted(self, start: int) -> Record | None:
        """Return the record at ``start`` if it was noted."""
        found = self._todo.get(start)
        return None if found is None else found[0]

    def judged(self, start: int) -> Judged:
        """Judge the record at ``start``, which was noted, at once."""
        found = self._judge(start)
        del self._todo[start]
        return found

    def _judge(self, start: int) -> Judged:
        record, rules = self._todo[start]
        tried = [rule for rule, _ in rules.values() if not self._collection.is_off(rule.id)]
        is_passed = start in self._passed
        if is_passed:
            tried = [rule for rule in tried if not rule.fallback]
        judgement = judge(record, tried, self._knowledge, self._collection.spend)
        if is_passed:
            judgement = replace(judgement, unknown=None)
        weights = {rule.id: weight for rule, weight in rules.values()}
        process = self._collection.add(record, judgement, weights, self._surrounded)
        for rule_id, sighting in judgement.sightings:
            rule, weight = rules[rule_id]
            if rule.is_measure:
                self._part.steps.add(rule_id, record, sighting, weight, self._surrounded)
        return Judged(record, process, judgement, tried)

    def _surrounded(self, record: Record, proof: Evidence) -> Evidence:
        """Return a line of a record together with the lines around it."""
        start = record.starts[record.lines.index(proof.line)]
        before, after = self._view.around(start)
        return replace(proof, before=_shown(before), after=_shown(after))


def _shown(lines: Iterable[bytes]) -> tuple[str, ...]:
    """Return lines as a terminal would show them, cut to a length."""
    drawn = (uncoloured(line).rstrip(b"\r").rpartition(b"\r")[2] for line in lines)
    return tuple(shown(line[: 4 * MAX_AROUND])[:MAX_AROUND] for line in drawn)


def _begins_anew(record: Record) -> bool:
    """Say whether nothing behind a record can belong to one before it."""
    return record.kind == Kind.PLOG.value and not is_quiet(record) and record.level != "WARNING"
