"""Verdicts that mean something only beside a log: beside a failure, or a recompilation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ascend_doctor.facts import Facts, Finding
from ascend_doctor.knowledge.index import Knowledge

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Verdict

# What a healthy job bears as well: its cards are held, and steps may become longer.
_HOLDERS = frozenset({"card_held", "card_shared"})
_SLOWER = "steps_slower"


def beside_logs(
    verdicts: Iterable[Verdict], facts: Facts, knowledge: Knowledge
) -> Iterator[Verdict]:
    """Yield verdicts, of those that need another finding only the ones that have it."""
    told = [*verdicts]
    full = _of_family("buffer_oom", facts, knowledge)
    recompiled = _of_family("static_fallback", facts, knowledge)
    numbers = {v.captures["npu"] for v in told if v.name in _HOLDERS}
    for verdict in told:
        if verdict.name in _HOLDERS and not _is_other(verdict, full, numbers):
            continue
        if verdict.name == _SLOWER and not _follows(verdict, recompiled):
            continue
        yield verdict


def _of_family(family: str, facts: Facts, knowledge: Knowledge) -> list[Finding]:
    return [
        finding
        for shard in facts.shards.values()
        for finding in shard.findings
        if knowledge.rules[finding.rule].family == family
    ]


def _is_other(verdict: Verdict, full: Sequence[Finding], numbers: set[str]) -> bool:
    """Say whether a card is held by another process than one that ran out of its memory.

    Where it is known which device was full, and npu-smi shows it, other cards are left out.
    """
    named = {s.captures["device"] for f in full for s in f.sightings if "device" in s.captures}
    devices = named & numbers
    if not full or (devices and verdict.captures["npu"] not in devices):
        return False
    pids = {str(finding.process.pid) for finding in full}
    return verdict.name != "card_held" or verdict.captures["pid"] not in pids


def _follows(verdict: Verdict, recompiled: Sequence[Finding]) -> bool:
    """Say whether something was compiled anew before the line that proves a verdict."""
    proof = verdict.proofs[0]
    earlier = (s.evidence[0] for finding in recompiled for s in finding.sightings)
    return any(line.path == proof.path and line.order < proof.order for line in earlier)
