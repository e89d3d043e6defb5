"""What one record says: the rules that fit it, the codes it names, or that nothing knows it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.formats import python
from ascend_doctor.formats.record import line_at
from ascend_doctor.knowledge.codes import Code
from ascend_doctor.knowledge.explain import explain
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.match import Match, TooSlow, is_excluded, is_quiet, match
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import Evidence, Record, Sighting
from ascend_doctor.view.encoding import shown

# Characters of a line that are kept; a plog line has at most 1,023 bytes.
MAX_LINE = 2000

ERRORS = frozenset({"ERROR", "FATAL"})


class Judgement(Struct, frozen=True):
    """What is to be counted of a record.

    ``unknown`` is an error that nothing accounts for, ``slow`` names rules that were cut off.
    """

    sightings: tuple[tuple[str, Sighting], ...] = ()
    codes: tuple[tuple[Code, Evidence], ...] = ()
    unknown: Evidence | None = None
    slow: tuple[str, ...] = ()


class Spend(Protocol):
    """Is told the CPU seconds that a rule took, and whether its regex was cut off."""

    def __call__(self, rule: str, seconds: float, *, is_cut_off: bool) -> None: ...


def judge(record: Record, rules: Iterable[Rule], knowledge: Knowledge, spend: Spend) -> Judgement:
    """Try the rules whose literals were found in a record.

    A fallback rule has a say only where no other rule fits and no code is named, and not
    where the program itself logged a mere warning. What a notice or an exclusion marks as
    harmless is neither decoded nor unknown.
    """
    codes = [] if is_quiet(record) else knowledge.codes.find(record.text)
    names = tuple(code.label for _, code in codes)
    sightings: list[tuple[str, Sighting]] = []
    known = harmless = False
    slow: tuple[str, ...] = ()
    for rule in sorted(rules, key=lambda rule: (rule.fallback, rule.id)):
        if rule.fallback and (known or codes or record.level == "WARNING"):
            break
        begin = time.thread_time()
        try:
            found = match(rule, record)
        except TooSlow:
            spend(rule.id, time.thread_time() - begin, is_cut_off=True)
            slow += (rule.id,)
            continue
        spend(rule.id, time.thread_time() - begin, is_cut_off=False)
        if found is None:
            continue
        if is_excluded(rule, record):
            known = harmless = True
            continue
        found = _explained(rule, found)
        if found is None:
            continue
        known = True
        # What begins as harmless is harmless; an error that quotes it is not.
        begins = record.text.find(b"\n", 0, found.offset) < 0
        harmless = harmless or (rule.role == "notice" and begins)
        sightings.append((rule.id, _sighting(record, found, names)))
    if harmless:
        return Judgement(tuple(sightings), slow=slow)
    if known or codes or record.level not in ERRORS:
        places = tuple((code, _code_place(record, offset)) for offset, code in codes)
        return Judgement(tuple(sightings), places, slow=slow)
    return Judgement(unknown=evidence(record, 0), slow=slow)


def evidence(record: Record, offset: int, span: tuple[int, int] | None = None) -> Evidence:
    """Return the line at ``offset`` of a record as proof to keep; what is in ``span`` decided."""
    number, line = line_at(record, offset)
    text = shown(line[: 4 * MAX_LINE])[:MAX_LINE].rstrip()
    return Evidence(
        path=record.source,
        line=number,
        text=text,
        order=record.order,
        time=record.time,
        level=record.level,
        module=record.module,
        origin=record.origin,
        match=None if span is None else _marked(record, offset, span, line, text),
    )


def _marked(
    record: Record, offset: int, span: tuple[int, int], line: bytes, text: str
) -> tuple[int, int] | None:
    """Return which characters of a shown line stand in a span of its record."""
    begin = record.text.rfind(b"\n", 0, offset) + 1
    low, high = (max(0, place - begin) for place in span)
    before, within = shown(line[:low]), shown(line[:high])
    if not (within.startswith(before) and text.startswith(before)):
        return None  # the encoding of the line shows only as a whole
    return len(before), min(len(within), len(text))


def _explained(rule: Rule, found: Match) -> Match | None:
    """Let the rule's explainer decide, and add what it computed to the captures."""
    if rule.explainer is None:
        return found
    answer = explain(rule.explainer, found.captures)
    if answer is None or answer[0] not in rule.verdicts:
        return None
    return replace(found, captures={**found.captures, **answer[1]})


def _sighting(record: Record, found: Match, codes: tuple[str, ...]) -> Sighting:
    return Sighting(
        evidence=_proof(record, found),
        captures=found.captures,
        codes=codes,
        location=python.location(record.text.split(b"\n")),
        weight=found.weight,
        variant=found.variant,
    )


def _proof(record: Record, found: Match) -> tuple[Evidence, ...]:
    """Return the deciding line and, where it is another, the line that raised."""
    deciding = evidence(record, found.offset, found.span)
    position = 0
    for line in record.text.split(b"\n"):
        if python.RAISED.match(line):
            raised = evidence(record, position)
            return (deciding, raised) if raised.text != deciding.text else (deciding,)
        position += len(line) + 1
    return (deciding,)


def _code_place(record: Record, offset: int) -> Evidence:
    place = evidence(record, offset)
    return replace(place, order=(place.line, offset))
