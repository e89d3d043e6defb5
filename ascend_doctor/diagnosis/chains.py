"""Claims → chains: which of them stand for themselves, and what merely followed from each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from heapq import merge

from msgspec import Struct, field

from ascend_doctor.diagnosis.claims import Claim
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Explains
from ascend_doctor.records import ROLES, Severity

# Clocks of nodes differ; a follow-up may seem to come this much before its cause.
CLOCK_SKEW_S = 5.0
# Lines behind a stop on purpose in which what it broke off may still be told.
STOP_REACH = 400

# Chains of one rule, or in one file, that are tried as the cause of another process's claim.
MAX_TRIED = 16


class Chain(Struct):
    """A claim that nothing else accounts for, with what it accounts for."""

    claim: Claim
    followed: list[Claim] = field(default_factory=list)


def chains(processes: Iterable[list[Claim]], knowledge: Knowledge) -> list[Chain]:
    """Return what is left when follow-ups are folded, first per process, then for the job."""
    within: list[Chain] = []
    for held in processes:
        within += _within_process(held, knowledge)
    return _across_processes(within, knowledge)


def precedence(claim: Claim) -> tuple[object, ...]:
    """Sort key of root causes: what stops a job before the rest, sure before unsure, early first.

    The first error of a process outranks the loudest, so between equals only time counts.
    """
    return (
        claim.severity < Severity.WARNING,
        claim.severity < Severity.ERROR,
        ROLES.index(claim.role),
        claim.confidence == "low",
        *moment(claim),
    )


def standing(chain: Chain) -> tuple[object, ...]:
    """Sort key of what is told: by precedence, but what a job failed of before what it did not.

    A fault of a machine that accounts for nothing in the logs may be none of the job's: it comes
    behind errors of the logs.
    """
    is_remark, is_mild, *rest = precedence(chain.claim)
    is_seen = not chain.claim.is_apart or any(not claim.is_apart for claim in chain.followed)
    return is_remark, is_mild, not is_seen, *rest


def moment(claim: Claim) -> tuple[object, ...]:
    """Sort key: earliest first; of those in one record, the most specific.

    What a profile shows has no time that could be compared: what costs most is first.
    """
    return (claim.placed, -claim.first.share, claim.first.key[1:], -claim.weight, claim.rule)


def _within_process(held: list[Claim], knowledge: Knowledge) -> list[Chain]:
    ordered = _ordered(Chain(claim) for claim in held)
    everyone = range(len(ordered))
    accounts_for = partial(_accounts_for, knowledge=knowledge)
    return _folded(ordered, lambda claim: everyone, accounts_for)


def _across_processes(found: Iterable[Chain], knowledge: Knowledge) -> list[Chain]:
    """Fold chains of one process into those of another that brought them about.

    A job has thousands of processes that say the same: only chains whose rule can account
    for a claim are tried, and of each rule the earliest, as causes come first.
    """
    ordered = _ordered(found)
    by_rule: dict[str, list[int]] = defaultdict(list)
    by_path: dict[str, list[int]] = defaultdict(list)
    for number, chain in enumerate(ordered):
        path = chain.claim.first.evidence[0].path
        for kin in (by_rule[chain.claim.rule], by_path[path]):
            if len(kin) < MAX_TRIED:
                kin.append(number)

    def candidates(claim: Claim) -> Iterable[int]:
        able = (
            numbers
            for numbers in by_rule.values()
            if _may_reach(ordered[numbers[0]].claim, claim, knowledge)
        )
        return merge(*able, by_path[claim.first.evidence[0].path])

    return _folded(ordered, candidates, partial(_reaches, knowledge=knowledge))


def _ordered(found: Iterable[Chain]) -> list[Chain]:
    return sorted(found, key=lambda chain: precedence(chain.claim))


def _folded(
    ordered: Sequence[Chain],
    candidates: Callable[[Claim], Iterable[int]],
    accounts_for: Callable[[Claim, Claim], bool],
) -> list[Chain]:
    """Put every chain that another accounts for under the one at the root of it.

    ``candidates`` yields the places in ``ordered`` of all that can account for a claim.
    """
    parents: dict[int, int] = {}

    def root(number: int) -> int:
        while number in parents:
            number = parents[number]
        return number

    for number, chain in enumerate(ordered):
        for other in candidates(chain.claim):
            cause = ordered[other].claim
            # An edge that would close a ring is left out: someone has to be the root. Of two
            # that account for each other, the first does.
            if not accounts_for(cause, chain.claim) or root(other) == number:
                continue
            if other < number or not accounts_for(chain.claim, cause):
                parents[number] = other
                break
    for number, chain in enumerate(ordered):
        if number in parents:
            ordered[root(number)].followed += [chain.claim, *chain.followed]
    return [chain for number, chain in enumerate(ordered) if number not in parents]


def _accounts_for(cause: Claim, claim: Claim, knowledge: Knowledge) -> bool:
    """Say whether ``cause`` makes ``claim``, of the same process, no finding of its own."""
    if cause.role == "notice":
        return _breaks_off(cause, claim)
    if claim.role == "notice":
        return False
    if cause.is_apart or claim.is_apart:
        return _belongs_to(cause, claim)
    if cause.role == "cause" and claim.role in ("consequence", "wrapper"):
        # A mere warning brings an error about only if the two are of one kind.
        kin = cause.severity >= Severity.WARNING and cause.family == claim.family
        return kin or cause.severity >= min(Severity.ERROR, claim.severity)
    if cause.role == "cause" and _explains(cause, claim, knowledge, ("process", "rank", "job")):
        return True
    # Below here only likeness speaks; what a rule or family says of its follow-ups outranks it.
    if precedence(claim) < precedence(cause) or _explains(claim, cause, knowledge, ("process",)):
        return False
    if cause.role != "cause":
        return claim.role != "cause"
    alike = _same_record(cause, claim) or cause.family == claim.family
    return alike and cause.severity >= claim.severity


def _belongs_to(cause: Claim, claim: Claim) -> bool:
    """Say whether a fact of a machine brings about ``claim``, as its own rule says."""
    named = (fnmatchcase(claim.rule, edge.what) for edge in cause.explains if edge.scope == "job")
    return cause.is_apart and claim.rule != cause.rule and any(named)


def _breaks_off(stop: Claim, claim: Claim) -> bool:
    """Say whether a stop on purpose accounts for what is told closely behind it in its file.

    What was told before the stop is none of its doing, nor what comes much later: a file may
    hold several runs.
    """
    told = claim.first.evidence[0]
    places = [s.evidence[0] for s in stop.sightings]
    behind = (p.path == told.path and 0 <= told.line - p.line <= STOP_REACH for p in places)
    named = (fnmatchcase(claim.rule, e.what) or claim.family == e.what for e in stop.explains)
    return claim.rule != stop.rule and any(named) and any(behind)


def _same_record(one: Claim, other: Claim) -> bool:
    a, b = one.first.evidence[0], other.first.evidence[0]
    return a.path == b.path and a.order == b.order


def _explains(cause: Claim, claim: Claim, knowledge: Knowledge, scopes: Iterable[str]) -> bool:
    return any(
        edge.scope in scopes and _in_time(cause, claim, edge.within_s)
        for edge in _edges(cause, claim, knowledge)
    )


def _edges(cause: Claim, claim: Claim, knowledge: Knowledge) -> list[Explains]:
    """Return what the rule and the family of ``cause`` say of such follow-ups as ``claim``."""
    edges: list[Explains] = [*cause.explains]
    if cause.confidence != "low":
        edges += knowledge.families[cause.family].explains
    return [e for e in edges if fnmatchcase(claim.rule, e.what) or claim.family == e.what]


def _in_time(cause: Claim, claim: Claim, within_s: int | None) -> bool:
    """Say whether ``claim`` can have followed, as far as lines and times tell."""
    one, other = cause.first.evidence[0], claim.first.evidence[0]
    if cause.process == claim.process and one.path == other.path and one.order > other.order:
        return False
    if cause.first_time is None or claim.first_time is None:
        return True
    try:
        gap = datetime.fromisoformat(claim.first_time) - datetime.fromisoformat(cause.first_time)
    except ValueError:
        return True
    seconds = gap.total_seconds()
    return seconds >= -CLOCK_SKEW_S and (within_s is None or seconds <= within_s)


def _may_reach(cause: Claim, claim: Claim, knowledge: Knowledge) -> bool:
    """Say whether their rules, wherever they were seen, let ``cause`` account for ``claim``."""
    if cause.role == "notice":
        return bool(cause.explains)
    if cause.role != "cause" or claim.rule == cause.rule:
        return False
    return claim.role in ("consequence", "wrapper") or bool(_edges(cause, claim, knowledge))


def _reaches(cause: Claim, claim: Claim, knowledge: Knowledge) -> bool:
    """Say whether ``cause`` accounts for what another process says."""
    if cause.role == "notice":
        return _breaks_off(cause, claim)
    if cause.process == claim.process or cause.role != "cause" or claim.rule == cause.rule:
        return False
    if cause.is_apart or claim.is_apart:
        return _belongs_to(cause, claim)
    if claim.role in ("consequence", "wrapper"):
        return cause.severity >= Severity.ERROR
    one, other = cause.first.evidence[0], claim.first.evidence[0]
    ranks = {one.origin.rank, other.origin.rank}
    unsaid = min(cause.process.pid, claim.process.pid) < 0
    if one.path == other.path and unsaid and len(ranks - {None}) < 2:
        # One file, and a writer in it that does not say who it is: most likely the same.
        return _accounts_for(cause, claim, knowledge)
    same_rank = len(ranks) == 1 and None not in ranks
    scopes = ("rank", "job") if same_rank else ("job",)
    return _explains(cause, claim, knowledge, scopes)
