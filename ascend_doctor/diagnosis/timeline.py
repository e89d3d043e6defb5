"""What was active in which process and when, for drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ascend_doctor.diagnosis.chains import Chain, moment
from ascend_doctor.facts import Process
from ascend_doctor.report import Activity, Timeline

# Activities that a report carries.
MAX_ACTIVITIES = 2048


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
    if len(found) > MAX_ACTIVITIES:
        told: Counter[Process] = Counter()
        turns = []
        for number, (_, claim) in enumerate(found):
            turns.append((told[claim.process], number))
            told[claim.process] += 1
        kept = sorted(number for _, number in sorted(turns)[:MAX_ACTIVITIES])
        left_out = len(found) - len(kept)
        found = [found[number] for number in kept]
    else:
        left_out = 0
    activities = (
        Activity(
            position=position,
            rule=claim.rule,
            role=claim.role,
            severity=claim.severity,
            origin=claim.first.evidence[0].origin,
            source=claim.first.evidence[0].path,
            count=claim.count,
            first_seen=claim.first_time,
            last_seen=claim.last_time,
        )
        for position, claim in found
    )
    return Timeline(tuple(activities), left_out)
