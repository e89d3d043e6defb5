"""The error codes that the logs name, decoded."""

from __future__ import annotations

from ascend_doctor.facts import CodeSeen, Facts
from ascend_doctor.knowledge.glossary import Explanation, Glossary
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.report import CodeMet

# Codes that a report carries; a job that names more has one fault many times over.
MAX_CODES_MET = 64


def codes_met(facts: Facts, knowledge: Knowledge) -> tuple[CodeMet, ...]:
    """Return each code that was seen, earliest first, with what is known of it."""
    seen: dict[tuple[str, str], list[CodeSeen]] = {}
    for path in sorted(facts.shards):
        for code in facts.shards[path].codes:
            seen.setdefault((code.table, code.code), []).append(code)
    if not seen:
        return ()
    glossary = Glossary(knowledge)
    first = {key: min(parts, key=lambda c: c.sighting.key) for key, parts in seen.items()}
    ordered = sorted(seen, key=lambda key: (first[key].sighting.key, key))[:MAX_CODES_MET]
    return tuple(
        _met(glossary.of_code(*key), first[key], sum(part.count for part in seen[key]))
        for key in ordered
    )


def _met(known: Explanation, seen: CodeSeen, count: int) -> CodeMet:
    assert known.means is not None, "what stands in a table has a meaning"
    return CodeMet(
        code=known.code,
        table=known.kind,
        name=known.name,
        family=known.family,
        count=count,
        first=seen.sighting.evidence[0],
        means=known.means,
        causes=known.causes,
        next=known.next,
        is_full=known.is_full,
    )
