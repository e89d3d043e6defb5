"""Who holds the cards, which matters where a job ran out of device memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascend_doctor.facts import Facts
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.profile.model import Verdict

# Verdicts that a healthy job bears as well.
_ONLY_BESIDE_OOM = frozenset({"card_held", "card_shared"})
_OOM = "buffer_oom"


def beside_failures(
    verdicts: Iterable[Verdict], facts: Facts, knowledge: Knowledge
) -> Iterator[Verdict]:
    """Yield verdicts, those about holders of cards only if device memory ran out.

    Where it is known which device that was, and npu-smi shows it, other cards are left out; so is
    the process itself that ran out of memory.
    """
    told = [*verdicts]
    failed = [
        finding
        for shard in facts.shards.values()
        for finding in shard.findings
        if knowledge.rules[finding.rule].family == _OOM
    ]
    devices = {s.captures["device"] for f in failed for s in f.sightings if "device" in s.captures}
    pids = {str(finding.process.pid) for finding in failed}
    devices &= {v.captures["npu"] for v in told if v.name in _ONLY_BESIDE_OOM}
    for verdict in told:
        if verdict.name in _ONLY_BESIDE_OOM:
            is_other = bool(devices) and verdict.captures["npu"] not in devices
            is_itself = verdict.name == "card_held" and verdict.captures["pid"] in pids
            if not failed or is_other or is_itself:
                continue
        yield verdict
