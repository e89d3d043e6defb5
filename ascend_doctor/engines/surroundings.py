"""Which proofs keep the lines around them: the earliest of each kind, in the whole job."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from ascend_doctor.facts import Shard
from ascend_doctor.records import Evidence, Sighting

# Proofs of a rule, of a code, and of errors that nothing knows that keep the lines around them:
# what a report shows is among the earliest, and files may be many.
KEPT = 24

_UNKNOWN = ""
_Key = tuple[str, str, tuple[int, int]]
# A proof of some kind: which kind, and its key.
_Proof = tuple[str, _Key]


class Surroundings:
    """Says which proofs lose the lines around them, as others of their kind are earlier.

    In the end it does not depend on the order in which shards come who has lost them.
    """

    def __init__(self) -> None:
        self._earliest: defaultdict[str, list[_Key]] = defaultdict(list)

    def note(self, shard: Shard) -> Iterator[tuple[str, _Proof]]:
        """Note the proofs of a shard; yield those that lose their lines, each with its path."""
        for kind, proof in _proofs(shard):
            if proof.before or proof.after:
                earliest = self._earliest[kind]
                insort(earliest, proof.key)
                if len(earliest) > KEPT:
                    key = earliest.pop()
                    yield key[1], (kind, key)


def without(shard: Shard, bare: set[_Proof]) -> Shard:
    """Return a shard without the lines around some of its proofs."""

    def slim(kind: str, proof: Evidence) -> Evidence:
        return replace(proof, before=(), after=()) if (kind, proof.key) in bare else proof

    def slim_in(kind: str, sighting: Sighting) -> Sighting:
        deciding, *others = sighting.evidence
        return replace(sighting, evidence=(slim(kind, deciding), *others))

    return replace(
        shard,
        findings=tuple(
            replace(found, sightings=tuple(slim_in(found.rule, item) for item in found.sightings))
            for found in shard.findings
        ),
        codes=tuple(
            replace(seen, sighting=slim_in(f"{seen.table} {seen.code}", seen.sighting))
            for seen in shard.codes
        ),
        unknown=tuple(replace(item, first=slim(_UNKNOWN, item.first)) for item in shard.unknown),
    )


def _proofs(shard: Shard) -> Iterator[tuple[str, Evidence]]:
    for found in shard.findings:
        for sighting in found.sightings:
            yield found.rule, sighting.evidence[0]
    for seen in shard.codes:
        yield f"{seen.table} {seen.code}", seen.sighting.evidence[0]
    for item in shard.unknown:
        yield _UNKNOWN, item.first
