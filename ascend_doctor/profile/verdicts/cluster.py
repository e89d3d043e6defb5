"""Ranks beside each other: who is late, and who only waits for it.

In a collective the ranks that come early wait in communication for the one that comes last, whose
own communication is the shortest. So the rank with the most communication is the victim.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from statistics import median, median_low

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.profile.model import Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import ms, percent
from ascend_doctor.profile.verdicts.steady import is_frequent, steady
from ascend_doctor.records import Evidence

# Late ranks that are shown with a row of their own.
_PROOFS = 7
# Late ranks beside the latest that a text names.
_NAMED = 32


class _Rank(Struct, frozen=True):
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
        late = _usually_late(ranks, limits)
        others = _Others.of(_without(ranks, late)) if late else None
        for name in ("slow_rank", "uneven_ranks"):
            group = [rank for rank in late if others and others.reason(rank) == name]
            if others and group:
                yield _verdict(name, group, len(ranks), others, limits)


def _are_idle(ranks: Collection[_Rank], limits: Mapping[str, float]) -> bool:
    """Say whether all ranks are idle, in most of their steps as on average."""
    limit = limits["idle-share"]
    return all(
        rank.free >= limit * rank.step
        and median_low((step.free_us or 0.0) / step.total_us for step in rank.steps) >= limit
        for rank in ranks
    )


def _usually_late(ranks: Sequence[_Rank], limits: Mapping[str, float]) -> list[_Rank]:
    """Return the ranks that are late on average, and in most steps or again and again.

    A rank that writes a checkpoint is late once, which may be much of the mean.
    """
    late = _late(ranks, limits)
    usual = {id(rank.profile) for rank in _late([rank.usual() for rank in ranks], limits)}
    if all(id(rank.profile) in usual for rank in late):
        return late
    beside: dict[str, list[Step]] = defaultdict(list)
    for rank in _without(ranks, late):
        for step in rank.steps:
            beside[step.name].append(step)
    # How long the others communicate in each step so that its rank is late.
    least = {
        name: median(map(_waiting, steps))
        - limits["rank-wait-share"] * median(step.total_us for step in steps)
        for name, steps in beside.items()
    }

    def is_often_late(rank: _Rank) -> bool:
        places = [
            place
            for place, step in enumerate(rank.steps)
            if step.name in least and _waiting(step) <= least[step.name]
        ]
        return is_frequent(places, len(rank.steps))

    return [rank for rank in late if id(rank.profile) in usual or is_often_late(rank)]


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
    for count in range(min((len(ranks) + 1) // 2, len(ranks) - 1), 0, -1):
        others = _Others.of(found[count:])
        if all(others.wait_for(rank, limits) for rank in reversed(found[:count])):
            return found[:count]
    return []


def _without(ranks: Sequence[_Rank], late: Collection[_Rank]) -> list[_Rank]:
    told = {id(rank) for rank in late}
    return [rank for rank in ranks if id(rank) not in told]


class _Others(Struct, frozen=True):
    """What the ranks beside late ones usually spend on a step, in µs."""

    computing: float
    communication: float
    free: float
    step: float
    longest: _Rank

    @classmethod
    def of(cls, ranks: Sequence[_Rank]) -> _Others:
        """Return the medians of some ranks, and the one that communicates longest."""
        return cls(
            median(rank.computing for rank in ranks),
            median(rank.communication for rank in ranks),
            median(rank.free for rank in ranks),
            median(rank.step for rank in ranks),
            max(ranks, key=lambda rank: rank.communication),
        )

    def waits(self, late: _Rank) -> float:
        """Return how long they wait for a rank in each step, in µs."""
        return self.communication - late.communication

    def wait_for(self, rank: _Rank, limits: Mapping[str, float]) -> bool:
        """Say whether they wait for a rank, and it idles or computes so much longer."""
        waits = self.waits(rank)
        more = max(rank.computing - self.computing, rank.free - self.free)
        is_long = waits >= limits["rank-wait-share"] * self.step
        return is_long and more >= limits["accounted-share"] * waits

    def reason(self, rank: _Rank) -> str:
        """Return the verdict on a late rank."""
        idles = rank.free - self.free >= rank.computing - self.computing
        return "slow_rank" if idles else "uneven_ranks"


def _verdict(
    name: str, late: Sequence[_Rank], count: int, others: _Others, limits: Mapping[str, float]
) -> Verdict:
    """Tell of ranks, of ``count`` in all, that are late for one reason, the latest first."""
    first, longest = late[0], others.longest
    captures = {
        "rank": str(first.profile.rank),
        "ranks": str(count),
        "waits": ms(others.waits(first)),
        "share": percent(others.waits(first) / others.step),
        "longest_rank": str(longest.profile.rank),
        "longest": ms(longest.communication),
        "own": ms(first.communication),
        "limit": percent(limits["rank-wait-share"]),
    }
    if len(late) > 1:
        captures["late"] = _numbers(late[1:])
    if name == "slow_rank":
        field = "free_us"
        captures |= {"idle": ms(first.free), "usual": ms(others.free)}
    else:
        field = "computing_us"
        captures |= {"computing": ms(first.computing), "usual": ms(others.computing)}
    told = (*(rank.proof(field) for rank in late[:_PROOFS]), longest.proof("communication_us"))
    return Verdict(name, first.profile, captures, told, len(first.steps))


def _numbers(ranks: Sequence[_Rank]) -> str:
    told = [str(number) for number in sorted(rank.profile.rank or 0 for rank in ranks)]
    return ", ".join(told if len(told) <= _NAMED else [*told[:_NAMED], "…"])


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
