"""Time by its reason: of all steps, and by the names of what it was spent on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ascend_doctor.profile.model import Kind, Profile, Step, Tally

_FIELDS: Mapping[Kind, str] = {"fetch": "fetch_us", "compile": "compile_us", "sync": "sync_us"}


def tallies(profile: Profile, *kinds: Kind) -> tuple[Tally, ...]:
    """Return the tallies of some kinds, the longest first.

    Where those that are believed do not say in which steps they were, but some file does, its
    tallies are taken.
    """
    told = [tally for tally in profile.tallies if tally.kind in kinds]
    if not any(tally.by_step for tally in told):
        for part in profile.measures:
            placed = [tally for tally in part.tallies if tally.kind in kinds]
            if any(tally.by_step for tally in placed):
                told = placed
                break
    return tuple(sorted(told, key=lambda tally: (-tally.total_us, tally.name)))


def by_step(profile: Profile, kind: Kind) -> Mapping[str, float]:
    """Return how long each step took for something; empty if no file says it by steps."""
    field = _FIELDS.get(kind)
    told = {
        step.name: value
        for step in profile.steps
        if field is not None and (value := getattr(step, field)) is not None
    }
    if told:
        return told
    found: dict[str, float] = defaultdict(float)
    for tally in tallies(profile, kind):
        for name, time_us in tally.by_step.items():
            found[name] += time_us
    return found


def within(times: Mapping[str, float], steps: Iterable[Step]) -> float:
    """Return the time that was spent within some steps, in µs."""
    return sum(times.get(step.name, 0.0) for step in steps)


def timed(profile: Profile) -> tuple[Step, ...]:
    """Return the steps of a profile that took any time."""
    return tuple(step for step in profile.steps if step.total_us > 0)


def total(steps: Iterable[Step]) -> float:
    """Return how long steps took together, in µs."""
    return sum(step.total_us for step in steps)
