"""What may be claimed of each process: findings that hold, codes that no rule decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor import late
from ascend_doctor.diagnosis.conclusions import conclusions
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.diagnosis.profiles import Profiles
from ascend_doctor.facts import MAX_SIGHTINGS, CodeSeen, Facts, Finding, Process
from ascend_doctor.knowledge.codes import Code
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Explains, Rule, Texts
from ascend_doctor.records import (
    LANGS,
    ROLES,
    Confidence,
    Lang,
    Role,
    Severity,
    Sighting,
    sortable,
)

# What a table says of a code begins with what it is; the rest is where to look.
_CLAUSE_END = late.pattern(r"[;，；。]|\.(?=\s|$)")
# Codes that a claim lists, in the order in which they were named.
MAX_CODES = 12


class Claim(Struct, frozen=True):
    """A finding together with what its rule or code table says of it."""

    rule: str
    family: str
    role: Role
    severity: Severity
    confidence: Confidence
    provenance: tuple[str, ...]
    texts: Mapping[Lang, Texts]
    remedies: tuple[tuple[str, Mapping[str, str]], ...]
    explains: tuple[Explains, ...]
    weight: int
    from_followed: frozenset[str]
    from_environment: frozenset[str]
    process: Process
    count: int
    sightings: tuple[Sighting, ...]
    codes: tuple[str, ...]
    first_time: str | None
    last_time: str | None
    # A fact of a machine: beside others of it by chance, and followed only by what its rule says.
    is_apart: bool = False
    # When it was first said, for sorting; without a time of its own, that of its neighbour.
    placed: str = "~"

    @property
    def first(self) -> Sighting:
        """The earliest place where it was seen."""
        return self.sightings[0]


def claims(
    facts: Facts, knowledge: Knowledge, environment: Environment, profiles: Profiles
) -> dict[Process, list[Claim]]:
    """Return what holds in each process, rules and codes alike."""
    same = _processes(facts)
    findings: dict[Process, dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    codes: dict[Process, list[CodeSeen]] = defaultdict(list)
    signs: dict[Process, set[bytes]] = defaultdict(set)
    for shard in facts.shards.values():
        for finding in shard.findings:
            findings[same[finding.process]][finding.rule].append(finding)
        for code in shard.codes:
            codes[same[code.process]].append(code)
        for literal, process in shard.signs:
            signs[same[process]].add(literal)
    for finding in conclusions(facts, knowledge, environment, profiles):
        findings[same.get(finding.process, finding.process)][finding.rule].append(finding)
    held: dict[Process, list[Claim]] = {}
    for process in sorted({*findings, *codes}):
        found = _merged(process, findings[process])
        kept, dropped = _held(found, signs[process], knowledge, environment)
        causes = [f for f in kept if knowledge.rules[f.rule].role == "cause"]
        seen = _codes_in(codes[process], causes, dropped)
        named = tuple(code.sighting.codes[0] for code in seen)[:MAX_CODES]
        rules = ((knowledge.rules[f.rule], f) for f in kept)
        result = [_of_rule(rule, f, named) for rule, f in rules if not rule.quiet]
        if not any(claim.role == "cause" for claim in result):
            result += _of_codes(seen, process, knowledge, named)
        if result:
            held[process] = result
    times = _times(facts)
    return {
        process: [replace(claim, placed=_placed(claim, times)) for claim in found]
        for process, found in held.items()
    }


def _times(facts: Facts) -> dict[str, list[tuple[tuple[int, int], str]]]:
    """Return the places of each file of which the time is known."""
    times: dict[str, list[tuple[tuple[int, int], str]]] = defaultdict(list)
    for path, shard in facts.shards.items():
        kept = [s for finding in shard.findings for s in finding.sightings]
        kept += [code.sighting for code in shard.codes]
        for proof in (sighting.evidence[0] for sighting in kept):
            if proof.time is not None:
                times[path].append((proof.order, proof.time))
    return times


def _placed(claim: Claim, times: Mapping[str, list[tuple[tuple[int, int], str]]]) -> str:
    """Return the time of a claim, or of what stands before it in its file, else behind it."""
    if claim.first_time is not None:
        return sortable(claim.first_time)
    first = claim.first.evidence[0]
    known = times.get(first.path, [])
    before = [time for order, time in known if order < first.order]
    return sortable(max(before) if before else min((time for _, time in known), default=None))


def _processes(facts: Facts) -> dict[Process, Process]:
    """Map each writer to its process: a file with one pid belongs to that pid as a whole.

    Lines that name another rank than those of the pid are another process's.
    """
    same: dict[Process, Process] = {}
    for shard in facts.shards.values():
        ranks: dict[Process, set[int | None]] = defaultdict(set)
        for found in shard.findings:
            ranks[found.process] |= {s.evidence[0].origin.rank for s in found.sightings}
        for code in shard.codes:
            ranks[code.process].add(code.sighting.evidence[0].origin.rank)
        writers = {*ranks, *(process for _, process in shard.signs)}
        known = [writer for writer in writers if writer.pid >= 0]
        for writer in writers:
            same[writer] = writer
            if writer.pid < 0 and len(known) == 1:
                told = ranks[known[0]] - {None}
                if writer.rank < 0 or not told or writer.rank in told:
                    same[writer] = known[0]
    return same


def _merged(process: Process, found: Mapping[str, list[Finding]]) -> list[Finding]:
    """Join the findings that several files hold of one rule in one process."""
    merged = []
    for rule, parts in found.items():
        sightings = sorted((s for part in parts for s in part.sightings), key=lambda s: s.key)
        merged.append(
            Finding(
                rule,
                process,
                sum(part.count for part in parts),
                tuple(sightings[:MAX_SIGHTINGS]),
                min((p.first_time for p in parts if p.first_time), default=None),
                max((p.last_time for p in parts if p.last_time), default=None),
            )
        )
    return merged


def _held(
    found: Iterable[Finding], signs: set[bytes], knowledge: Knowledge, environment: Environment
) -> tuple[list[Finding], list[Finding]]:
    """Split findings into those that hold and those that process or environment disprove."""
    by_rule = {finding.rule: finding for finding in found}
    kept, dropped = [], []
    for finding in by_rule.values():
        rule = knowledge.rules[finding.rule]
        rival = by_rule.get(rule.outvoted_by or "")
        if (
            any(sign in signs for sign in rule.excludes_process)
            or any(environment.says(*item) for item in rule.excludes_environment.items())
            or (rival is not None and rival.count > finding.count)
        ):
            dropped.append(finding)
        elif all(any(sign in signs for sign in choice) for choice in rule.requires_process) and all(
            environment.says(*item) for item in rule.requires_environment.items()
        ):
            kept.append(finding)
    return kept, dropped


def _codes_in(
    seen: list[CodeSeen], causes: list[Finding], dropped: list[Finding]
) -> list[CodeSeen]:
    """Return the codes of a process, earliest first, without those of disproved findings."""
    void = {code for finding in dropped for s in finding.sightings for code in s.codes}
    void -= {code for finding in causes for s in finding.sightings for code in s.codes}
    ordered = sorted(seen, key=lambda code: code.sighting.key)
    return [code for code in ordered if code.sighting.codes[0] not in void]


def _of_rule(rule: Rule, finding: Finding, codes: tuple[str, ...]) -> Claim:
    own = finding.sightings[0].codes
    return Claim(
        rule=rule.id,
        family=rule.family,
        role=rule.role,
        severity=rule.severity,
        confidence=rule.confidence,
        provenance=rule.provenance,
        texts=rule.texts,
        remedies=rule.remedies,
        explains=rule.explains,
        weight=finding.sightings[0].weight,
        from_followed=rule.from_followed,
        from_environment=rule.from_environment,
        process=finding.process,
        count=finding.count,
        sightings=finding.sightings,
        codes=tuple(dict.fromkeys((*own, *codes)))[:MAX_CODES],
        first_time=finding.first_time,
        last_time=finding.last_time,
        is_apart=rule.reader == "environment" and rule.role != "notice",
    )


def _of_codes(
    seen: list[CodeSeen], process: Process, knowledge: Knowledge, named: tuple[str, ...]
) -> list[Claim]:
    """Return a low-confidence claim for the most telling code, if there is one.

    A code that names the fault itself decides before one that names only the layer.
    """
    told = [(code, knowledge.codes.row(code.table, code.code)) for code in seen]
    told = [(code, row) for code, row in told if row.role != "notice"]
    if not told:
        return []
    code, row = min(told, key=lambda item: (ROLES.index(item[1].role), item[0].sighting.key))
    claim = Claim(
        rule=row.rule,
        family=row.family,
        role="cause" if row.role == "cause" else "wrapper",
        severity=Severity.ERROR,
        confidence="low",
        provenance=("torch-npu" if row.table == "torch_npu" else "cann-source",),
        texts={lang: _texts_of(row, knowledge, lang) for lang in LANGS},
        remedies=(),
        explains=(),
        weight=0,
        from_followed=frozenset(),
        from_environment=frozenset(),
        process=process,
        count=code.count,
        sightings=(replace(code.sighting, codes=named),),
        codes=named,
        first_time=code.sighting.evidence[0].time,
        last_time=code.sighting.evidence[0].time,
    )
    return [claim]


def _texts_of(row: Code, knowledge: Knowledge, lang: Lang) -> Texts:
    """Return what is known of a code: its page if there is one, else its table and family."""
    said = _CLAUSE_END.split(row.meaning[lang], maxsplit=1)[0]
    en = lang == "en"
    name = f"{row.code} {row.name}"
    title = f"{said} ({name})" if en else f"{said}（{name}）"
    page = knowledge.pages.get(row.table, {}).get(row.code)
    if page is None:
        return Texts(title, row.meaning[lang], (), knowledge.families[row.family].next[lang])
    ask = "Does this fit? {}" if en else "是否属于这种情况：{}"
    checks = tuple(ask.format(cause) for cause in page.causes[lang])
    return Texts(title, page.means[lang], checks, page.next[lang])
