"""What sets a verdict on a curve apart from none, one respect at a time."""

from __future__ import annotations

import pytest

from ascend_doctor.knowledge.curve import Curve, Verdict, verdict

LEARNT = [10.0, 8.0, 6.0, 5.0, 4.5, 4.2]
NOISE = [2.31, 2.52, 2.17, 2.44, 2.08]
FALLING = [5.0 - 0.04 * n for n in range(100)]
LANGUAGE = [10.8 - 0.08 * n for n in range(100)]


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([*LEARNT, *[0.0] * 8], 1e-4, Verdict("zero", 6, None)),
        ([*LEARNT, *[0.0] * 7], 1e-4, None),
        ([*LEARNT, *[0.0] * 8, 0.1], 1e-4, None),
        ([*LEARNT, 0.0, 3.9, *[0.0] * 9], 1e-4, None),
        ([*LEARNT, 1.0, 0.2, 0.01, *[0.0] * 9], 1e-4, None),
        ([*[0.4] * 6, *[0.0] * 9], 1e-4, Verdict("zero", 6, None)),
        ([*[0.4] * 6, *[0.0] * 9], 1e-2, None),
        ([*[0.0] * 20], 1e-4, None),
    ],
)
def test_fallen_to_zero(values, unit, expected):
    assert verdict(Curve(values, values, values, unit=unit)) == expected


@pytest.mark.parametrize(
    ("values", "digits", "expected"),
    [
        ([*NOISE, *[2.2113] * 30], 5, Verdict("stuck", 5, None)),
        ([*NOISE, *[2.2113] * 29], 5, None),
        ([*NOISE, *[2.2113] * 30], 3, None),
        ([*NOISE, *[2.2113] * 30, 2.2114], 5, None),
        ([*NOISE * 25, *[2.2113] * 30], 5, None),
        # ln 2, an even guess between two classes, needs less repetition.
        ([*NOISE, *[0.6931] * 15], 4, Verdict("stuck", 5, None)),
        ([*NOISE, *[0.6931] * 14], 4, None),
        ([*NOISE, *[0.6937] * 15], 4, None),
        # It comes to rest by ever smaller steps.
        ([2.3, 2.25, 2.22, 2.213, 2.2115, 2.2114, *[2.2113] * 30], 5, None),
        # It often repeats a value for a while.
        ([v for v in NOISE for _ in range(8)] + [2.2113] * 34, 5, None),
    ],
)
def test_stuck(values, digits, expected):
    assert verdict(Curve(values, values, values, digits=digits)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([*FALLING, *[4.6] * 40], Verdict("exploded", 100, 92)),
        ([*FALLING, *[4.6] * 15], None),
        ([*FALLING, *[3.6] * 40], None),
        ([*FALLING, *[4.6] * 40, *[1.5] * 10], None),
        ([*FALLING, *[1.0 + 0.07 * n for n in range(50)], *[4.6] * 40], None),
        ([*FALLING[:25], *[4.8] * 25], None),
        ([-1.0, *FALLING, *[4.6] * 40], None),
        # The entropy of the tokens' frequencies alone.
        ([*LANGUAGE, *[7.2] * 40], Verdict("exploded", 100, 92)),
        ([*LANGUAGE, *[5.9] * 40], None),
        ([*[3.0] * 50, *[6.5] * 50], Verdict("exploded", 50, 0)),
        ([*[3.0] * 50, *[5.5] * 50], None),
        ([*[3.0] * 50, *[6.5] * 40, *[3.5] * 10], None),
    ],
)
def test_exploded(values, expected):
    assert verdict(Curve(values, values, values, digits=3)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([2.0] * 6 + [50.0, 41.0, 45.0, 60.0], Verdict("exploded", 6, 0)),
        ([2.0] * 6 + [50.0, 41.0, 45.0], None),
        ([2.0] * 6 + [38.0, 36.0, 37.0, 35.0], None),
        ([0.5] * 6 + [19.0, 21.0, 22.0, 18.0], None),
        ([2.0] * 6 + [50.0, 41.0, 45.0, 60.0, 3.0], None),
        # A sum over all steps.
        ([2.3 * n for n in range(1, 200)], None),
    ],
)
def test_ran_away(values, expected):
    assert verdict(Curve.of(values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.06, 0.16, 0.05, 0.06, *[5.4e19, 4.3e20, 2.1e21, 7.7e21]], Verdict("exploded", 4, 2)),
        ([0.06, 0.16, 0.05, 0.06, 0.06, *[5.4e19, 4.3e20, 2.1e21]], None),
        ([0.06, 0.16, 0.05, 0.06, *[5.4e19, 4.3e20, 2.1e21, 0.3]], None),
    ],
)
def test_blew_up_in_a_short_log(values, expected):
    assert verdict(Curve.of(values)) == expected
