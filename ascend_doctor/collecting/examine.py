"""A machine → the report on it, by the rules that logs are judged by as well."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from ascend_doctor.collecting.opening import opened
from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.facts import Facts
from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.machine.gather.machine import Sources, gather, here
from ascend_doctor.machine.model import HERE, Machine
from ascend_doctor.report import Report
from ascend_doctor.scan.machines import shard_of


def examine(
    source: Path | None = None,
    *,
    rules: Path | None = None,
    python: str | None = None,
    sources: Sources | None = None,
) -> Report:
    """Judge what is installed on a machine.

    Args:
        source: another machine's files: its root, a collection, or a result of ``env``; None for
            this machine.
        rules: a folder of further rules.
        python: the interpreter that jobs of this machine run with; None for the active one.
        sources: where to look in place of this machine.

    Raises:
        InputError: there is no such file, it tells of no machine, or ``python`` is no interpreter.
        ResultError: a collection or result is damaged.
        RuleError: a rule file is wrong.
    """
    knowledge = index.load(rules)
    if source is None:
        machine = gather(sources or here(python), variables_of(knowledge))
    else:
        machine = opened(source, variables_of(knowledge))
    return report_of(machine, knowledge)


def report_of(machine: Machine, knowledge: Knowledge) -> Report:
    """Return the report on a machine."""
    facts = Facts(knowledge.digest, {HERE: shard_of(machine)})
    return replace(diagnose(facts, knowledge), machine=machine)


def variables_of(knowledge: Knowledge) -> frozenset[str]:
    """Return the variables whose values may be told: those that the glossary explains."""
    return frozenset(knowledge.pages.get("variables", {}))
