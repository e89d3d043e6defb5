"""Gather what the records of one source say, bounded however many there are."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.facts import FURTHER, MAX_SIGHTINGS, CodeSeen, Finding, Process, Unknown
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import Evidence, Record, Sighting
from ascend_doctor.scan.judge import Judgement
from ascend_doctor.scan.template import masked
from ascend_doctor.view.encoding import shown

# Different error messages that no rule knows, kept per source.
MAX_TEMPLATES = 500

# Processes that are told apart in one source; a file of a job holds a few hundred at most.
MAX_PROCESSES = 2048
# How often a rule's regex may be cut off before the rule is switched off for the part.
MAX_TIMEOUTS = 5
# CPU seconds that a rule may take for a message, ten times what is usual; and how late it may be
# in all before it is switched off. Many that are each just fast enough take hours together.
MESSAGE_S = 0.002
MAX_LATE_S = 2.0

# Bytes of a message that are masked, and of the template that are kept.
MAX_LINE = 2048
MAX_TEMPLATE = 512


_Key = tuple[str, str, tuple[int, int]]
# Returns a line of a record together with the lines around it.
Surround = Callable[[Record, Evidence], Evidence]


class _Tally(Struct):
    count: int = 0
    sightings: list[Sighting] = field(default_factory=list)
    first: str | None = None
    last: str | None = None
    earliest: _Key | None = None

    def is_first(self, sighting: Sighting) -> bool:
        return self.earliest is None or sighting.key < self.earliest

    def add(self, sighting: Sighting, count: int = 1) -> None:
        self.count += count
        if self.is_first(sighting):
            self.earliest = sighting.key
        time = sighting.evidence[0].time
        if time is not None:
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)
        self.sightings.append(sighting)
        if len(self.sightings) > 2 * MAX_SIGHTINGS:
            self.trim()

    def join(self, other: _Tally, lines: int) -> None:
        self.count += other.count
        if other.first is not None and other.last is not None:
            self.first = other.first if self.first is None else min(self.first, other.first)
            self.last = other.last if self.last is None else max(self.last, other.last)
        self.sightings += [sighting.moved(lines) for sighting in other.sightings]
        self.trim()
        self.earliest = self.sightings[0].key

    def trim(self) -> None:
        self.sightings = heapq.nsmallest(MAX_SIGHTINGS, self.sightings, key=lambda s: s.key)


class _Pace(Struct):
    """How long a rule takes.

    Attributes:
        late_s: CPU seconds that it took beyond what its messages may take; what it is early makes
            up for it.
        slow: messages that it took too long on.
        cut_off: those of them on which its regex was cut off.
        is_off: it is not tried any more.
    """

    late_s: float = 0.0
    slow: int = 0
    cut_off: int = 0
    is_off: bool = False

    def add(self, seconds: float, *, is_cut_off: bool) -> None:
        self.late_s = max(0.0, self.late_s + seconds - MESSAGE_S)
        self.slow += is_cut_off or seconds > MESSAGE_S
        self.cut_off += is_cut_off
        self.is_off = self.cut_off >= MAX_TIMEOUTS or self.late_s > MAX_LATE_S

    def join(self, other: _Pace) -> None:
        self.slow += other.slow
        self.cut_off += other.cut_off
        self.is_off = self.is_off or other.is_off


class Collection:
    """Findings, codes and unknown errors of one source while it is being scanned."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._findings: dict[tuple[str, Process], _Tally] = {}
        self._codes: dict[tuple[str, str, Process], _Tally] = {}
        self._unknown: dict[bytes, tuple[int, str, Evidence]] = {}
        # The key of the one that comes last in the source, if it is known.
        self._latest: bytes | None = None
        self._processes: set[Process] = set()
        self._paces: defaultdict[str, _Pace] = defaultdict(_Pace)
        self.signs: set[tuple[bytes, Process]] = set()

    def join(self, other: Collection, lines: int) -> None:
        """Go on with the part behind this one; ``lines`` stand before it."""
        for rule, pace in other._paces.items():
            self._paces[rule].join(pace)
        self.signs |= {(sign, self._known(process)) for sign, process in other.signs}
        for (rule, process), tally in other._findings.items():
            kept = self._findings.setdefault((rule, self._known(process)), _Tally())
            kept.join(tally, lines)
        for (table, code, process), tally in other._codes.items():
            kept = self._codes.setdefault((table, code, self._known(process)), _Tally())
            kept.join(tally, lines)
        for key, (count, level, evidence) in other._unknown.items():
            self._count_unknown(key, count, level, evidence.moved(lines))

    def add(
        self, record: Record, judgement: Judgement, weights: Mapping[str, int], surround: Surround
    ) -> Process:
        """Count what one record says; return who wrote it.

        ``weights`` tells by rule for how many records it stands. The earliest place of each finding
        is kept with the lines around it.
        """
        process = self.process_of(record)

        def add(tally: _Tally, sighting: Sighting, count: int) -> None:
            if tally.is_first(sighting):
                deciding, *others = sighting.evidence
                sighting = replace(sighting, evidence=(surround(record, deciding), *others))
            tally.add(sighting, count)

        for rule, sighting in judgement.sightings:
            add(self._findings.setdefault((rule, process), _Tally()), sighting, weights[rule])
        for code, place in judgement.codes:
            tally = self._codes.setdefault((code.table, code.code, process), _Tally())
            add(tally, Sighting((place,), {}, (code.label,)), 1)
        if judgement.unknown is not None:
            key, unknown = template_of(record), judgement.unknown
            known = self._unknown.get(key)
            if known is None or unknown.order < known[2].order:
                unknown = surround(record, unknown)
            self._count_unknown(key, 1, record.level, unknown)
        return process

    def process_of(self, record: Record) -> Process:
        """Return who wrote a record; beyond a bound, all others of the source are one."""
        return self._known(process_of(record))

    def spend(self, rule: str, seconds: float, *, is_cut_off: bool) -> None:
        """Note the CPU seconds that a rule took for one message."""
        self._paces[rule].add(seconds, is_cut_off=is_cut_off)

    def is_off(self, rule: str) -> bool:
        """Say whether a rule took so long that it is not tried any more."""
        return rule in self._paces and self._paces[rule].is_off

    def slow(self) -> str | None:
        """Say which rules took too long, and so may have missed something."""
        told = []
        for rule, pace in sorted(self._paces.items()):
            if pace.is_off:
                told.append(
                    f"rule {rule} took too long on {pace.slow} messages and was switched off"
                )
            elif pace.cut_off:
                told.append(f"rule {rule} took too long on {pace.cut_off} messages")
        return "; ".join(told) or None

    def add_finding(self, rule: str, process: Process, sighting: Sighting, count: int = 1) -> None:
        """Count one match of a rule, or ``count`` that one place speaks for."""
        self._findings.setdefault((rule, process), _Tally()).add(sighting, count)

    def add_reading(
        self, rules: Iterable[Rule], process: Process, sighting: Sighting, count: int = 1
    ) -> None:
        """Count what a reader found for each rule that tells of it, with what it captures."""
        for rule in rules:
            kept = {k: v for k, v in sighting.captures.items() if k in rule.captures}
            self.add_finding(rule.id, process, replace(sighting, captures=kept), count)

    def _known(self, process: Process) -> Process:
        if process not in self._processes:
            if len(self._processes) >= MAX_PROCESSES:
                return Process(source=self._source)
            self._processes.add(process)
        return process

    def repeat(
        self, process: Process, record: Record, judgement: Judgement, count: int, last: str
    ) -> None:
        """Count further messages of which the same is to be said as of one that was added.

        ``last`` is the latest time of them.
        """
        tallies = [self._findings[rule, process] for rule, _ in judgement.sightings]
        tallies += [self._codes[code.table, code.code, process] for code, _ in judgement.codes]
        for tally in tallies:
            tally.count += count
            tally.last = last if tally.last is None else max(tally.last, last)
        if judgement.unknown is not None:
            self._count_unknown(template_of(record), count, record.level, judgement.unknown)

    def _count_unknown(self, key: bytes, count: int, level: str, evidence: Evidence) -> None:
        """Count error messages that no rule knows; beyond a bound, the latest ones are one.

        Messages need not come in the order in which they stand.
        """
        if key not in self._unknown and key and len(self._unknown) >= MAX_TEMPLATES:
            if self._latest is None:
                self._latest = max(
                    self._unknown, key=lambda k: (bool(k), self._unknown[k][2].order)
                )
            latest = self._unknown[self._latest]
            if latest[2].order < evidence.order:
                key = b""
            else:
                del self._unknown[self._latest]
                self._latest = None
                self._count_unknown(b"", *latest)
        known = self._unknown.get(key)
        if known is not None:
            count += known[0]
            level = known[1]
            evidence = min(known[2], evidence, key=_order)
        if known is None or key == self._latest:
            self._latest = None
        self._unknown[key] = (count, level, evidence)

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings, sorted."""
        found = []
        for (rule, process), tally in sorted(self._findings.items()):
            tally.trim()
            found.append(
                Finding(rule, process, tally.count, tuple(tally.sightings), tally.first, tally.last)
            )
        return tuple(found)

    def codes(self) -> tuple[CodeSeen, ...]:
        """Return the codes, sorted."""
        seen = []
        for (table, code, process), tally in sorted(self._codes.items()):
            tally.trim()
            seen.append(CodeSeen(table, code, process, tally.count, tally.sightings[0]))
        return tuple(seen)

    def unknown(self) -> tuple[Unknown, ...]:
        """Return the unknown errors, in order of appearance."""
        items = sorted(self._unknown.items(), key=lambda item: _order(item[1][2]))
        return tuple(
            Unknown(shown(key) if key else FURTHER, level, count, evidence)
            for key, (count, level, evidence) in items
        )


def template_of(record: Record) -> bytes:
    """Return what equal messages have in common: the first line, its numbers left out."""
    return masked(record.text.split(b"\n", 1)[0][:MAX_LINE])[:MAX_TEMPLATE]


def _order(evidence: Evidence) -> tuple[int, int]:
    return evidence.order


def process_of(record: Record) -> Process:
    """Return who wrote a record, as exactly as it says."""
    origin = record.origin
    if origin.pid is not None:
        return Process(origin.node or "", origin.pid)
    rank = -1 if origin.rank is None else origin.rank
    return Process(origin.node or "", -1, rank, record.source)
