"""Try rules on their own examples, through the same way that a log goes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ascend_doctor import resources
from ascend_doctor.authoring.new import UNWRITTEN
from ascend_doctor.diagnosis.conclusions import conclusions
from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.diagnosis.profiles import Profiles
from ascend_doctor.facts import Facts
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.knowledge.index import Knowledge, load
from ascend_doctor.knowledge.load import load_rule, rule_files
from ascend_doctor.knowledge.schema import RuleFile
from ascend_doctor.knowledge.texts import code_spans
from ascend_doctor.records import LANGS
from ascend_doctor.report import Diagnosis, Report
from ascend_doctor.scan.scanner import Scanner

# Where a file of an example begins that has several.
_FILE = re.compile(r"^==> (\S+) <==\n", re.MULTILINE)


class Checker:
    """Runs examples against all rules together, as they meet in the field."""

    def __init__(self, knowledge: Knowledge, scanner: Scanner | None = None) -> None:
        self._knowledge = knowledge
        self._scanner = scanner or Scanner(knowledge)
        self._answers: dict[str, tuple[Facts, Report]] = {}

    def failures(self, path: Path) -> Iterator[str]:
        """Yield one line for each thing about a rule file that does not come out as it says.

        Each example must match, each wording must have one, both languages must name the same
        commands, and without the rule some answer must be another.
        """
        rule = load_rule(path)
        self._answers.clear()
        yield from (f"{path}: {rule.id}: {what}" for what in _unequal_commands(rule))
        if any(text.startswith(UNWRITTEN) for lang in LANGS for text in rule.texts(lang)):
            yield f"{path}: {rule.id}: has texts that are still to be written"
        yield from self._matches(path, rule)
        for number, text in enumerate(rule.examples.near):
            if rule.id in _told(self._answer(text)[1]):
                yield f"{path}: {rule.id}: examples.near.{number}: matches, and should not"
        if not self._does_something(rule):
            yield f"{path}: {rule.id}: without this rule, every example is answered the same"

    def _matches(self, path: Path, rule: RuleFile) -> Iterator[str]:
        reached: set[int] = set()
        for number, example in enumerate(rule.examples.match):
            where = f"{path}: {rule.id}: examples.match.{number}"
            facts, report = self._answer(example.log)
            fired = {f.rule: f for shard in facts.shards.values() for f in shard.findings}
            environment = Environment(facts, self._knowledge.versions)
            found = conclusions(facts, self._knowledge, environment, Profiles(facts))
            fired |= {f.rule: f for f in found}
            if rule.id not in fired:
                others = ", ".join(sorted(fired)) or "no rule"
                yield f"{where}: does not match ({others} did)"
                continue
            reached |= {sighting.variant for sighting in fired[rule.id].sightings}
            sighting = fired[rule.id].sightings[0]
            first = report.diagnoses[0] if report.diagnoses else None
            # A headline is completed by what was folded into it; others show their own.
            captures = sighting.captures
            if first is not None and first.rule == rule.id:
                captures = first.captures
            if dict(captures) != example.captures:
                yield f"{where}: captures {dict(captures)}, not {example.captures}"
            if lacking := rule.needed() - captures.keys():
                name = min(lacking)
                yield f"{where}: does not capture {name}; write {{{name}|what to say instead}}"
            line = sighting.evidence[0].line
            if example.line is not None and line != example.line:
                yield f"{where}: quotes line {line}, not {example.line}"
            if rule.role == "cause" and (wrong := _wrong_headline(rule, first)):
                yield f"{where}: {wrong}"
        for number in sorted({*range(len(rule.match))} - reached):
            yield f"{path}: {rule.id}: match.{number}: no example is worded like this"

    def _does_something(self, rule: RuleFile) -> bool:
        texts = [*(example.log for example in rule.examples.match), *rule.examples.near]
        if any(rule.id in _told(self._answer(text)[1]) for text in texts):
            return True
        # It may still keep others from saying something. To look at all rules anew for each one
        # would be quadratic, but few of them never say anything themselves.
        other = Checker(self._knowledge.without(rule.id), self._scanner.without(rule.id))
        return any(self._answer(text)[1] != other._answer(text)[1] for text in texts)

    def _answer(self, text: str) -> tuple[Facts, Report]:
        answer = self._answers.get(text)
        if answer is None:
            sources = (
                Source(name, partial(io.BytesIO, body.encode())) for name, body in files_in(text)
            )
            results = [self._scanner.scan(source) for source in sources]
            shards = {item.path: item for item in results if not isinstance(item, Skipped)}
            facts = Facts(self._knowledge.digest, shards)
            answer = self._answers[text] = facts, diagnose(facts, self._knowledge)
        return answer


def files_in(example: str) -> Iterator[tuple[str, str]]:
    r"""Yield name and text of each file of an example, as ``tail`` prints several.

    >>> [*files_in("==> a.csv <==\n1,2\n==> b.csv <==\n3\n")]
    [('a.csv', '1,2\n'), ('b.csv', '3\n')]
    >>> [*files_in("one\n")]
    [('example.log', 'one\n')]
    """
    first, *rest = _FILE.split(example)
    if not rest or first.strip():
        yield "example.log", example
        return
    yield from zip(rest[::2], rest[1::2], strict=True)


def _told(report: Report) -> set[str]:
    """Return the ids of the rules that a report names."""
    told = {diagnosis.rule for diagnosis in report.diagnoses}
    return told | {item.rule for d in report.diagnoses for item in d.consequences}


def _unequal_commands(rule: RuleFile) -> Iterator[str]:
    """Yield where the two languages do not name the same commands."""
    for number, (en, zh) in enumerate(zip(rule.texts("en"), rule.texts("zh"), strict=True)):
        one, other = ({*map(_bare, code_spans(text))} for text in (en, zh))
        if one != other:
            odd = ", ".join(sorted(one ^ other))
            yield f"text {number}: only one language has {odd}"


def _bare(command: str) -> str:
    # What a person has to put in, such as <path of the file>, is said in each language.
    return re.sub("<[^<>]*>", "<>", command)


def _wrong_headline(rule: RuleFile, first: Diagnosis | None) -> str | None:
    """Say what is told first instead of ``rule``, if that is of another family."""
    if first is None:
        return "is not diagnosed: a condition of the rule does not hold"
    if first.rule != rule.id and first.family != rule.family:
        return f"{first.rule} is told first"
    return None


def check(extra: Path | None = None, select: str = "") -> tuple[int, list[str]]:
    """Return how many rules were tried and the lines that tell what is wrong.

    Tried are the rules of ``extra``, or the built-in ones, whose id contains ``select``; all
    take part in every trial.

    Raises:
        RuleError: a rule file is wrong.
    """
    folder = resources.patterns() if extra is None else extra
    paths = [path for path in rule_files(folder) if select in path.stem]
    if not paths:
        return 0, []
    checker = Checker(load(extra))
    return len(paths), [line for path in paths for line in checker.failures(path)]
