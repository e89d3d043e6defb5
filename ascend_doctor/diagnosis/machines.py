"""What is wrong with the machines among the facts, as findings of the rules that tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ascend_doctor.facts import Facts, Finding, Process
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import by_reader
from ascend_doctor.knowledge.texts import is_valid
from ascend_doctor.records import Sighting

if TYPE_CHECKING:
    from ascend_doctor.machine.model import Machine


def machines_of(facts: Facts) -> Iterator[tuple[str, Machine]]:
    """Yield the machines that were looked at, each with the file that tells of it."""
    for path in sorted(facts.shards):
        machine = facts.shards[path].machine
        if machine is not None:
            yield path, machine


def findings(facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """Yield what rules say of machines. What is wrong in several respects is several findings."""
    machines = [*machines_of(facts)]
    # Alone, a machine without anything of Ascend is not one that a job ran on.
    is_alone = len(machines) == len(facts.shards)
    if is_alone and not any(machine.has_ascend for _, machine in machines):
        return
    # Few jobs come with their machine, and the others need not wait for what judges it.
    from ascend_doctor.machine.checks import judge
    from ascend_doctor.machine.checks.verdict import known_of
    from ascend_doctor.scan.machines import evidence

    readers, known = by_reader(knowledge.rules.values()), known_of(knowledge)
    for path, machine in machines:
        for verdict in judge(machine, known):
            process = Process(source=f"{path}!{verdict.name}")
            for rule in readers.get(("environment", verdict.name), ()):
                kept = {
                    name: value
                    for name, value in verdict.captures.items()
                    if name in rule.captures and is_valid(rule.captures[name], value)
                }
                proofs = tuple(evidence(path, place) for place in verdict.proofs)
                yield Finding(rule.id, process, 1, (Sighting(proofs, kept),), None, None)


def unread(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what of the machines could not be read, and why."""
    for path, machine in machines_of(facts):
        from ascend_doctor.scan.machines import shown

        for name, reason in machine.unread:
            yield shown(path, name), reason
