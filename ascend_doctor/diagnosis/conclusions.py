"""What is found in no line alone: findings of the environment, of machines and of profiles."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.diagnosis import machines
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.diagnosis.profiles import Profiles
from ascend_doctor.facts import Facts, Finding
from ascend_doctor.knowledge.index import Knowledge


def conclusions(
    facts: Facts, knowledge: Knowledge, environment: Environment, profiles: Profiles
) -> Iterator[Finding]:
    """Yield what rules say of all files together."""
    yield from machines.findings(facts, knowledge)
    # A machine that was looked at itself says more of pairs than what logs happen to print.
    is_looked_at = any(m.package("torch_npu") for _, m in machines.machines_of(facts))
    yield from environment.findings(knowledge, pairs=not is_looked_at)
    yield from profiles.findings(knowledge)
