"""What the profiles among the facts say, as findings of the rules that tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ascend_doctor.facts import Facts, Finding, Process
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import by_reader
from ascend_doctor.records import Sighting

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Profile


def profiles_of(facts: Facts) -> tuple[Profile, ...]:
    """Return the profiles that all files together tell of."""
    measures = [item for path in sorted(facts.shards) for item in facts.shards[path].measures]
    if not measures:
        return ()
    # Most jobs have no profile, and need not wait for what reads them.
    from ascend_doctor.profile.assemble import assemble

    return assemble(measures)


def findings(facts: Facts, knowledge: Knowledge) -> Iterator[Finding]:
    """Yield what rules say of the conclusions drawn from profiles."""
    profiles = profiles_of(facts)
    if not profiles:
        return
    from ascend_doctor.profile.verdicts import judge

    readers = by_reader(knowledge.rules.values())
    for verdict in judge(profiles, knowledge.limits):
        profile = verdict.profile
        rank = -1 if profile.rank is None else profile.rank
        process = Process(rank=rank, source=profile.key)
        for rule in readers.get(("profile", verdict.name), ()):
            kept = {k: v for k, v in verdict.captures.items() if k in rule.captures}
            sighting = Sighting(verdict.proofs, kept)
            yield Finding(rule.id, process, verdict.count, (sighting,), None, None)
