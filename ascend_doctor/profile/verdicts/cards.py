"""Cards as npu-smi shows them: who holds their memory.

A healthy job holds its cards as well, so these say nothing by themselves: they matter where a job
ran out of device memory. Ill health is told by rules for single rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Card, Profile, Verdict
from ascend_doctor.profile.verdicts.naming import gib

# A card with no process listed that has so much of its memory in use is no idle one: firmware and
# driver take a twentieth of a 64 GiB card, and a fifth of a small one.
UNLISTED_SHARE = 0.5


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield each card that one process holds, or several, or one that is not listed."""
    for profile in profiles:
        for card in profile.cards:
            verdict = _held(profile, card, limits["card-held-share"])
            if verdict is not None:
                yield verdict


def _held(profile: Profile, card: Card, share: float) -> Verdict | None:
    capacity, used = card.capacity, card.used
    if not capacity:
        return None
    number = card.npu if card.physical is None else card.physical
    said = {"npu": str(number), "capacity": _gib(capacity)}
    large = [held for held in card.holders if (held.memory or 0.0) >= share * capacity]
    if large:
        first = large[0]
        said |= {"pid": str(first.pid), "held": _gib(first.memory or 0.0)}
        if first.name:
            said["process"] = first.name
        if len(large) > 1:
            said |= {
                "processes": str(len(large)),
                "others": _gib(sum(held.memory or 0.0 for held in large[1:])),
            }
        name = "card_held" if len(large) == 1 else "card_shared"
        proofs = (*(held.proof for held in large), card.proof)
        return Verdict(name, profile, said, proofs)
    unlisted = card.is_listed and not card.holders
    if unlisted and used is not None and used >= UNLISTED_SHARE * capacity:
        said |= {"held": _gib(used), "card": str(card.npu), "chip": str(card.chip)}
        return Verdict("card_unlisted", profile, said, (card.proof,))
    return None


def _gib(size_mib: float) -> str:
    return f"{gib(size_mib)} GiB"
