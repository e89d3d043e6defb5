"""Merged facts → the report: the chains of claims as diagnoses, the root cause first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from msgspec.structs import replace

from ascend_doctor.diagnosis.chains import Chain, chains, moment, standing
from ascend_doctor.diagnosis.claims import Claim, claims
from ascend_doctor.diagnosis.codes import codes_met
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.diagnosis.fingerprint import fingerprint
from ascend_doctor.diagnosis.machines import unread
from ascend_doctor.diagnosis.profiles import Profiles
from ascend_doctor.diagnosis.timeline import timeline
from ascend_doctor.facts import FURTHER, LEVELS, Facts, Shard
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.report import (
    Breakdown,
    Consequence,
    Coverage,
    Diagnosis,
    Report,
    Slice,
    Unexplained,
)
from ascend_doctor.scope import Scope

# Evidence, follow-ups and unknown messages that a report carries.
MAX_EVIDENCE = 5
MAX_CONSEQUENCES = 200
MAX_UNEXPLAINED = 500


def diagnose(facts: Facts, knowledge: Knowledge) -> Report:
    """Conclude from merged facts; the order in which they were merged does not matter."""
    environment, profiles = Environment(facts, knowledge.versions), Profiles(facts)
    groups: dict[str, list[Chain]] = defaultdict(list)
    for chain in chains(claims(facts, knowledge, environment, profiles).values(), knowledge):
        groups[chain.claim.rule].append(chain)
    ordered = sorted(groups.values(), key=lambda group: min(map(standing, group)))
    return Report(
        rules_digest=facts.digest,
        diagnoses=tuple(
            _diagnosis(position, group, environment)
            for position, group in enumerate(ordered, start=1)
        ),
        unexplained=_unexplained(facts),
        environment=environment.shown(),
        coverage=_coverage(facts, profiles),
        families={name: family.title for name, family in knowledge.families.items()},
        timeline=timeline(ordered),
        codes=codes_met(facts, knowledge),
        breakdown=_breakdown(profiles, ordered, knowledge),
        thresholds=knowledge.changed,
    )


def _breakdown(profiles: Profiles, ordered: list[list[Chain]], knowledge: Knowledge) -> Breakdown:
    if not profiles.inside:
        return Breakdown()
    # Most jobs have no profile, and need not wait for what draws it.
    from ascend_doctor.diagnosis.breakdown import breakdown

    return breakdown(profiles.inside, ordered, knowledge)


def _diagnosis(position: int, group: list[Chain], environment: Environment) -> Diagnosis:
    group = sorted(group, key=lambda chain: moment(chain.claim))
    claim = group[0].claim
    first = claim.first
    sightings = sorted((s for v in group for s in v.claim.sightings), key=lambda s: s.key)
    # What says the same in other words, or adds a number, is proof as well.
    alike = [c.first for v in group for c in v.followed if _corroborates(c, claim)]
    proofs = [first.evidence[0], *(s.evidence[0] for s in alike), *first.evidence]
    evidence = dict.fromkeys((*proofs, *(e for s in sightings for e in s.evidence)))
    ranks = {e.origin.rank for s in sightings for e in s.evidence} - {None}
    codes = dict.fromkeys(code for v in group for code in v.claim.codes)
    captures = _captures(group[0], environment)
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
        fingerprint=fingerprint(claim.rule, first.evidence[0]),
    )


def _captures(chain: Chain, environment: Environment) -> Mapping[str, str]:
    """Return what the first place says, completed by what else the logs say of it.

    A later line of the same rule may give what the first one left out, if they agree in the
    rest. Messages of the same family that were folded into it give only what the rule asks
    them for, such as the reason behind a failed kernel: elsewhere one name may mean different
    things.
    """
    claim = chain.claim
    kin = [c for c in chain.followed if (c.family, c.process) == (claim.family, claim.process)]
    said = {
        name: text
        for c in reversed(kin)
        for s in reversed(c.sightings)
        for name, text in s.captures.items()
        if name in claim.from_followed
    }
    own: dict[str, str] = {}
    for sighting in claim.sightings:
        given = sighting.captures
        if all(own.get(name, text) == text for name, text in given.items()):
            own |= given
    if not claim.from_environment:
        return said | own
    known = environment.captures()
    around = {name: known[name] for name in sorted(claim.from_environment & known.keys())}
    return around | said | own


def _corroborates(claim: Claim, headline: Claim) -> bool:
    return claim.role == headline.role == "cause" and claim.family == headline.family


def _consequences(group: list[Chain]) -> tuple[Consequence, ...]:
    """Return what followed, one entry a rule, earliest first."""
    by_rule: dict[str, list[Claim]] = defaultdict(list)
    for chain in group:
        for claim in chain.followed:
            by_rule[claim.rule].append(claim)
    found = []
    for parts in sorted(by_rule.values(), key=lambda parts: min(map(moment, parts))):
        claim = min(parts, key=moment)
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
    """Return the errors that no rule knows, earliest first; what is too many is the last one.

    That one stands for different errors, and so has no fingerprint.
    """
    groups: dict[str, Unexplained] = {}
    for path in sorted(facts.shards):
        for item in facts.shards[path].unknown:
            known = groups.get(item.template)
            if known is None:
                groups[item.template] = Unexplained(
                    item.template, item.level, item.count, item.first
                )
            else:
                first = min(known.first, item.first, key=lambda e: e.key)
                groups[item.template] = replace(known, count=known.count + item.count, first=first)
    further = groups.pop(FURTHER, None)
    told = [
        replace(item, fingerprint=fingerprint("", item.first))
        for item in sorted(groups.values(), key=lambda u: u.first.key)
    ]
    rest = told[MAX_UNEXPLAINED - 1 :]
    if further is None and len(rest) <= 1:
        return tuple(told)
    rest += [] if further is None else [further]
    earliest = min(rest, key=lambda u: u.first.key)
    count = sum(item.count for item in rest)
    return (
        *told[: MAX_UNEXPLAINED - 1],
        replace(earliest, template=FURTHER, count=count, fingerprint=""),
    )


def _coverage(facts: Facts, profiles: Profiles) -> Coverage:
    shards = [facts.shards[path] for path in sorted(facts.shards)]
    ranges = [shard.time_range for shard in shards if shard.time_range]
    seen = {level for shard in shards for level in shard.levels}
    return Coverage(
        files=len(shards),
        bytes=sum(shard.size for shard in shards),
        lines=sum(shard.lines for shard in shards),
        by_kind=dict(sorted(Counter(shard.kind for shard in shards).items())),
        levels=tuple(level for level in LEVELS if level in seen),
        time_range=(min(r[0] for r in ranges), max(r[1] for r in ranges)) if ranges else None,
        skipped=tuple(sorted({*facts.skipped, *unread(facts)})),
        broken=tuple((shard.path, shard.broken) for shard in shards if shard.broken),
        interrupted=facts.is_interrupted,
        unread=facts.unread,
        slice=_slice(facts, profiles),
        notes=tuple((s.path, note) for s in shards for m in s.measures for note in m.notes),
        empty=bool(shards) and not any(map(_says_something, shards)),
    )


def _says_something(shard: Shard) -> bool:
    """Say whether a file has anything in it that could be judged.

    A table may be but a header, and a machine one without anything of Ascend.
    """
    if shard.machine is not None:
        return shard.machine.has_ascend
    return shard.kind != "profile" or any(
        part.steps or part.tallies or part.memory or part.cards or part.batches
        for part in shard.measures
    )


def _slice(facts: Facts, profiles: Profiles) -> Slice | None:
    scope = facts.scope
    if scope.is_all:
        return None
    ranks = (str(low) if low == high else f"{low}-{high}" for low, high in scope.ranks)
    outside = profiles.left_out
    unplaced = sum(shard.unplaced for shard in facts.shards.values()) - outside
    # What was found is in it, whatever the name of its file says.
    is_found = any(s.findings or s.codes or s.unknown for s in facts.shards.values())
    return Slice(
        scope.since or None,
        scope.until or None,
        ", ".join(ranks) or None,
        sum(shard.outside for shard in facts.shards.values()) + outside,
        unplaced,
        empty=unplaced == 0 and not is_found and _is_empty(scope, facts, profiles),
    )


def _is_empty(scope: Scope, facts: Facts, profiles: Profiles) -> bool:
    """Say whether all times, or all ranks that are told, are outside of a scope."""
    shards = facts.shards.values()
    ranges = [shard.time_range for shard in shards if shard.time_range]
    if ranges and all(scope.misses(first, last) for first, last in ranges):
        return True
    if all(shard.kind == "profile" for shard in shards) and any(s.outside for s in shards):
        return not profiles.inside
    told = {rank for shard in shards for rank in shard.ranks}
    return bool(told) and not any(map(scope.has_rank, told))
