"""What was active in which process and when, for drawing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from ascend_doctor.diagnosis.chains import Chain, moment
from ascend_doctor.diagnosis.claims import Claim
from ascend_doctor.facts import Process
from ascend_doctor.records import Origin
from ascend_doctor.report import Activity, Timeline

# Activities that a report carries.
MAX_ACTIVITIES = 2048

# A process id of a node.
_Pid = tuple[str | None, int | None]


def timeline(groups: Sequence[Sequence[Chain]]) -> Timeline:
    """Return the activities behind diagnoses, given as the chains of each in its position.

    Where there are too many, each process keeps its earliest ones.
    """
    found = [
        (position, claim)
        for position, group in enumerate(groups, start=1)
        for chain in group
        for claim in (chain.claim, *chain.followed)
    ]
    found.sort(key=lambda item: moment(item[1]))
    kept = _first_of_each([claim.process for _, claim in found])
    ranks = _ranks(claim for _, claim in found)
    activities = (
        Activity(
            position=position,
            rule=claim.rule,
            role=claim.role,
            severity=claim.severity,
            origin=_with_rank(claim.first.evidence[0].origin, ranks),
            source=claim.first.evidence[0].path,
            count=claim.count,
            first_seen=claim.first_time,
            last_seen=claim.last_time,
        )
        for position, claim in (found[number] for number in kept)
    )
    return Timeline(tuple(activities), left_out=len(found) - len(kept))


def _first_of_each(processes: Sequence[Process]) -> list[int]:
    """Return which places of a sequence are kept: by turns the next one of each process."""
    told: Counter[Process] = Counter()
    turns = []
    for number, process in enumerate(processes):
        turns.append((told[process], number))
        told[process] += 1
    return sorted(number for _, number in sorted(turns)[:MAX_ACTIVITIES])


def _ranks(claims: Iterable[Claim]) -> Mapping[_Pid, set[int]]:
    """Return which ranks lines of each process id name."""
    ranks: dict[_Pid, set[int]] = defaultdict(set)
    for claim in claims:
        for sighting in claim.sightings:
            for proof in sighting.evidence:
                if proof.origin.rank is not None:
                    ranks[proof.origin.node, proof.origin.pid].add(proof.origin.rank)
    return ranks


def _with_rank(origin: Origin, ranks: Mapping[_Pid, set[int]]) -> Origin:
    """Complete an origin by what other lines of its process say."""
    told = ranks.get((origin.node, origin.pid), set())
    if origin.rank is not None or origin.pid is None or len(told) != 1:
        return origin
    return replace(origin, rank=next(iter(told)))
