"""Step lines of a training loop: the share of its time that it waited for data.

First fetches and the borders of epochs are left out: there a loader begins anew, in healthy runs
as well. A job waits for data if most of its other steps do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import median

from msgspec import Struct

from ascend_doctor.profile.model import STEP_LINES, Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import percent
from ascend_doctor.profile.verdicts.steady import idle, steady
from ascend_doctor.records import Evidence

# Formats of measures in which steps are told with the time that they waited for data.
FORMATS = frozenset({STEP_LINES})
# The rule for lines that only the article knows.
_ARTICLE = "dataload-article-step-lines"

# Steps in which operators are compiled and caches are filled: slow ones prove nothing.
WARM_UP = 100
# Of slow steps of two kinds, each must have cost so much of what all of them did, and all of them
# so much of all time.
KIND_SHARE = 0.15
LOST_SHARE = 0.5

# Steps on each side of a change, and the share of all that may be on the wrong side of it.
MANY = 5
ODD_SHARE = 0.1


class _Loop(Struct, frozen=True):
    """The steps of one writer that are no border; ``limit`` is the share that is waiting."""

    profile: Profile
    steps: Sequence[Step]
    limit: float

    @property
    def waiting(self) -> list[Step]:
        return [step for step in self.steps if _share(step) >= self.limit]

    @property
    def is_waiting(self) -> bool:
        return 2 * _count(self.waiting) > _count(self.steps)


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield each loop that waits for data, is slow for two reasons, or became slower for good."""
    limit = limits["step-data-share"]
    loops = [
        _Loop(profile, steps, limit)
        for profile in profiles
        for steps in (_steady(profile),)
        if steps
    ]
    for loop in loops:
        if loop.is_waiting:
            if not _is_refuted(loop, profiles, limits):
                yield _waits(loop, loops)
        elif (verdict := _slow_for_two_reasons(loop, limits["long-step"])) is not None:
            yield verdict
    for profile in profiles:
        changed = _change(_told(profile), limits["step-slower"])
        if changed is not None:
            yield Verdict("steps_slower", profile, *changed)


def _is_refuted(loop: _Loop, profiles: Sequence[Profile], limits: Mapping[str, float]) -> bool:
    """Say whether a profile of the same rank shows a device with enough to do meanwhile."""
    ranks = [one for one in profiles if one.rank == loop.profile.rank]
    known = [share for one in ranks if (share := idle(steady(one, limits).steps)) is not None]
    spent = _fetch(loop.steps) / _total(loop.steps)
    return bool(known) and max(known) < limits["accounted-share"] * spent


def _change(
    steps: Sequence[Step], ratio: float
) -> tuple[Mapping[str, str], tuple[Evidence, ...]] | None:
    """Return what steps say that take ``ratio`` times as long from one of them on, if they do.

    Time for data is left aside. Both sides must be many, and nearly all steps of the one longer
    than nearly all of the other.
    """
    times = [step.total_us - (step.fetch_us or 0.0) for step in steps]
    best: tuple[int, int, float, float] | None = None
    for place in range(MANY, len(times) - MANY + 1):
        before, after = median(times[:place]), median(times[place:])
        if before <= 0 or after < ratio * before:
            continue
        middle = math.sqrt(before * after)
        odd = sum(t > middle for t in times[:place]) + sum(t < middle for t in times[place:])
        if odd <= ODD_SHARE * len(times) and (best is None or odd < best[0]):
            best = (odd, place, before, after)
    if best is None:
        return None
    _, place, before, after = best
    first = steps[place]
    said = {
        "before": _seconds(before),
        "after": _seconds(after),
        "times": f"{after / before:.1f}",
    }
    if first.name:
        said["at"] = first.name
    return said, (first.proof, steps[place - 1].proof)


def _told(profile: Profile) -> list[Step]:
    told = (part.steps for part in profile.measures if part.format in FORMATS)
    return [step for step in chain.from_iterable(told) if not step.is_border and step.total_us > 0]


def _steady(profile: Profile) -> list[Step]:
    return [step for step in _told(profile) if step.fetch_us is not None]


def _waits(loop: _Loop, loops: Sequence[_Loop]) -> Verdict:
    """Return that most steps wait, with the workers that it takes to keep up.

    While no worker loads ahead, one batch takes as long as the fetch; as many workers as it is
    times longer than the rest of the step keep up. Where some do already, all of them together
    need the whole step for a batch, so it takes so many times as many.
    """
    steps, waiting = loop.steps, loop.waiting
    worst = max(waiting, key=lambda step: step.fetch_us or 0.0)
    total, fetch = _total(steps), _fetch(steps)
    captures = {
        "share": percent(fetch / total),
        "data": _seconds(worst.fetch_us or 0.0),
        "step": _seconds(worst.total_us),
        "waiting": str(_count(waiting)),
        "steps": str(_count(steps)),
    }
    if worst.name:
        captures["at"] = worst.name
    if (fetch_of := _fetch(waiting)) < (total_of := _total(waiting)):
        captures["workers"] = str(math.ceil(fetch_of / (total_of - fetch_of)))
        captures["times"] = f"{total_of / (total_of - fetch_of):.1f}"
    peers = [other for other in loops if other.profile.rank not in (None, loop.profile.rank)]
    if loop.profile.rank is not None and not any(peer.is_waiting for peer in peers) and peers:
        captures |= {"rank": str(loop.profile.rank), "peers": str(len(peers))}
    first = min(waiting, key=lambda step: (step.proof.path, step.proof.order))
    proofs = dict.fromkeys((worst.proof, first.proof))
    facts = (part.facts.get("lines") for part in loop.profile.measures)
    name = "article_step_waits" if _ARTICLE in facts else "step_waits"
    return Verdict(name, loop.profile, captures, tuple(proofs), count=_count(waiting))


def _slow_for_two_reasons(loop: _Loop, ratio: float) -> Verdict | None:
    """Return that some steps are slow for their data, and others for something else.

    Slow is ``ratio`` times as long as the quick ones.

    A share of all time would blame the data for both.
    """
    steps = [s for s in loop.steps if s.name.isdecimal() and int(s.name) > WARM_UP]
    if not steps:
        return None
    totals = sorted(step.total_us for step in steps)
    usual = totals[len(totals) // 4]
    slow = [step for step in steps if step.total_us > ratio * usual]
    data = [step for step in slow if _share(step) >= loop.limit]
    other = [step for step in slow if _share(step) < loop.limit]
    lost = _lost(slow, usual)
    if not data or not other or lost < LOST_SHARE * _total(steps):
        return None
    if min(_lost(data, usual), _lost(other, usual)) < KIND_SHARE * lost:
        return None
    worst = max(data, key=lambda step: step.fetch_us or 0.0)
    longest = max(other, key=lambda step: step.total_us)
    captures = {
        "data": _seconds(worst.fetch_us or 0.0),
        "step": _seconds(worst.total_us),
        "at": worst.name,
        "other_data": _seconds(longest.fetch_us or 0.0),
        "other_step": _seconds(longest.total_us),
        "other_at": longest.name,
        "usual": _seconds(usual),
    }
    proofs = (worst.proof, longest.proof)
    return Verdict("step_slow_twice", loop.profile, captures, proofs, count=_count(slow))


def _share(step: Step) -> float:
    return (step.fetch_us or 0.0) / step.total_us


def _count(steps: Sequence[Step]) -> int:
    return sum(step.count for step in steps)


def _total(steps: Sequence[Step]) -> float:
    return sum(step.count * step.total_us for step in steps)


def _fetch(steps: Sequence[Step]) -> float:
    return sum(step.count * (step.fetch_us or 0.0) for step in steps)


def _lost(steps: Sequence[Step], usual: float) -> float:
    return sum(step.count * (step.total_us - usual) for step in steps)


def _seconds(us: float) -> str:
    seconds = us / 1e6
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"
