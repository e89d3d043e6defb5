"""Where the time of steps went: the parts of each, whose they are, and how many are kept."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import ascend_doctor
from ascend_doctor.diagnosis.breakdown import MAX_BARS, MAX_TRACKS, split
from ascend_doctor.profile.model import Step
from ascend_doctor.records import Evidence, Note
from ascend_doctor.report import Bar, Breakdown, Place, Track

DEVICES = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Free\n"
RANKS = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Free\n"


def step(total, **measured):
    return Step("1", Evidence("a.csv", 2, ""), total, **{f"{k}_us": v for k, v in measured.items()})


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        # The device tells all of it.
        (
            {"computing": 60.0, "communication": 30.0, "free": 10.0},
            {"computing": 60, "communication": 30, "free": 10},
        ),
        # What the host did explains idle time, and no more than there was.
        (
            {"computing": 60.0, "communication": 30.0, "free": 10.0, "fetch": 4.0},
            {"computing": 60, "communication": 30, "fetch": 4, "free": 6},
        ),
        (
            {"computing": 60.0, "communication": 30.0, "free": 10.0, "fetch": 80.0, "sync": 5.0},
            {"computing": 60, "communication": 30, "fetch": 10, "sync": 0, "free": 0},
        ),
        (
            {"computing": 0.0, "communication": 0.0, "fetch": 50.0, "compile": 30.0, "sync": 40.0},
            {"computing": 0, "communication": 0, "fetch": 50, "compile": 30, "sync": 20, "free": 0},
        ),
        # Until the first task the host did what was measured already.
        (
            {"computing": 50.0, "communication": 0.0, "free": 50.0, "preparing": 30.0},
            {"computing": 50, "communication": 0, "preparing": 30, "free": 20},
        ),
        (
            {
                "computing": 50.0,
                "communication": 0.0,
                "free": 50.0,
                "preparing": 30.0,
                "fetch": 20.0,
            },
            {"computing": 50, "communication": 0, "fetch": 20, "preparing": 10, "free": 20},
        ),
        (
            {
                "computing": 50.0,
                "communication": 0.0,
                "free": 50.0,
                "preparing": 9.0,
                "fetch": 20.0,
            },
            {"computing": 50, "communication": 0, "fetch": 20, "preparing": 0, "free": 30},
        ),
        # What nothing tells is not called free.
        ({}, {"unknown": 100}),
        ({"fetch": 30.0}, {"fetch": 30, "unknown": 70}),
        ({"fetch": 100.0}, {"fetch": 100}),
        ({"computing": 60.0}, {"computing": 60, "unknown": 40}),
        ({"computing": 60.0, "fetch": 50.0}, {"computing": 60, "fetch": 40}),
        ({"free": 30.0, "fetch": 20.0}, {"fetch": 20, "free": 10, "unknown": 70}),
        (
            {"computing": 50.0, "communication": 10.0, "free": 20.0},
            {"computing": 50, "communication": 10, "free": 20, "unknown": 20},
        ),
        # Sums that are longer than the step, and numbers that are none.
        (
            {"computing": 90.0, "communication": 30.0, "free": 10.0},
            {"computing": 90, "communication": 10, "free": 0},
        ),
        ({"computing": -5.0, "communication": math.nan}, {"computing": 0, "unknown": 100}),
        ({"fetch": math.inf}, {"unknown": 100}),
        # What rounding leaves is nothing of its own.
        (
            {"computing": 33.3, "communication": 33.3, "free": 33.3},
            {"computing": 33, "communication": 33, "free": 34},
        ),
    ],
)
def test_the_parts_of_a_step_in_their_precedence(measured, expected):
    assert split(step(100.0, **measured)) == expected


AMOUNTS = st.none() | st.floats(-1e3, 1e9)


@given(
    st.floats(0, 1e9),
    st.fixed_dictionaries(
        dict.fromkeys(
            ("computing", "communication", "free", "fetch", "compile", "sync", "preparing"), AMOUNTS
        )
    ),
)
def test_parts_are_never_negative_and_add_up(total, measured):
    parts = split(step(total, **measured))
    assert min(parts.values()) >= 0
    assert sum(parts.values()) == round(total)


def analyzed(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".csv").write_text(text, encoding="utf-8")
    return ascend_doctor.analyze(tmp_path)


def bar(name, line, total, positions=(), **parts):
    return Bar(name, name, 1, total, parts, Place("run/cluster.csv", line), positions)


def test_ranks_of_a_cluster_the_guilty_one_first(tmp_path):
    rows = [
        "1,rank,0,900000,100000,0,0",
        "2,rank,0,900000,50000,0,50000",
        "1,rank,1,500000,100000,0,400000",
        "2,rank,1,100000,0,0,900000",
    ]
    report = analyzed(tmp_path, run__cluster=RANKS + "\n".join(rows))
    assert [(d.rule, d.ranks) for d in report.diagnoses] == [("dataload-device-idle", (1,))]
    assert report.breakdown == Breakdown(
        (
            Track(
                "run",
                1,
                None,
                2,
                2000.0,
                {"computing": 600.0, "communication": 100.0, "free": 1300.0},
                (
                    bar("1", 4, 1000.0, computing=500.0, communication=100.0, free=400.0),
                    bar("2", 5, 1000.0, (1,), computing=100.0, communication=0.0, free=900.0),
                ),
                positions=(1,),
            ),
            Track(
                "run",
                0,
                None,
                2,
                2000.0,
                {"computing": 1800.0, "communication": 150.0, "free": 50.0},
                (
                    bar("1", 2, 1000.0, computing=900.0, communication=100.0, free=0.0),
                    bar("2", 3, 1000.0, computing=900.0, communication=50.0, free=50.0),
                ),
            ),
        )
    )


def test_of_devices_of_one_profile_only_the_guilty_one_is_marked(tmp_path):
    rows = ["0,1,900,0,0,100", "1,,100,0,0,900", "0,2,900,0,0,100"]
    report = analyzed(tmp_path, run__trace=DEVICES + "\n".join(rows))
    told = [(t.device, t.positions, [b.positions for b in t.bars]) for t in report.breakdown.tracks]
    assert told == [("1", (1,), [(1,)]), ("0", (), [(), ()])]


def test_a_diagnosis_that_is_left_out_marks_nothing(tmp_path):
    from ascend_doctor.gate.selection import Selection

    report = analyzed(tmp_path, run__cluster=RANKS + ",rank,1,100,0,0,900")
    left = Selection(ignore=("dataload",)).applied(report)
    assert [(t.positions, t.bars[0].positions) for t in report.breakdown.tracks] == [((1,), (1,))]
    assert [(t.positions, t.bars[0].positions) for t in left.breakdown.tracks] == [((), ())]


def test_neighbours_of_many_steps_share_a_bar(tmp_path):
    rows = [f"{n},rank,0,{1000 + n},0,0,0" for n in range(2 * MAX_BARS + 1)]
    report = analyzed(tmp_path, run__cluster=RANKS + "\n".join(rows))
    [track] = report.breakdown.tracks
    assert (track.steps, len(track.bars)) == (2 * MAX_BARS + 1, MAX_BARS)
    assert {bar.steps for bar in track.bars} == {2, 3}
    assert sum(bar.steps for bar in track.bars) == track.steps
    assert math.isclose(sum(bar.total_ms for bar in track.bars), track.total_ms)
    first = track.bars[0]
    assert (first.first, first.last, first.proof.line) == ("0", "2", 4)
    assert (track.bars[-1].last, track.bars[-1].proof.line) == ("400", 402)


def test_of_too_many_ranks_the_guilty_one_is_kept(tmp_path):
    rows = [f",rank,{n},1000,0,0,{3000 if n == 90 else 0}" for n in range(100)]
    report = analyzed(tmp_path, run__cluster=RANKS + "\n".join(rows))
    ranks = [track.rank for track in report.breakdown.tracks]
    assert ranks == [90, *range(MAX_TRACKS - 1)]
    assert report.breakdown.left_out == 100 - MAX_TRACKS


def test_notes_of_files_are_kept_with_their_paths(tmp_path):
    report = analyzed(tmp_path, a__x=RANKS, b__x=RANKS + "1,rank,0,1,1,1,1")
    assert report.coverage.notes == (("a/x.csv", Note("no_steps")),)


def test_a_step_that_stands_for_others_counts_as_often():
    from ascend_doctor.diagnosis.breakdown import _bar, _Told

    one, many = (
        replace(step(100.0, fetch=took), count=count) for took, count in ((90.0, 1), (10.0, 9))
    )
    told = [_Told(item, split(item), frozenset()) for item in (one, many)]
    assert _bar(told) == Bar("1", "", 10, 1.0, {"fetch": 0.18, "unknown": 0.82}, Place("a.csv", 2))
