"""Whether one rule fits one record, and what it captures there."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ascend_doctor.knowledge.rule import Rule, Variant
from ascend_doctor.knowledge.texts import is_valid
from ascend_doctor.records import Record
from ascend_doctor.view.encoding import shown

# A regex sees at most this much text around the literals, and is cut off after the timeout.
WINDOW_BEFORE = 2 << 10
WINDOW_AFTER = 6 << 10
REGEX_TIMEOUT_S = 0.2

_QUIET = frozenset({"DEBUG", "INFO", "TRACE", "EVENT"})


class Match(Struct, frozen=True):
    """Where the first literal stands in the record's text, and what was captured.

    What matched stands in ``span`` of the text. ``weight`` is the length of the literals: how much
    of the text is accounted for; ``variant`` is the number of the wording in the rule file.
    """

    offset: int
    captures: Mapping[str, str]
    weight: int
    variant: int = 0
    span: tuple[int, int] = (0, 0)


class TooSlow(Exception):
    """A regex was cut off; whether the rule fits is not known."""


def match(rule: Rule, record: Record) -> Match | None:
    """Return how ``rule`` fits ``record``, or None.

    A rule for errors does not fit a record whose own level is INFO or below: the same
    words are harmless there.

    Raises:
        TooSlow: the rule's regex did not come to an end in time.
    """
    if rule.levels == "error" and is_quiet(record):
        return None
    if rule.modules and record.module not in rule.modules:
        return None
    text = record.text
    if not all(any(literal in text for literal in choice) for choice in rule.requires_record):
        return None
    for variant in rule.match:
        found = _fits(variant, text, rule.captures)
        if found is not None:
            return found
    return None


def is_quiet(record: Record) -> bool:
    """Say whether the record itself claims to be no error and no warning."""
    return record.level in _QUIET


def is_excluded(rule: Rule, record: Record) -> bool:
    """Say whether the record holds what marks it as a decoy for ``rule``."""
    return any(literal in record.text for literal in rule.excludes_record)


def places(variant: Variant, text: bytes) -> tuple[int, int] | None:
    """Return where the literals of a wording begin and end in a text that holds them in order."""
    start = end = -1
    position = 0
    for literal in variant.literals:
        at = text.find(literal, position)
        if at < 0:
            return None
        if start < 0:
            start = at
        position = end = at + len(literal)
    return start, end


def _fits(variant: Variant, text: bytes, types: Mapping[str, str]) -> Match | None:
    found_at = places(variant, text)
    if found_at is None:
        return None
    start, end = found_at
    weight = sum(map(len, variant.literals))
    if variant.compiled is None:
        return Match(start, {}, weight, variant.number, found_at)
    low = max(0, start - WINDOW_BEFORE)
    window = text[low : end + WINDOW_AFTER]
    try:
        found = variant.compiled.search(window, timeout=REGEX_TIMEOUT_S)
    except TimeoutError as err:
        raise TooSlow(variant.pattern) from err
    if found is None:
        return None
    captures = {}
    for name, raw in found.groupdict().items():
        if raw is not None:
            value = shown(raw).strip()
            if is_valid(types[name], value):
                captures[name] = value
    # Of several places with the first literal, the one that the regex confirmed is quoted.
    first, last = low + found.start(), low + found.end()
    inside = text.find(variant.literals[0], first, last)
    if first <= end and start <= last:
        first, last = min(first, start), max(last, end)
    place = start if inside < 0 else inside
    return Match(place, captures, weight, variant.number, (first, last))
