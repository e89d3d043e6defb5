"""The steps that can be compared: without warm-up, epoch borders and rare exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median, median_low

from msgspec import Struct

from ascend_doctor.profile.model import Profile, Step
from ascend_doctor.profile.verdicts.spent import timed

# Of fewer steps none is set apart as an exception: what is rare cannot be told.
_MANY = 5
# Steps of which something holds are more than a few exceptions: so many, and so much of all steps,
# or one after each so many steps or fewer, as workers of a loader stall in turns.
_REPEATED = 3
_OFTEN = 0.25
_PERIOD = 8


class Steady(Struct, frozen=True):
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
    apart = {id(step) for step in rare}
    return Steady(
        tuple(step for step in inner if id(step) not in apart),
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


def is_usual(shares: Sequence[float], limit: float) -> bool:
    """Say whether shares of steps reach a limit in most of them, or again and again.

    >>> is_usual([0.1, 0.4, 0.4], 0.3), is_usual([0.1, 0.1, 0.9], 0.3)
    (True, False)
    """
    if not shares:
        return False
    places = [place for place, share in enumerate(shares) if share >= limit]
    return median_low(shares) >= limit or is_frequent(places, len(shares))


def is_idle(steps: Sequence[Step], limit: float) -> bool:
    """Say whether the device idles for so much of the time of steps, and not in exceptions only."""
    shares = [step.free_us / step.total_us for step in steps if step.free_us is not None]
    return (idle(steps) or 0.0) >= limit and is_usual(shares, limit)


def is_frequent(places: Sequence[int], count: int) -> bool:
    """Say whether what holds for some of ``count`` steps is more than a few exceptions.

    >>> is_frequent([3, 11], 20), is_frequent([3, 9, 15], 20), is_frequent([3, 5, 15], 20)
    (False, True, False)
    """
    if len(places) < _REPEATED:
        return False
    return len(places) >= _OFTEN * count or (period(places, count) or count) <= _PERIOD


def period(places: Sequence[int], count: int) -> int | None:
    """Return after how many steps it is so again, None if that is not regular throughout."""
    gaps = [after - before for before, after in pairwise(places)]
    if len(gaps) < _REPEATED - 1 or max(gaps) - min(gaps) > 1:
        return None
    return max(gaps) if (len(places) + 1) * max(gaps) >= count else None
