"""Profiles → conclusions; one module a family, each a pure function of profiles and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Profile, Verdict
from ascend_doctor.profile.verdicts import (
    cards,
    cluster,
    compiling,
    dataload,
    host,
    memory,
    padding,
    step_lines,
    waiting,
)

# Of whatever times and sizes a profile has.
_JUDGES = (dataload.judge, compiling.judge, host.judge, cluster.judge, memory.judge)
# Of what logs say by lines.
_OF_LINES = (step_lines.judge, cards.judge, padding.judge)

# Verdicts that say why a device waits, or steps take long, and leave nothing to be said of it.
_REASONS = frozenset(
    {
        *("loader_serial", "loader_serial_slow", "loader_behind", "loader_waits"),
        *("operators_compiled", "graph_compiled", "host_tiling", "preprocessing"),
        *("blocking", "syncing", "dispatching"),
    }
)
# The same of all ranks of a job that were compared.
_OF_JOB = frozenset({"slow_rank", "uneven_ranks", "all_idle"})


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield what is wrong with profiles.

    Args:
        profiles: all that were read together, of whatever ranks.
        limits: thresholds by the names of ``patterns/thresholds.yaml``.
    """
    for of_lines in _OF_LINES:
        yield from of_lines(profiles, limits)
    timed = [profile for profile in profiles if not _has_lines_only(profile)]
    found = [verdict for one in _JUDGES for verdict in one(timed, limits)]
    yield from found
    yield from waiting.judge(timed, limits, _accounted(timed, found))


def _has_lines_only(profile: Profile) -> bool:
    """Say whether all steps are those of step lines, which have a judge of their own."""
    told = [part.format for part in profile.measures if part.steps]
    return bool(told) and step_lines.FORMATS.issuperset(told)


def _accounted(profiles: Sequence[Profile], found: Sequence[Verdict]) -> frozenset[int]:
    """Return the places of the profiles whose waiting has a reason."""
    of_job = any(verdict.name in _OF_JOB for verdict in found)
    reasons = {id(verdict.profile) for verdict in found if verdict.name in _REASONS}
    return frozenset(
        place
        for place, profile in enumerate(profiles)
        if id(profile) in reasons or (of_job and profile.rank is not None)
    )
