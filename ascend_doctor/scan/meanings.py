"""Everything that a scan looks for, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.facts import LEVELS
from ascend_doctor.knowledge.explain import STEPS
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.scan import cards, curves, environment
from ascend_doctor.scan.literals import Literal, Literals
from ascend_doctor.view.printed import MARKS

# Where an error may stand that no rule knows.
ALARMS = (
    *(b"ERROR", b"Error", b"CRITICAL", b"FATAL", b"Traceback (most", b"Exception", b"[F "),
    b"TraceBack (most",  # an error block, which need not name an error otherwise
)
# The letter and the month of glog's errors, where a line or what a prefix was put before begins.
_HEADS = tuple(before + head for before in (b"\n", b" ") for head in (b"E0", b"E1", b"F0", b"F1"))
# How loggers of JSON lines name the levels of errors, beyond the alarms.
_QUOTED_LEVELS = (b'"error"', b'"fatal"', b'"critical"')


class Meaning(Struct, dict=True):
    """Why a literal is looked for.

    Attributes:
        rules: the rules whose anchor it is.
        sign: itself, if rules ask whether it stands anywhere in a process.
        steps: itself, if it stands in step lines only, which are weighed against each other.
        is_alarm: an error may stand there that no rule knows.
        is_head: an error begins with it, if the line does.
        is_level: it names the level of a JSON line.
    """

    rules: list[Rule] = field(default_factory=list)
    sign: bytes | None = None
    steps: bytes | None = None
    is_alarm: bool = False
    is_head: bool = False
    is_level: bool = False

    @cached_property
    def is_for_errors(self) -> bool:
        """Whether nothing comes of it in what CANN logs as a mere remark."""
        return self.sign is None and all(rule.levels == "error" for rule in self.rules)


class Aside(Struct, frozen=True):
    """Why a literal is looked for that is about no record; one of these is set.

    Attributes:
        name: what of the environment may be told there.
        level: the level that occurs in the log.
        metric: a word of a line that may tell a loss.
        is_mark: a line with it may show other words than its bytes.
        is_card: npu-smi printed it.
    """

    name: str = ""
    level: str = ""
    metric: bytes = b""
    is_mark: bool = False
    is_card: bool = False


class Vocabulary:
    """All literals under one state of the rules, in one automaton.

    ``meanings`` and ``asides`` are known by the number of a literal: that of an aside follows
    those of the meanings.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        known = _meanings(rules)
        self.meanings = [*known.values()]
        texts = [*known]
        told = [*_asides()]
        self.asides = [aside for _, aside in told]
        self.literals = Literals([*map(Literal, texts), *(literal for literal, _ in told)])
        self.texts = texts
        self.all_texts = [*texts, *(literal.text for literal, _ in told)]

    def without(self, rule: str) -> list[Meaning]:
        """Return the meanings as they are without one rule."""
        return [
            replace(meaning, rules=[item for item in meaning.rules if item.id != rule])
            for meaning in self.meanings
        ]


def _meanings(rules: Iterable[Rule]) -> dict[bytes, Meaning]:
    meanings: dict[bytes, Meaning] = {}
    for alarm in ALARMS:
        meanings[alarm] = Meaning(is_alarm=True)
    for head in _HEADS:
        meanings[head] = Meaning(is_head=True)
    for level in _QUOTED_LEVELS:
        meanings[level] = Meaning(is_level=True)
    for rule in rules:
        for variant in rule.match:
            meaning = meanings.setdefault(variant.anchor, Meaning())
            if not meaning.rules or meaning.rules[-1] is not rule:
                meaning.rules.append(rule)
        for literal in (*chain(*rule.requires_process), *rule.excludes_process):
            meanings.setdefault(literal, Meaning()).sign = literal
    for literal, meaning in meanings.items():
        if meaning.rules and all(rule.explainer == STEPS for rule in meaning.rules):
            meaning.steps = None if meaning.sign or meaning.is_alarm else literal
    return meanings


def _asides() -> Iterator[tuple[Literal, Aside]]:
    for level in LEVELS:
        yield Literal(f"[{level}]".encode(), once=True), Aside(level=level)
    for mark in MARKS:
        yield Literal(mark, once=True), Aside(is_mark=True)
    for sign in curves.SIGNS:
        yield Literal(sign, once=True), Aside(metric=sign)
    for sign in cards.SIGNS:
        yield Literal(sign, once=True), Aside(is_card=True)
    for word, any_case, name in environment.words():
        yield Literal(word, any_case), Aside(name=name)
