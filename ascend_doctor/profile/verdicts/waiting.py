"""The device waits for its host, and no file says more than that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median, median_low

from ascend_doctor.profile.model import Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import counted, ms, percent, whose
from ascend_doctor.profile.verdicts.spent import total
from ascend_doctor.profile.verdicts.steady import Steady, idle, steady

# Of fewer steps it cannot be told which are usual.
_FEW = 5


def judge(
    profiles: Sequence[Profile], limits: Mapping[str, float], accounted: Collection[int]
) -> Iterator[Verdict]:
    """Yield what is idle or slow for no reason that is known.

    Args:
        profiles: all that were read.
        limits: thresholds by name.
        accounted: places in ``profiles`` of those whose waiting has a reason already.
    """
    left = [one for place, one in enumerate(profiles) if place not in accounted]
    waiting = [one for one in left if _is_idle(one, limits)]
    if waiting:
        worst = max(waiting, key=lambda one: idle(_known(one, limits).steps) or 0.0)
        yield _prepares(worst, limits) or _idle(worst, limits, len(waiting))
    told = {id(one) for one in waiting}
    for one in left:
        if id(one) not in told and (found := _slow_steps(one, limits)) is not None:
            yield found


def _known(profile: Profile, limits: Mapping[str, float]) -> Steady:
    compared = steady(profile, limits)
    return replace(
        compared, steps=tuple(step for step in compared.steps if step.free_us is not None)
    )


def _is_idle(profile: Profile, limits: Mapping[str, float]) -> bool:
    steps = _known(profile, limits).steps
    limit = limits["idle-share"]
    if (idle(steps) or 0.0) < limit:
        return False
    # Of few steps a single one is most of the time, and may be the warm-up.
    usual = median_low((step.free_us or 0.0) / step.total_us for step in steps)
    return len(steps) >= _FEW or usual >= limit


def _idle(profile: Profile, limits: Mapping[str, float], ranks: int) -> Verdict:
    """Tell of idle time only; many reasons have it in common."""
    compared = _known(profile, limits)
    spent = sum(step.free_us or 0.0 for step in compared.steps)
    captures = {
        **whose(profile),
        **counted(compared),
        "share": percent(spent / total(compared.steps)),
        "idle": ms(spent),
        "step": ms(total(compared.steps)),
        "limit": percent(limits["idle-share"]),
    }
    if ranks > 1:
        captures["ranks"] = str(ranks)
    return Verdict("idle", profile, captures, (_most_idle(compared).proof,), len(compared.steps))


def _most_idle(compared: Steady) -> Step:
    return max(compared.steps, key=lambda step: step.free_us or 0.0)


def _prepares(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of idle time that lies before the first task of each step."""
    compared = _known(profile, limits)
    spent = sum(step.free_us or 0.0 for step in compared.steps)
    preparing = [step.preparing_us or 0.0 for step in compared.steps]
    if sum(preparing) < limits["accounted-share"] * spent:
        return None
    captures = {
        **whose(profile),
        **counted(compared),
        "share": percent(spent / total(compared.steps)),
        "preparing": ms(sum(preparing) / len(preparing)),
        "step": ms(total(compared.steps) / len(compared.steps)),
        "limit": percent(limits["idle-share"]),
    }
    worst = max(compared.steps, key=lambda step: step.preparing_us or 0.0)
    return Verdict("prepares", profile, captures, (worst.proof,), len(compared.steps))


def _slow_steps(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell that much of the time is lost in a few steps that are far longer than others."""
    compared = steady(profile, limits)
    steps = [step for step in compared.behind_warm_up if not step.is_average]
    if len(steps) < _FEW:
        return None
    usual = median(step.total_us for step in steps)
    long = [step for step in steps if step.total_us >= limits["long-step"] * usual]
    lost = sum(step.total_us - usual for step in long)
    if not long or lost < limits["slow-steps-share"] * total(steps):
        return None
    worst = max(long, key=lambda step: step.total_us)
    captures = {
        **whose(profile),
        "count": str(len(long)),
        "steps": str(len(steps)),
        "usual": ms(usual),
        "worst": ms(worst.total_us),
        "worst_step": worst.name,
        "share": percent(lost / total(steps)),
        "limit": percent(limits["slow-steps-share"]),
    }
    return Verdict("slow_steps", profile, captures, (worst.proof,), len(long))
