"""A curve keeps its shape however many lines it is drawn from, and however sparsely."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ascend_doctor.formats.metrics import StepLine
from ascend_doctor.scan.series import MAX_GROUPS, Line, Point, Series


def drawn(weights: list[int]) -> Series:
    """Return the series of a counter that each point moves on by its weight."""
    series, at = Series(), 0
    for weight in weights:
        step = StepLine("loss", str(at), float(at), None, at, False)
        series.add(Point(step, Line(b"", (at, 0), None)), weight)
        at += weight
    return series


@pytest.mark.parametrize(
    ("weights", "stride"),
    [
        ([1] * MAX_GROUPS, 1),
        ([1] * (MAX_GROUPS + 1), 2),
        ([1] * 5000, 32),
        ([64] * 10, 64),
        ([64] * 1000, 256),
        ([1] * 1000 + [2] * 1000 + [4] * 1000 + [8] * 1000, 64),
    ],
)
def test_groups_stand_for_equally_many_lines(weights, stride):
    series = drawn(weights)
    starts = [group.first.step.value for group in series.groups]
    assert series.stride == stride
    assert starts[0] == 0
    assert {b - a for a, b in pairwise(starts)} == {stride}


def test_a_group_keeps_its_lowest_and_its_highest_line():
    series = Series()
    for at, value in enumerate([5.0, 9.0, 1.0, 4.0] * MAX_GROUPS):
        step = StepLine("loss", str(value), value, None, at, False)
        series.add(Point(step, Line(b"", (at, 0), None)), 1)
    curve = series.curve()
    assert (curve.stride, len(curve.values)) == (4, MAX_GROUPS)
    assert (set(curve.values), set(curve.lows), set(curve.highs)) == ({5.0}, {1.0}, {9.0})
