"""Device memory before it runs out: what lives, and what the pool holds for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ascend_doctor.profile.model import Card, Memory, Profile, Sample, Verdict
from ascend_doctor.profile.verdicts.naming import gib, percent, whose

# Stretches whose lowest marks are compared, to tell growth from ups and downs.
_STRETCHES = 6
# Of fewer steps there is no growth from one to the next.
_FEW_STEPS = 3
# The caching allocator, whose live and reserved memory can be compared.
_POOLS = ("PTA", "PTA+GE", "GE")


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield what will run out of device memory."""
    cards = [card for profile in profiles for card in profile.cards]
    for profile in profiles:
        pool = _pool(profile)
        if pool is not None:
            found = (
                _leaking(profile, pool, limits)
                or _near_full(profile, pool, cards, limits)
                or _fragmenting(profile, pool, limits)
            )
            if found is not None:
                yield found


def _pool(profile: Profile) -> Memory | None:
    """Return the memory of the allocator that holds most."""
    found = [
        memory
        for memory in profile.memory
        if memory.component in _POOLS and memory.peak.reserved is not None
    ]
    return max(found, key=lambda memory: memory.peak.reserved or 0.0, default=None)


def _live(sample: Sample) -> float | None:
    live = sample.allocated if sample.active is None else sample.active
    # Below zero it counts what was given back since recording began.
    return live if live is None or live >= 0 else None


def _most_live(pool: Memory) -> float | None:
    known = [live for one in (*pool.samples, pool.peak) if (live := _live(one)) is not None]
    return max(known, default=None)


def _capacity(pool: Memory, cards: Sequence[Card]) -> float | None:
    """Return how much the card has; never guessed, and not where cards differ."""
    if pool.capacity is not None:
        return pool.capacity
    sizes = {card.capacity for card in cards if card.capacity}
    return sizes.pop() if len(sizes) == 1 else None


def _near_full(
    profile: Profile, pool: Memory, cards: Sequence[Card], limits: Mapping[str, float]
) -> Verdict | None:
    """Tell of live memory that leaves no room for a longer batch."""
    capacity, live = _capacity(pool, cards), _most_live(pool)
    if capacity is None or live is None or live < limits["memory-share"] * capacity:
        return None
    captures = {
        **whose(profile),
        "live": gib(live),
        "reserved": gib(pool.peak.reserved or 0.0),
        "capacity": gib(capacity),
        "share": percent(min(1.0, live / capacity)),
        "limit": percent(limits["memory-share"]),
    }
    return Verdict("memory_near_full", profile, captures, (pool.proof,))


def _behind_warm_up(pool: Memory, limits: Mapping[str, float]) -> Sequence[Sample]:
    """Return the samples behind the first sixth, in which a job builds up what it keeps."""
    samples = [one for one in pool.samples if one.reserved is not None]
    if len(samples) < limits["memory-samples"]:
        return ()
    return samples[len(samples) // _STRETCHES :]


def _leaking(profile: Profile, pool: Memory, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of live memory whose lowest marks only ever rise."""
    # Within a step memory rises until the backward pass.
    if 0 < len(profile.steps) < _FEW_STEPS:
        return None
    lives = [live for one in _behind_warm_up(pool, limits) if (live := _live(one)) is not None]
    size = len(lives) // _STRETCHES
    if not size:
        return None
    lows = [min(lives[at * size : (at + 1) * size]) for at in range(_STRETCHES)]
    grown = lows[-1] - lows[0]
    if any(one >= other for one, other in pairwise(lows)):
        return None
    if grown < max(limits["memory-growth"] * lows[0], limits["gap-size"] / 2):
        return None
    captures = {
        **whose(profile),
        "before": gib(lows[0]),
        "after": gib(lows[-1]),
        "grown": gib(grown),
        "samples": str(len(lives)),
        "limit": percent(limits["memory-growth"]),
    }
    return Verdict("memory_leaks", profile, captures, (pool.proof,))


def _fragmenting(profile: Profile, pool: Memory, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of a pool that grows although live memory does not need it."""
    samples = _behind_warm_up(pool, limits)
    live = _most_live(pool)
    reserved = pool.peak.reserved or 0.0
    if not samples or live is None:
        return None
    gap = reserved - live
    half = len(samples) // 2
    before = max(one.reserved or 0.0 for one in samples[: half or 1])
    grown = max(one.reserved or 0.0 for one in samples[half:]) - before
    if gap < max(limits["gap-share"] * reserved, limits["gap-size"]):
        return None
    if grown < limits["memory-growth"] * before / 2:
        return None
    captures = {
        **whose(profile),
        "reserved": gib(reserved),
        "live": gib(live),
        "gap": gib(gap),
        "share": percent(gap / reserved),
        "grown": gib(grown),
        "samples": str(len(samples)),
        "limit": percent(limits["gap-share"]),
    }
    return Verdict("memory_fragments", profile, captures, (pool.proof,))
