"""The steps that can be compared: without warm-up, epoch borders and rare exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ascend_doctor.profile.model import Profile, Step
from ascend_doctor.profile.verdicts.spent import timed

# Of fewer steps none is set apart as an exception: what is rare cannot be told.
_MANY = 5


@dataclass(frozen=True, slots=True)
class Steady:
    """The steps of a profile, sorted by what they can tell.

    Attributes:
        steps: ordinary ones, in order.
        rare: long ones that are so rare that they may be evaluation or a checkpoint.
        warm_up, borders: how many were left out at the start, and for the border of an epoch.
        behind_warm_up: ordinary and rare ones, in order.
    """

    steps: tuple[Step, ...]
    rare: tuple[Step, ...] = ()
    warm_up: int = 0
    borders: int = 0
    behind_warm_up: tuple[Step, ...] = ()

    @property
    def left_out(self) -> int:
        """How many steps the ordinary ones are without."""
        return self.warm_up + self.borders + len(self.rare)


def steady(profile: Profile, limits: Mapping[str, float]) -> Steady:
    """Sort the steps of a profile; what would leave less than two is not left out."""
    steps = timed(profile)
    warm_up = int(limits["warm-up-steps"])
    if len(steps) - warm_up < 2:
        warm_up = 0
    behind = steps[warm_up:]
    inner = tuple(step for step in behind if not step.is_border)
    if len(inner) < 2:
        inner = behind
    rare = _rare(inner, limits)
    return Steady(
        tuple(step for step in inner if step not in rare),
        tuple(rare),
        warm_up,
        len(behind) - len(inner),
        inner,
    )


def _rare(steps: Sequence[Step], limits: Mapping[str, float]) -> list[Step]:
    if len(steps) < _MANY:
        return []
    most = math.ceil(limits["rare-share"] * len(steps))
    usual = median(step.total_us for step in steps)
    longest = sorted(steps, key=lambda step: step.total_us, reverse=True)[:most]
    return [step for step in longest if step.total_us >= limits["long-step"] * usual]


def idle(steps: Iterable[Step]) -> float | None:
    """Return the share of time in which the device had nothing to do, None if no step says it."""
    known = [step for step in steps if step.free_us is not None]
    total = sum(step.total_us for step in known)
    return sum(step.free_us or 0.0 for step in known) / total if total else None
