"""What the profiles among the facts say, as findings of the rules that tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ascend_doctor.diagnosis.beside import beside_logs
from ascend_doctor.facts import Facts, Finding, Process
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import by_reader
from ascend_doctor.records import Evidence, Sighting

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Profile, Verdict


class Profiles:
    """The profiles that all files together tell of.

    Attributes:
        inside: those of ranks that are looked at.
        left_out: how many rows are outside of that, as other files in their folder say; by
            themselves they do not say of which rank they are.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        inside: list[Profile] = []
        outside: list[Profile] = []
        for profile in _assembled(facts):
            is_inside = profile.rank is None or facts.scope.has_rank(profile.rank)
            (inside if is_inside else outside).append(profile)
        self.inside = tuple(inside)
        told = (part for profile in outside for part in profile.measures if part.rank is None)
        self.left_out = sum(max(1, len(part.steps)) for part in told)

    def findings(self, knowledge: Knowledge) -> Iterator[Finding]:
        """Yield what rules say of the conclusions drawn from profiles."""
        if not self.inside:
            return
        from ascend_doctor.profile.verdicts import judge

        readers = by_reader(knowledge.rules.values())
        verdicts = judge(self.inside, knowledge.limits)
        for verdict in beside_logs(verdicts, self._facts, knowledge):
            process = _process(verdict)
            proofs = tuple(_of_rank(proof, verdict.profile.rank) for proof in verdict.proofs)
            times = sorted(proof.time for proof in verdict.proofs if proof.time is not None)
            first, last = (times[0], times[-1]) if times else (None, None)
            for rule in readers.get(("profile", verdict.name), ()):
                kept = {k: v for k, v in verdict.captures.items() if k in rule.captures}
                sighting = Sighting(proofs, kept, location=verdict.location, share=verdict.share)
                yield Finding(rule.id, process, verdict.count, (sighting,), first, last)


def _assembled(facts: Facts) -> tuple[Profile, ...]:
    measures = [item for path in sorted(facts.shards) for item in facts.shards[path].measures]
    if not measures:
        return ()
    # Most jobs have no profile, and need not wait for what reads them.
    from ascend_doctor.profile.assemble import assemble

    return assemble(measures)


def _process(verdict: Verdict) -> Process:
    """Return whose verdict it is: of lines, the process that wrote the deciding one."""
    origin, rank = verdict.proofs[0].origin, verdict.profile.rank
    if origin.pid is not None:
        return Process(origin.node or "", origin.pid)
    return Process(origin.node or "", -1, -1 if rank is None else rank, verdict.profile.key)


def _of_rank(proof: Evidence, rank: int | None) -> Evidence:
    """Return a proof with the rank of its profile, if the file itself names none."""
    if rank is None or proof.origin.rank is not None:
        return proof
    return replace(proof, origin=replace(proof.origin, rank=rank))
