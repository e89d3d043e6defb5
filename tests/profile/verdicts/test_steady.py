"""Which steps are compared, and which are set apart."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.profile.verdicts.steady import idle, steady
from tests.profile.verdicts.making import LIMITS, profile, steps

# A busy machine is no reason to fail.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def sorted_out(told, **limits):
    """Return what is left of steps, and how many are set apart for what."""
    days = steady(profile(steps=told), {**LIMITS, **limits})
    names = [step.name for step in days.steps]
    return names, days.warm_up, days.borders, [step.name for step in days.rare]


def border(told, *numbers):
    """Return steps of which some stand at the border of an epoch."""
    return tuple(replace(s, is_border=True) if s.name in numbers else s for s in told)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ((), ([], 0, 0, [])),
        (steps(100), (["1"], 0, 0, [])),
        (steps(900, 100), (["1", "2"], 0, 0, [])),
        (steps(900, 100, 100), (["2", "3"], 1, 0, [])),
        (steps(0, 100, 100), (["2", "3"], 0, 0, [])),
        (border(steps(9, 1, 1, 9, 1), "4"), (["2", "3", "5"], 1, 1, [])),
        (border(steps(9, 9, 9), "2", "3"), (["2", "3"], 1, 0, [])),
        (steps(*[10] * 9, 90, 10), ([*map(str, range(2, 10)), "11"], 1, 0, ["10"])),
        # Of few steps, what is rare cannot be told.
        (steps(10, 10, 10, 90, 10), (["2", "3", "4", "5"], 1, 0, [])),
        (steps(10, 10, 10, 90, 10, 10), (["2", "3", "5", "6"], 1, 0, ["4"])),
        (steps(10, 10, 90, 10, 90, 10), (["2", "4", "5", "6"], 1, 0, ["3"])),
        # An evaluation every twentieth step.
        (
            steps(*[10] * 9, 90, *[10] * 19, 80, *[10] * 9),
            ([str(n) for n in range(2, 40) if n not in (10, 30)], 1, 0, ["10", "30"]),
        ),
        # Many long ones are no exception.
        (
            steps(*[10, 90] * 6)[:11],
            (["3", "5", "7", "9", "11", "2", "4", "6", "8", "10"], 1, 0, []),
        ),
    ],
)
def test_warm_up_borders_and_exceptions_are_set_apart(told, expected):
    names, *rest = sorted_out(told)
    assert (sorted(names), *rest) == (sorted(expected[0]), *expected[1:])


def test_how_many_steps_are_warm_up_is_a_threshold():
    assert sorted_out(steps(*[1] * 5), **{"warm-up-steps": 3})[0] == ["4", "5"]


def test_idle_time_is_of_the_steps_that_say_it():
    told = (*steps(100, free_us=40), *steps(900))
    assert (idle(told), idle(steps(900)), idle(())) == (0.4, None, None)


@UNHURRIED
@given(st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), max_size=40))
def test_no_step_is_lost_or_counted_twice(given_steps):
    told = tuple(
        replace(s, is_border=is_border)
        for s, (_, is_border) in zip(
            steps(*(length for length, _ in given_steps)), given_steps, strict=True
        )
    )
    days = steady(profile(steps=told), LIMITS)
    kept = len(days.steps) + days.left_out
    assert kept == sum(step.total_us > 0 for step in told)


def test_what_is_behind_the_warm_up_stays_in_order():
    days = steady(profile(steps=steps(*[10] * 6, 90, *[10] * 4)), LIMITS)
    assert [step.name for step in days.rare] == ["7"]
    assert [step.name for step in days.behind_warm_up] == [str(n) for n in range(2, 12)]
