"""Rules as the scan uses them: plain frozen data, read from the compiled index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import regex
from msgspec import Struct, json

from ascend_doctor.knowledge.explain import STEPS, VERDICTS
from ascend_doctor.knowledge.texts import fill
from ascend_doctor.records import LANGS, Confidence, Lang, Role, Severity


class Variant(Struct, frozen=True, dict=True):
    """One wording: literals in order, the longest of them being the anchor to scan for.

    ``number`` says which variant of the rule file it was compiled from.
    """

    literals: tuple[bytes, ...]
    pattern: str | None
    number: int = 0

    @cached_property
    def anchor(self) -> bytes:
        """The literal that the scan looks for."""
        return max(self.literals, key=len)

    @cached_property
    def compiled(self) -> regex.Pattern[bytes] | None:
        """The confirming regex, compiled when it is first needed."""
        return None if self.pattern is None else regex.compile(self.pattern.encode())


class Explains(Struct, frozen=True):
    """A follow-up that a rule brings about, where, and how many seconds later at most."""

    what: str
    scope: str
    within_s: int | None


# What of a rule file a rule says.
TEXTS = ("title", "cause", "checks", "fixes")


class Texts(Struct, frozen=True):
    """What a rule says in one language; captures stand in braces until ``filled``."""

    title: str
    cause: str
    checks: tuple[str, ...]
    fixes: tuple[str, ...]

    def filled(self, captures: Mapping[str, str]) -> Texts:
        """Return the texts with ``captures`` put in."""
        return Texts(
            fill(self.title, captures),
            fill(self.cause, captures),
            _steps(self.checks, captures),
            _steps(self.fixes, captures),
        )


def _steps(steps: tuple[str, ...], captures: Mapping[str, str]) -> tuple[str, ...]:
    """Fill in steps; one that is all an optional clause may have nothing to say."""
    filled = (fill(step, captures) for step in steps)
    return tuple(step for step in filled if step.strip())


class Rule(Struct, frozen=True, dict=True):
    """One failure signature."""

    id: str
    family: str
    role: Role
    severity: Severity
    confidence: Confidence
    status: str
    provenance: tuple[str, ...]
    levels: str
    modules: frozenset[str]
    match: tuple[Variant, ...]
    captures: Mapping[str, str]
    from_followed: frozenset[str]
    from_environment: frozenset[str]
    reader: str | None
    explainer: str | None
    verdicts: tuple[str, ...]
    outvoted_by: str | None
    fallback: bool
    quiet: bool
    requires_record: tuple[tuple[bytes, ...], ...]
    requires_process: tuple[tuple[bytes, ...], ...]
    excludes_record: tuple[bytes, ...]
    excludes_process: tuple[bytes, ...]
    requires_environment: Mapping[str, tuple[str, ...]]
    excludes_environment: Mapping[str, tuple[str, ...]]
    explains: tuple[Explains, ...]
    told: bytes
    remedies: tuple[tuple[str, Mapping[str, str]], ...]

    @cached_property
    def texts(self) -> Mapping[Lang, Texts]:
        """What it says, read from ``told``, its JSON, when it is first asked for."""
        said = json.decode(self.told)
        return {lang: _texts(said, lang) for lang in LANGS}

    @property
    def is_measure(self) -> bool:
        """Whether it tells of every step line, and so decides nothing by itself."""
        return self.explainer == STEPS and {*self.verdicts} == VERDICTS[STEPS]

    def unfilled(self, lang: Lang) -> Texts:
        """Return the texts with the names of captures where a log would fill in its values."""
        return self.texts[lang].filled({name: f"<{name}>" for name in self.captures})


def from_index(item: Mapping[str, Any]) -> Rule:
    """Build a rule from its entry in the compiled index."""
    when = item.get("when") or {}
    return Rule(
        id=item["id"],
        family=item["family"],
        role=item["role"],
        severity=Severity[item["severity"].upper()],
        confidence=item["confidence"],
        status=item["status"],
        provenance=tuple(item["provenance"]),
        levels=item["levels"],
        modules=frozenset(item["modules"]),
        match=tuple(
            Variant(_encoded(wording), variant["regex"], number)
            for number, variant in enumerate(item["match"])
            for wording in variant["wordings"]
        ),
        captures=item["captures"],
        from_followed=frozenset(item["from_followed"]),
        from_environment=frozenset(item["from_environment"]),
        reader=item["reader"],
        explainer=when.get("explainer"),
        verdicts=tuple(when.get("verdict", ())),
        outvoted_by=item["outvoted_by"],
        fallback=item["fallback"],
        quiet=item["quiet"],
        requires_record=_choices(item["requires"]["record"]),
        requires_process=_choices(item["requires"]["process"]),
        excludes_record=_encoded(item["excludes"]["record"]),
        excludes_process=_encoded(item["excludes"]["process"]),
        requires_environment=_environs(item["requires"]["environment"]),
        excludes_environment=_environs(item["excludes"]["environment"]),
        explains=explains_of(item),
        told=item["texts"],
        remedies=tuple((r["id"], r["params"]) for r in item["remedies"]),
    )


# The rules that tell of each verdict of each reader.
Readers = Mapping[tuple[str, str], Sequence[Rule]]


def by_reader(rules: Iterable[Rule]) -> Readers:
    """Return the rules that stand for a reader's verdict, by reader and verdict."""
    readers: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        if rule.reader is not None:
            for verdict in rule.verdicts:
                readers.setdefault((rule.reader, verdict), []).append(rule)
    return readers


def explains_of(item: Mapping[str, Any]) -> tuple[Explains, ...]:
    """Read the edges of a rule or family in the compiled index."""
    return tuple(Explains(e["what"], e["scope"], e["within_s"]) for e in item["explains"])


def _encoded(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _choices(items: list[str | list[str]]) -> tuple[tuple[bytes, ...], ...]:
    return tuple(_encoded([item] if isinstance(item, str) else item) for item in items)


def _environs(items: Mapping[str, str | list[str]]) -> Mapping[str, tuple[str, ...]]:
    return {k: (v,) if isinstance(v, str) else tuple(v) for k, v in items.items()}


def _texts(said: Mapping[str, Any], lang: Lang) -> Texts:
    return Texts(
        title=said["title"][lang],
        cause=said["cause"][lang],
        checks=tuple(said["checks"][lang]),
        fixes=tuple(said["fixes"][lang]),
    )
