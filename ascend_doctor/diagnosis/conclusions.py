"""What is found in no file alone: findings of the environment and of profiles."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.diagnosis import profiles
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.facts import Facts, Finding
from ascend_doctor.knowledge.index import Knowledge


def conclusions(facts: Facts, knowledge: Knowledge, environment: Environment) -> Iterator[Finding]:
    """Yield what rules say of all files together."""
    yield from environment.findings(knowledge)
    yield from profiles.findings(facts, knowledge)
