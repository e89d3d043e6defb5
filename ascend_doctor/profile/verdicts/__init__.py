"""Profiles → conclusions; one module a family, each a pure function of profiles and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ascend_doctor.profile.model import Kind, Profile, Verdict
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
from ascend_doctor.profile.verdicts.spent import by_step, total, within
from ascend_doctor.profile.verdicts.steady import steady

# Of whatever times and sizes a profile has.
_JUDGES = (dataload.judge, compiling.judge, host.judge, cluster.judge, memory.judge)
# Of what logs say by lines.
_OF_LINES = (step_lines.judge, cards.judge, padding.judge)

# On what the time is spent that verdicts are about.
_SPENT_ON: Mapping[str, Kind] = {
    **dict.fromkeys(("loader_serial", "loader_serial_slow", "loader_behind"), "fetch"),
    **dict.fromkeys(("loader_waits", "slow_fetch"), "fetch"),
    **dict.fromkeys(("operators_compiled", "graph_compiled"), "compile"),
    **dict.fromkeys(("syncing", "blocking"), "sync"),
    "dispatching": "host",
    "ai_cpu": "ai_cpu",
    **dict.fromkeys(("preprocessing", "preprocessing_beside"), "preprocess"),
}
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
    yield from (replace(verdict, share=_share(verdict, limits)) for verdict in found)
    yield from waiting.judge(timed, limits, _accounted(timed, found))


def _share(verdict: Verdict, limits: Mapping[str, float]) -> float:
    """Return the part of ordinary steps that was spent on what a verdict is about."""
    kind = _SPENT_ON.get(verdict.name)
    if kind is None:
        return 0.0
    steps = steady(verdict.profile, limits).steps
    spent = within(by_step(verdict.profile, kind), steps)
    return min(1.0, spent / total(steps)) if spent else 0.0


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
