"""The device waits for its host, and no file says more than that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median, median_low

from msgspec.structs import replace

from ascend_doctor.profile.model import Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import counted, ms, percent, whose
from ascend_doctor.profile.verdicts.spent import total
from ascend_doctor.profile.verdicts.steady import Steady, idle, is_frequent, period, steady

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
    told: set[int] = set()
    for is_so, tell in ((_is_idle, _most_steps), (_stalling, _stalls), (_is_idle_once, _once)):
        found = [one for one in left if id(one) not in told and is_so(one, limits)]
        if found:
            told |= {id(one) for one in found}
            worst = max(found, key=lambda one: idle(_known(one, limits).steps) or 0.0)
            yield tell(worst, limits, len(found))
    for one in left:
        if id(one) not in told and (slow := _slow_steps(one, limits)) is not None:
            yield slow


def _known(profile: Profile, limits: Mapping[str, float]) -> Steady:
    compared = steady(profile, limits)
    return replace(compared, steps=_with_idleness(compared.steps))


def _with_idleness(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(step for step in steps if step.free_us is not None)


def _share(step: Step) -> float:
    return (step.free_us or 0.0) / step.total_us


def _is_idle(profile: Profile, limits: Mapping[str, float]) -> bool:
    """Say whether a device is idle in most steps, and for much of their time."""
    steps = _known(profile, limits).steps
    limit = limits["idle-share"]
    if not steps or _is_single(steps):
        return False
    return (idle(steps) or 0.0) >= limit and median_low(map(_share, steps)) >= limit


def _is_idle_once(profile: Profile, limits: Mapping[str, float]) -> bool:
    steps = _known(profile, limits).steps
    return _is_single(steps) and _share(steps[0]) >= limits["idle-share"]


def _is_single(steps: Sequence[Step]) -> bool:
    """Say whether there is one step only; a row without a name is about all of a profile."""
    return len(steps) == 1 and bool(steps[0].name)


def _behind_warm_up(profile: Profile, limits: Mapping[str, float]) -> tuple[Step, ...]:
    return _with_idleness(steady(profile, limits).behind_warm_up)


def _stalling(profile: Profile, limits: Mapping[str, float]) -> list[int]:
    """Return which steps behind the warm-up have much idle time.

    There are none unless they are many, and the device idles for much of all time.
    """
    steps, limit = _behind_warm_up(profile, limits), limits["idle-share"]
    places = [place for place, step in enumerate(steps) if _share(step) >= limit]
    is_much = (idle(steps) or 0.0) >= limit
    return places if is_much and is_frequent(places, len(steps)) else []


def _stalls(profile: Profile, limits: Mapping[str, float], ranks: int) -> Verdict:
    """Tell of idle time that most steps have no share in."""
    steps, places = _behind_warm_up(profile, limits), _stalling(profile, limits)
    stalling = [steps[place] for place in places]
    worst = max(stalling, key=lambda step: step.free_us or 0.0)
    captures = {
        **whose(profile),
        "count": str(len(stalling)),
        "steps": str(len(steps)),
        "share": percent(idle(steps) or 0.0),
        "idle": ms(sum(step.free_us or 0.0 for step in stalling)),
        "worst": ms(worst.free_us or 0.0),
        "worst_step": worst.name,
        "limit": percent(limits["idle-share"]),
    }
    if (every := period(places, len(steps))) is not None:
        captures["every"] = str(every)
    if ranks > 1:
        captures["ranks"] = str(ranks)
    return Verdict("stalls", profile, captures, (worst.proof,), len(stalling))


def _once(profile: Profile, limits: Mapping[str, float], ranks: int) -> Verdict:
    """Tell of the only step of a profile, which may be warm-up."""
    [step] = _known(profile, limits).steps
    captures = {
        **whose(profile),
        "share": percent(_share(step)),
        "idle": ms(step.free_us or 0.0),
        "step": ms(step.total_us),
        "limit": percent(limits["idle-share"]),
    }
    if ranks > 1:
        captures["ranks"] = str(ranks)
    return Verdict("idle_once", profile, captures, (step.proof,))


def _most_steps(profile: Profile, limits: Mapping[str, float], ranks: int) -> Verdict:
    return _prepares(profile, limits) or _idle(profile, limits, ranks)


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
