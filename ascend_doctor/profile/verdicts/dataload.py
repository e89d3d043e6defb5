"""The device waits for its host: how much, which rank, and what the host did meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Profile, Verdict


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the rank or device whose idle share of all its steps is largest, if it is large."""
    worst = max(profiles, key=_idle_share, default=None)
    if worst is None or _idle_share(worst) < limits["idle-share"]:
        return
    idle = sum(step.free_us or 0.0 for step in worst.steps)
    total = sum(step.total_us for step in worst.steps)
    deciding = max(worst.steps, key=lambda step: step.free_us or 0.0)
    name = str(worst.rank) if worst.rank is not None else worst.device or "?"
    yield Verdict(
        "idle",
        worst,
        {
            "name": name,
            "share": f"{100 * idle / total:.0f}",
            "idle": f"{idle / 1000:.1f}",
            "step": f"{total / 1000:.1f}",
        },
        (deciding.proof,),
        count=len(worst.steps),
    )


def _idle_share(profile: Profile) -> float:
    known = [step for step in profile.steps if step.free_us is not None]
    total = sum(step.total_us for step in known)
    return sum(step.free_us or 0.0 for step in known) / total if total else 0.0
