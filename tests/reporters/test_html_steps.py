"""The steps on the HTML page: their scale, their legend, and what is not shown beside them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.report import Bar, Breakdown, Place, Timeline, Track
from ascend_doctor.reporters.html import render
from ascend_doctor.reporters.html.breakdown import HEIGHT, Tick, ticks
from tests.reporters.reports import CLEAN, FULL

PROOF = Place("step_trace_time.csv", 2)


def of_profiles(positions=()):
    """Return a report that nothing but a profile of two steps gave."""
    bars = tuple(Bar(f"{n}", f"{n}", 1, 250.0, {"free": 250.0}, PROOF, positions) for n in (7, 8))
    coverage = replace(CLEAN.coverage, by_kind={"profile": 1}, levels=(), time_range=None)
    track = Track("", 0, None, 2, 500.0, {"free": 500.0}, bars, positions=positions)
    return replace(
        CLEAN, coverage=coverage, breakdown=Breakdown((track,)), timeline=Timeline(), environment={}
    )


def sections(report):
    return re.findall(r'<section id="(\w+)"', render(report))


def linked(report):
    return re.findall(r'<a href="#(\w+)">', render(report).partition("</nav>")[0])


def test_sections_with_nothing_in_them_are_left_out_of_a_page_on_profiles():
    report = of_profiles()
    assert sections(report) == ["steps", "coverage"]
    assert linked(report) == ["steps", "coverage"]


@pytest.mark.parametrize("of_logs", [{"by_kind": {"text": 1}}, {"levels": ("ERROR",)}])
def test_of_logs_a_page_says_that_there_is_nothing(of_logs):
    report = of_profiles()
    report = replace(report, coverage=replace(report.coverage, **of_logs))
    everything = ["further", "time", "steps", "codes", "environment", "unexplained", "coverage"]
    assert sections(report) == linked(report) == everything


def test_what_is_there_is_shown_beside_profiles():
    report = replace(FULL, coverage=of_profiles().coverage)
    assert [*dict.fromkeys(sections(report))] == sections(FULL)


@pytest.mark.parametrize(("positions", "count"), [((), 0), ((1,), 1)])
def test_the_mark_of_a_step_is_explained_where_there_is_one(positions, count):
    text = render(of_profiles(positions))
    assert text.count("a step that a diagnosis is about; click to go there") == count


def test_columns_have_a_scale_in_milliseconds():
    text = render(of_profiles())
    scale = text.partition('<svg class="scale"')[2].partition("</svg>")[0]
    assert re.findall(r"<text [^>]*>([^<]*)</text>", scale) == ["0", "100", "200"]
    assert "ms a step" in text
    assert "每 step 毫秒数" in text


@pytest.mark.parametrize(
    ("longest", "texts"),
    [
        (0.0, ["0"]),
        (1e-300, ["0"]),
        (0.7, ["0", "0.2", "0.4", "0.6"]),
        (100, ["0", "50", "100"]),
        (12_345.6, ["0", "5,000", "10,000"]),
    ],
)
def test_the_scale_has_round_values(longest, texts):
    assert [tick.text for tick in ticks(longest)] == texts


@given(st.floats(0, allow_nan=False, allow_infinity=False))
def test_a_scale_goes_up_from_the_ground_and_has_few_marks(longest):
    found = ticks(longest)
    assert found[0] == Tick(HEIGHT, "0")
    assert 1 <= len(found) <= 5
    places = [tick.at for tick in found]
    assert places == sorted(places, reverse=True)
    assert all(-0.1 <= place <= HEIGHT for place in places)
