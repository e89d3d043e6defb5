"""Claims → diagnoses: which of them is the root cause, and what merely followed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase

from ascend_doctor.diagnosis.claims import Claim, claims
from ascend_doctor.facts import Facts
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Explains
from ascend_doctor.records import Evidence, Severity
from ascend_doctor.report import Consequence, Coverage, Diagnosis, Report, Unexplained

# Evidence, follow-ups and unknown messages that a report carries.
MAX_EVIDENCE = 5
MAX_CONSEQUENCES = 20
MAX_UNEXPLAINED = 50

# Clocks of nodes differ; a follow-up may seem to come this much before its cause.
CLOCK_SKEW_S = 5.0


@dataclass(slots=True)
class _Verdict:
    """A claim that stands for itself, with what it accounts for."""

    claim: Claim
    followed: list[Claim] = field(default_factory=list)


def diagnose(facts: Facts, knowledge: Knowledge) -> Report:
    """Conclude from merged facts; the order in which they were merged does not matter."""
    verdicts: list[_Verdict] = []
    for held in claims(facts, knowledge).values():
        verdicts += _within_process(held, knowledge)
    verdicts = _across_processes(verdicts, knowledge)
    groups: dict[str, list[_Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.claim.rule].append(verdict)
    ordered = sorted(groups.values(), key=lambda group: min(_rank(v.claim) for v in group))
    return Report(
        rules_digest=facts.digest,
        diagnoses=tuple(
            _diagnosis(position, group) for position, group in enumerate(ordered, start=1)
        ),
        unexplained=_unexplained(facts),
        environment=_environment(facts),
        coverage=_coverage(facts),
        families={name: family.title for name, family in knowledge.families.items()},
    )


def _rank(claim: Claim) -> tuple[object, ...]:
    """Sort key of root causes: what stops a job before the rest, sure before unsure, early first.

    The first error of a process outranks the loudest, so between equals only time counts.
    """
    roles = {"cause": 0, "consequence": 1, "wrapper": 2, "notice": 3}
    return (
        claim.severity < Severity.WARNING,
        roles[claim.role],
        claim.severity < Severity.ERROR,
        claim.confidence == "low",
        *_when(claim),
    )


def _when(claim: Claim) -> tuple[object, ...]:
    return (claim.placed, claim.first.key[1:], -claim.weight, claim.rule)


def _within_process(held: list[Claim], knowledge: Knowledge) -> list[_Verdict]:
    """Return the claims of one process that nothing else in it accounts for."""

    def accounts_for(cause: Claim, claim: Claim) -> bool:
        return _accounts_for(cause, claim, knowledge)

    return _folded([_Verdict(claim) for claim in held], accounts_for)


def _folded(
    verdicts: list[_Verdict], accounts_for: Callable[[Claim, Claim], bool]
) -> list[_Verdict]:
    """Put every verdict that another accounts for under the one at the root of it."""
    ordered = sorted(verdicts, key=lambda verdict: _rank(verdict.claim))
    parents: dict[int, int] = {}
    for number, verdict in enumerate(ordered):
        for other, cause in enumerate(ordered):
            # An edge that would close a ring is left out: someone has to be the root. Of two
            # that account for each other, the first does.
            if _root(other, parents) == number or not accounts_for(cause.claim, verdict.claim):
                continue
            if other < number or not accounts_for(verdict.claim, cause.claim):
                parents[number] = other
                break
    for number, verdict in enumerate(ordered):
        if number in parents:
            root = ordered[_root(number, parents)]
            root.followed += [verdict.claim, *verdict.followed]
    return [verdict for number, verdict in enumerate(ordered) if number not in parents]


def _root(number: int, parents: Mapping[int, int]) -> int:
    while number in parents:
        number = parents[number]
    return number


def _accounts_for(cause: Claim, claim: Claim, knowledge: Knowledge) -> bool:
    """Say whether ``cause`` makes ``claim``, of the same process, no finding of its own."""
    if claim.role == "notice" or cause.role == "notice":
        return False
    if cause.role == "cause" and claim.role in ("consequence", "wrapper"):
        return cause.severity >= Severity.WARNING
    if cause.role == "cause" and _explains(cause, claim, knowledge, ("process", "rank", "job")):
        return True
    # Below here only likeness speaks; what a rule or family says of its follow-ups outranks it.
    if _rank(claim) < _rank(cause) or _explains(claim, cause, knowledge, ("process",)):
        return False
    if cause.role != "cause":
        return True
    alike = _same_record(cause, claim) or cause.family == claim.family
    return alike and cause.severity >= claim.severity


def _same_record(one: Claim, other: Claim) -> bool:
    a, b = one.first.evidence[0], other.first.evidence[0]
    return a.path == b.path and a.order == b.order


def _explains(cause: Claim, claim: Claim, knowledge: Knowledge, scopes: Iterable[str]) -> bool:
    edges: list[Explains] = [*cause.explains]
    if cause.confidence != "low":
        edges += knowledge.families[cause.family].explains
    return any(
        edge.scope in scopes
        and (fnmatchcase(claim.rule, edge.what) or claim.family == edge.what)
        and _in_time(cause, claim, edge.within_s)
        for edge in edges
    )


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


def _across_processes(verdicts: list[_Verdict], knowledge: Knowledge) -> list[_Verdict]:
    """Fold verdicts of one process into those of another that brought them about."""

    def reaches(cause: Claim, claim: Claim) -> bool:
        return _reaches(cause, claim, knowledge)

    return _folded(verdicts, reaches)


def _reaches(cause: Claim, claim: Claim, knowledge: Knowledge) -> bool:
    """Say whether ``cause`` accounts for what another process says."""
    if cause.process == claim.process or cause.role != "cause" or claim.rule == cause.rule:
        return False
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


def _diagnosis(position: int, group: list[_Verdict]) -> Diagnosis:
    group = sorted(group, key=lambda verdict: _when(verdict.claim))
    claim = group[0].claim
    first = claim.first
    sightings = sorted((s for v in group for s in v.claim.sightings), key=lambda s: s.key)
    # What says the same in other words, or adds a number, is proof as well.
    alike = [c.first for v in group for c in v.followed if _corroborates(c, claim)]
    proofs = [first.evidence[0], *(s.evidence[0] for s in alike), *first.evidence]
    evidence = dict.fromkeys((*proofs, *(e for s in sightings for e in s.evidence)))
    ranks = {e.origin.rank for s in sightings for e in s.evidence} - {None}
    codes = dict.fromkeys(code for v in group for code in v.claim.codes)
    captures = _captures(group[0])
    headline = claim.role == "cause"
    return Diagnosis(
        position=position,
        rule=claim.rule,
        family=claim.family,
        severity=claim.severity,
        confidence=claim.confidence if headline or claim.role == "notice" else "low",
        role=claim.role,
        provenance=claim.provenance,
        texts={lang: texts.filled(captures) for lang, texts in claim.texts.items()},
        remedies=claim.remedies,
        captures=captures,
        codes=tuple(codes),
        evidence=tuple(evidence)[:MAX_EVIDENCE],
        location=next((s.location for s in sightings if s.location), None),
        origin=first.evidence[0].origin,
        first_seen=min((v.claim.first_time for v in group if v.claim.first_time), default=None),
        last_seen=max((v.claim.last_time for v in group if v.claim.last_time), default=None),
        count=sum(v.claim.count for v in group),
        processes=len({v.claim.process for v in group}),
        ranks=tuple(sorted(rank for rank in ranks if rank is not None)),
        consequences=_consequences(group),
    )


def _captures(verdict: _Verdict) -> Mapping[str, str]:
    """Return what the first place says, completed by what else the process says of it.

    A later line of the same rule may give what the first one left out, and so may a message
    of the same family that was folded into it, such as the reason behind a failed kernel.
    """
    claim = verdict.claim
    kin = [c for c in verdict.followed if (c.family, c.process) == (claim.family, claim.process)]
    places = [s for c in (claim, *kin) for s in c.sightings]
    said = {name: text for s in reversed(places) for name, text in s.captures.items()}
    return {name: text for name, text in said.items() if name in claim.names}


def _corroborates(claim: Claim, headline: Claim) -> bool:
    return claim.role == headline.role == "cause" and claim.family == headline.family


def _consequences(group: list[_Verdict]) -> tuple[Consequence, ...]:
    """Return what followed, one entry a rule, earliest first."""
    by_rule: dict[str, list[Claim]] = defaultdict(list)
    for verdict in group:
        for claim in verdict.followed:
            by_rule[claim.rule].append(claim)
    found = []
    for parts in sorted(by_rule.values(), key=lambda parts: min(map(_when, parts))):
        claim = min(parts, key=_when)
        texts = {lang: t.filled(claim.first.captures).title for lang, t in claim.texts.items()}
        found.append(
            Consequence(
                rule=claim.rule,
                family=claim.family,
                role=claim.role,
                title=texts,
                count=sum(part.count for part in parts),
                evidence=claim.first.evidence[0],
            )
        )
    return tuple(found[:MAX_CONSEQUENCES])


def _unexplained(facts: Facts) -> tuple[Unexplained, ...]:
    groups: dict[str, Unexplained] = {}
    for path in sorted(facts.shards):
        for item in facts.shards[path].unknown:
            known = groups.get(item.template)
            if known is None:
                groups[item.template] = Unexplained(
                    item.template, item.level, item.count, item.first
                )
            else:
                first = min(known.first, item.first, key=_at)
                groups[item.template] = replace(known, count=known.count + item.count, first=first)
    return tuple(sorted(groups.values(), key=lambda u: _at(u.first))[:MAX_UNEXPLAINED])


def _at(evidence: Evidence) -> tuple[object, ...]:
    return (evidence.time or "~", evidence.path, evidence.order)


def _environment(facts: Facts) -> Mapping[str, str]:
    values: dict[str, str] = {}
    for path in sorted(facts.shards):
        values = {**facts.shards[path].environment, **values}
    return dict(sorted(values.items()))


def _coverage(facts: Facts) -> Coverage:
    shards = [facts.shards[path] for path in sorted(facts.shards)]
    ranges = [shard.time_range for shard in shards if shard.time_range]
    levels = ("DEBUG", "INFO", "EVENT", "WARNING", "ERROR")
    seen = {level for shard in shards for level in shard.levels}
    return Coverage(
        files=len(shards),
        bytes=sum(shard.size for shard in shards),
        lines=sum(shard.lines for shard in shards),
        by_kind=dict(sorted(Counter(shard.kind for shard in shards).items())),
        levels=tuple(level for level in levels if level in seen),
        time_range=(min(r[0] for r in ranges), max(r[1] for r in ranges)) if ranges else None,
        skipped=tuple(sorted(facts.skipped)),
        broken=tuple((shard.path, shard.broken) for shard in shards if shard.broken),
    )
