"""Bars of time on a terminal: they keep to its width, and tell parts apart without colour."""

from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ascend_doctor.cli.terminal import _PLAINER
from ascend_doctor.records import LANGS
from ascend_doctor.report import PARTS, Bar, Breakdown, Place, Track
from ascend_doctor.reporters import text
from ascend_doctor.reporters.bars import SIGNS, lines
from tests.reporters.reports import ANY_REPORT, FULL


def track(rank, *bars, positions=()):
    parts = {}
    for bar in bars:
        for part, took in bar.parts.items():
            parts[part] = parts.get(part, 0.0) + took
    total = sum(bar.total_ms for bar in bars)
    return Track("run", rank, None, len(bars), total, parts, bars, positions)


def bar(name, line, positions=(), **parts):
    return Bar(name, name, 1, sum(parts.values()), parts, Place("a.csv", line), positions)


def shown(breakdown, lang="en", width=80):
    return [line.plain.rstrip() for line in lines(breakdown, lang, width)]


def test_a_rank_a_row_to_one_scale():
    slow = track(3, bar("1", 7, (1,), computing=40.0, fetch=60.0), positions=(1,))
    quick = track(0, bar("1", 2, computing=45.0, communication=5.0))
    assert shown(Breakdown((slow, quick), left_out=2), width=100) == [
        "Step time, mean of each rank",
        "✗ rank 3  ████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒    100.0 ms  60% waiting for data  a.csv:7",
        "  rank 0  ██████████████▓                    50.0 ms  10% exposed communication  a.csv:2",
        "  █ computing  ▓ exposed communication  ▒ waiting for data",
        "  2 more ranks; --format json has all",
    ]


def test_of_a_single_rank_the_steps_that_say_most():
    bars = [bar(str(n), n + 2, computing=10.0 + n) for n in range(20)]
    bars[4] = bar("4", 6, (1,), computing=1.0, free=9.0)
    told = shown(Breakdown((track(0, *bars, positions=(1,)),)))
    assert told[0] == "Step time, mean of 20 steps"
    assert told[-1] == "  15 more steps; --format json has all"
    assert [line[:10].rstrip() for line in told[1:-2]] == [
        *("✗ rank 0", "✗ step 4", "  step 16", "  step 17", "  step 18", "  step 19"),
    ]


def test_ranks_of_several_folders_are_told_apart():
    one, other = (
        Track(name, 0, None, 1, 1.0, {"unknown": 1.0}, (bar("1", 1, unknown=1.0),))
        for name in ("a", "b")
    )
    told = shown(Breakdown((one, other)))
    assert [line[2:12] for line in told[1:3]] == ["rank 0 (a)", "rank 0 (b)"]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(ANY_REPORT, st.sampled_from(LANGS), st.integers(60, 200))
def test_no_line_is_wider_than_the_screen(report, lang, width):
    told = shown(report.breakdown, lang, width) if report.breakdown.tracks else []
    assert [line for line in told if cell_len(line) > width] == []


def test_signs_differ_in_colour_and_without_in_unicode_and_in_ascii():
    signs = [SIGNS[part][0] for part in PARTS]
    ascii_ = [sign.encode("ascii", _PLAINER).decode() for sign in signs]
    assert len({*signs}) == len({*ascii_}) == len(PARTS)
    assert [sign for sign in ascii_ if len(sign) != 1] == []


def test_ascii_screens_show_the_same_bars():
    out = io.TextIOWrapper(io.BytesIO(), "ascii", errors=_PLAINER)
    out.write("\n".join(shown(FULL.breakdown)))
    out.flush()
    said = out.buffer.getvalue().decode().splitlines()
    assert (said[1], said[4]) == (
        "x rank 3            #############+++++..    474.2 ms",
        "  # computing  + waiting for data  % compiling  / synchronising",
    )


@pytest.mark.parametrize("color", [True, False])
def test_colour_is_an_addition(color):
    said = text.render(FULL, color=color)
    assert ("\x1b[" in said) is color
    assert "█" in said
    assert "▒" in said
