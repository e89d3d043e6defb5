"""Profiles → conclusions; one module a family, each a pure function of profiles and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Profile, Verdict
from ascend_doctor.profile.verdicts import cards, dataload, step_lines

_JUDGES = (dataload.judge, step_lines.judge, step_lines.slower, cards.judge)


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield what is wrong with profiles.

    Args:
        profiles: all that were read together, of whatever ranks.
        limits: thresholds by the names of ``patterns/thresholds.yaml``.
    """
    for one in _JUDGES:
        yield from one(profiles, limits)
