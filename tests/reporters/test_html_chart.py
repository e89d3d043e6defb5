"""When things happened, as shapes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ascend_doctor.records import Origin, Severity
from ascend_doctor.report import Activity, Timeline
from ascend_doctor.reporters.html.chart import CELLS, MAX_LANES, MAX_ROWS, Cell, Tick, chart
from tests.reporters.reports import CAUSE

DAY = "2026-03-04T"


def activity(first: str | None, last: str | None, rank: int | None = 0, **fields) -> Activity:
    begin, end = (time and f"{DAY}{time}" for time in (first, last))
    return replace(
        Activity(1, CAUSE.rule, "cause", Severity.FATAL, Origin(rank=rank), "a.log", 1, begin, end),
        **fields,
    )


def test_spans_lie_where_they_were():
    drawn = chart(
        Timeline(
            (
                activity("05:00:00.000000", "05:00:10.000000", rank=1),
                activity("05:00:02.500000", "05:00:05.000000", rank=0, rule="numerics-nan"),
                activity("05:00:05.000000", None, rank=1, position=2),
            )
        ),
        CAUSE,
    )
    assert [
        (lane.name, [(b.kind, b.left, b.width) for b in lane.bars]) for lane in drawn.lanes
    ] == [
        ("rank 0", [("after", 25.0, 25.0)]),
        ("rank 1", [("cause", 0.0, 100.0), ("other", 50.0, 0.01)]),
    ]
    assert drawn.ticks == tuple(
        Tick(20.0 * number, f"05:00:{2 * number:02}") for number in range(6)
    )
    assert (drawn.first, drawn.last) == ("2026-03-04 05:00:00", "2026-03-04 05:00:10")
    assert (drawn.cause, drawn.kinds) == (0.0, {"cause", "after", "other"})


def test_one_moment_is_in_the_middle():
    drawn = chart(Timeline((activity("05:00:00.000000", "05:00:00.000000"),)), CAUSE)
    assert [(bar.left, bar.width) for lane in drawn.lanes for bar in lane.bars] == [(50.0, 0.01)]
    assert drawn.ticks == (Tick(50.0, "05:00:00.000"),)


def test_remarks_alone_have_no_root_cause():
    drawn = chart(Timeline((activity("05:00:00.000000", None),)), None)
    assert (drawn.cause, drawn.kinds) == (None, {"other"})


@pytest.mark.parametrize("time", [None, "", "soon", "2026-03-04T25:00:00.000000", "\x1b[31m"])
def test_what_is_no_time_is_in_the_table_only(time):
    odd = replace(activity(None, None, rule="numerics-nan"), first_seen=time)
    assert chart(Timeline((odd,)), CAUSE) is None
    drawn = chart(Timeline((odd, activity("05:00:00.000000", None))), CAUSE)
    assert (drawn.untimed, len(drawn.lanes), len(drawn.table)) == (1, 1, 2)


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        (Origin("node-2", 3, 1, 77), "node-2 rank 3"),
        (Origin(None, None, 1, 77), "pid 77"),
        (Origin("node-2", None, 1), "node-2 device 1"),
        (Origin(), "a.log"),
    ],
)
def test_a_lane_says_who_it_was(origin, name):
    drawn = chart(Timeline((activity("05:00:00.000000", None, origin=origin),)), CAUSE)
    assert [lane.name for lane in drawn.lanes] == [name]


def test_many_rows_become_a_heat_map():
    rows = [
        activity(
            "05:00:00.000000", "05:00:48.000000" if n == 0 else "05:00:00.000000", rank=n % 200
        )
        for n in range(400)
    ]
    drawn = chart(Timeline(tuple(rows)), CAUSE)
    assert (drawn.is_heat, len(rows) > MAX_ROWS) == (True, True)
    assert (len(drawn.lanes), drawn.lanes_left_out) == (MAX_LANES, 200 - MAX_LANES)
    assert drawn.lanes[0].cells == (Cell(0, 1, 2, 2), Cell(1, CELLS - 1, 1, 1))
    assert drawn.lanes[1].cells == (Cell(0, 1, 2, 2),)
    assert [lane.cause for lane in drawn.lanes] == [0] * MAX_LANES
    assert drawn.rows_left_out == 400 - len(drawn.table)


@pytest.mark.parametrize(
    ("last", "ticks"),
    [
        ("05:00:00.002000", ["05:00:00.000", "05:00:00.001", "05:00:00.002"]),
        ("07:10:00.000000", ["05:00:00", "05:30:00", "06:00:00", "06:30:00", "07:00:00"]),
        ("20:00:00.000000", ["06:00:00", "09:00:00", "12:00:00", "15:00:00", "18:00:00"]),
    ],
)
def test_ticks_are_round(last, ticks):
    drawn = chart(Timeline((activity("05:00:00.000000", last),)), CAUSE)
    assert [tick.text for tick in drawn.ticks] == ticks


def test_weeks_are_told_by_days():
    long = replace(activity("05:00:00.000000", None), last_seen="2026-04-01T05:00:00.000000")
    drawn = chart(Timeline((long,)), CAUSE)
    assert [tick.text for tick in drawn.ticks][:2] == ["2026-03-09", "2026-03-14"]
