"""Ranks beside each other: who is late, and who only waits for it.

In a collective the ranks that come early wait in communication for the one that comes last, whose
own communication is the shortest. So the rank with the most communication is the victim.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from statistics import median, median_low

from ascend_doctor.profile.model import Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import ms, percent
from ascend_doctor.profile.verdicts.steady import is_frequent, steady
from ascend_doctor.records import Evidence

# Late ranks that are shown with a row of their own.
_PROOFS = 7


@dataclass(frozen=True, slots=True)
class _Rank:
    """What a rank spends on average on each step, in µs."""

    profile: Profile
    steps: tuple[Step, ...]
    computing: float
    communication: float
    free: float
    step: float

    def usual(self) -> _Rank:
        """Return the same of the step in the middle, of two that are the lower one."""
        return replace(
            self,
            computing=median_low(step.computing_us or 0.0 for step in self.steps),
            communication=median_low(map(_waiting, self.steps)),
            free=median_low(step.free_us or 0.0 for step in self.steps),
            step=median_low(step.total_us for step in self.steps),
        )

    def proof(self, name: str) -> Evidence:
        """Return the row of the step with most of something, as one of this rank."""
        found = max(self.steps, key=lambda step: float(getattr(step, name))).proof
        return replace(found, origin=replace(found.origin, rank=self.profile.rank))


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the late ranks of each job, or that all of its ranks wait for their hosts."""
    for ranks in _jobs(profiles, limits):
        if _are_idle(ranks, limits):
            # A single step may be the warm-up of all.
            if any(len(rank.steps) > 1 or not rank.steps[0].name for rank in ranks):
                yield _all_idle(ranks, limits)
            continue
        late = [rank for rank in _late(ranks, limits) if _is_usual(rank, ranks, limits)]
        for name in ("slow_rank", "uneven_ranks"):
            group = [rank for rank in late if _reason(rank, _others(ranks, late)) == name]
            if group:
                yield _verdict(name, group, ranks, _others(ranks, late), limits)


def _are_idle(ranks: Collection[_Rank], limits: Mapping[str, float]) -> bool:
    """Say whether all ranks are idle, in most of their steps as on average."""
    limit = limits["idle-share"]
    return all(
        rank.free >= limit * rank.step
        and median_low((step.free_us or 0.0) / step.total_us for step in rank.steps) >= limit
        for rank in ranks
    )


def _is_usual(late: _Rank, ranks: Sequence[_Rank], limits: Mapping[str, float]) -> bool:
    """Say whether a rank is late in most steps, or again and again.

    A rank that writes a checkpoint is late once, which may be much of the mean.
    """
    usual = _late([rank.usual() for rank in ranks], limits)
    if any(rank.profile is late.profile for rank in usual):
        return True
    beside: dict[str, list[Step]] = defaultdict(list)
    for rank in ranks:
        for step in rank.steps if rank is not late else ():
            beside[step.name].append(step)
    places = [
        place
        for place, step in enumerate(late.steps)
        if _comes_last(step, beside.get(step.name, ()), limits)
    ]
    return is_frequent(places, len(late.steps))


def _comes_last(step: Step, others: Sequence[Step], limits: Mapping[str, float]) -> bool:
    """Say whether other ranks wait in this step for the one whose step it is."""
    if not others:
        return False
    waits = median(map(_waiting, others)) - _waiting(step)
    return waits >= limits["rank-wait-share"] * median(other.total_us for other in others)


def _jobs(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[list[_Rank]]:
    """Yield the ranks of each job that can be compared.

    A table of a cluster has all ranks in one folder; else each has its own in a common one, or one
    of each in archives and folders of nodes. Where a rank is there twice, several jobs are.
    """
    jobs: dict[tuple[int, str], list[_Rank]] = defaultdict(list)
    for profile in profiles:
        rank = None if profile.rank is None else _rank(profile, limits)
        if rank is not None:
            jobs[0, profile.key].append(rank)
            jobs[1, str(PurePosixPath(profile.key).parent)].append(rank)
            jobs[2, ""].append(rank)
    told: set[int] = set()
    for _, job in sorted(jobs.items()):
        ranks = [rank for rank in job if id(rank) not in told]
        if len(ranks) >= 2 and len({rank.profile.rank for rank in ranks}) == len(ranks):
            told |= {id(rank) for rank in ranks}
            yield sorted(ranks, key=lambda rank: rank.profile.rank or 0)


def _rank(profile: Profile, limits: Mapping[str, float]) -> _Rank | None:
    steps = [
        step
        for step in steady(profile, limits).steps
        if None not in (step.computing_us, step.communication_us, step.free_us)
    ]
    if not steps:
        return None

    def mean(name: str) -> float:
        return sum(float(getattr(step, name)) for step in steps) / len(steps)

    return _Rank(
        profile,
        tuple(steps),
        mean("computing_us"),
        sum(map(_waiting, steps)) / len(steps),
        mean("free_us"),
        mean("total_us"),
    )


def _waiting(step: Step) -> float:
    """Return how long a step communicated, without its waiting for another pipeline stage."""
    return max(0.0, (step.communication_us or 0.0) - max(0.0, step.bubble_us or 0.0))


def _late(ranks: Sequence[_Rank], limits: Mapping[str, float]) -> list[_Rank]:
    """Return the ranks that the others wait for, if it is plain what keeps each of them.

    They are half of the ranks at most, and the later come first.
    """
    found = sorted(ranks, key=lambda rank: rank.communication)
    for count in range((len(ranks) + 1) // 2, 0, -1):
        late, others = found[:count], found[count:]
        if others and all(_is_late(rank, others, limits) for rank in late):
            return late
    return []


def _is_late(rank: _Rank, others: Sequence[_Rank], limits: Mapping[str, float]) -> bool:
    waits = _waited(rank, others)
    return waits >= limits["rank-wait-share"] * median(other.step for other in others) and (
        max(_computes(rank, others), _idles(rank, others)) >= limits["accounted-share"] * waits
    )


def _waited(rank: _Rank, others: Sequence[_Rank]) -> float:
    """Return how long others wait for a rank, in µs a step."""
    return median(other.communication for other in others) - rank.communication


def _computes(rank: _Rank, others: Sequence[_Rank]) -> float:
    return rank.computing - median(other.computing for other in others)


def _idles(rank: _Rank, others: Sequence[_Rank]) -> float:
    return rank.free - median(other.free for other in others)


def _reason(rank: _Rank, others: Sequence[_Rank]) -> str:
    return "slow_rank" if _idles(rank, others) >= _computes(rank, others) else "uneven_ranks"


def _others(ranks: Sequence[_Rank], late: Collection[_Rank]) -> list[_Rank]:
    told = {id(rank) for rank in late}
    return [rank for rank in ranks if id(rank) not in told]


def _verdict(
    name: str,
    late: Sequence[_Rank],
    ranks: Sequence[_Rank],
    others: Sequence[_Rank],
    limits: Mapping[str, float],
) -> Verdict:
    """Tell of ranks that are late for one reason, the latest first."""
    first = late[0]
    waits = _waited(first, others)
    longest = max(others, key=lambda rank: rank.communication)
    captures = {
        "rank": str(first.profile.rank),
        "ranks": str(len(ranks)),
        "waits": ms(waits),
        "share": percent(waits / median(rank.step for rank in others)),
        "longest_rank": str(longest.profile.rank),
        "longest": ms(longest.communication),
        "own": ms(first.communication),
        "limit": percent(limits["rank-wait-share"]),
    }
    if len(late) > 1:
        captures["late"] = ", ".join(str(n) for n in sorted(r.profile.rank or 0 for r in late[1:]))
    if name == "slow_rank":
        field = "free_us"
        captures |= {"idle": ms(first.free), "usual": ms(first.free - _idles(first, others))}
    else:
        field = "computing_us"
        usual = first.computing - _computes(first, others)
        captures |= {"computing": ms(first.computing), "usual": ms(usual)}
    proofs = (
        *(rank.proof(field) for rank in late[:_PROOFS]),
        longest.proof("communication_us"),
    )
    return Verdict(name, first.profile, captures, proofs, len(first.steps))


def _all_idle(ranks: Collection[_Rank], limits: Mapping[str, float]) -> Verdict:
    """Tell that the host keeps every rank waiting."""
    worst = max(ranks, key=lambda rank: rank.free / rank.step)
    least = min(ranks, key=lambda rank: rank.free / rank.step)
    captures = {
        "rank": str(worst.profile.rank),
        "ranks": str(len(ranks)),
        "share": percent(worst.free / worst.step),
        "least": percent(least.free / least.step),
        "least_rank": str(least.profile.rank),
        "idle": ms(worst.free),
        "step": ms(worst.step),
        "limit": percent(limits["idle-share"]),
    }
    proofs = tuple(rank.proof("free_us") for rank in (worst, least))
    return Verdict("all_idle", worst.profile, captures, proofs, len(ranks))
