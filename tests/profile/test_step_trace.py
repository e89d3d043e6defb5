"""Where the time of a step went, by the profiler's table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.profile.step_trace import Idle, is_step_trace, most_idle

DEVICES = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Free,Stage"
RANKS = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Free,Stage"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (DEVICES.encode(), True),
        (RANKS.encode() + b"\r\n1,rank,0", True),
        (b"\xef\xbb\xbf" + DEVICES.encode(), True),
        (b"Free,Computing,Communication(Not Overlapped)\r\n", True),
        (b"Computing,Communication(Not Overlapped),Free\r\n", True),
        (b"Computing\t,Communication(Not Overlapped)\t,Free\t\n", True),
        (b"Device_id,Step,Computing,Free\n", False),
        (b"Step,Type,Index\n" + DEVICES.encode(), False),
        (b"", False),
    ],
)
def test_a_step_trace_is_known_by_its_header(head, expected):
    assert is_step_trace(head) is expected


def test_the_idlest_device_over_all_its_steps_is_told_with_its_worst_row():
    rows = [
        "0,1,600.0,300.0,0,100.0,1000",
        "1,1,500.0,0.0,0,500.0,1000",
        "1,2,200.0,0.0,0,800.0,1000",
        "0,2,900.0,0.0,0,100.0,1000",
    ]
    assert most_idle("\n".join([DEVICES, *rows]) + "\n") == Idle("1", 4, rows[2], 1.3, 2.0)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_other_systems_change_nothing(newline):
    text = newline.join([DEVICES, "0,1,600.0,300.0,0,100.0,1000", "", "0,2,400,0,0,600,1000", ""])
    assert most_idle(text) == Idle("0", 4, "0,2,400,0,0,600,1000", 0.7, 2.0)


def test_tabs_and_blanks_around_cells_do_not_matter():
    header = "Device_id\t,Step,Computing\t,Communication(Not Overlapped)\t,Overlapped,Free\t,Stage"
    row = "7\t,1\t,600.0\t, 300.0,0\t,100.0\t,1000\t"
    assert most_idle(f"{header}\n{row}\n") == Idle("7", 2, row, 0.1, 1.0)


def test_rows_of_stages_are_left_out_since_they_sum_others_up():
    rows = ["1,rank,3,900.0,0,0,100.0,1000", '1,stage,"(0, 3)",100.0,0,0,900.0,1000']
    assert most_idle("\n".join([RANKS, *rows])) == Idle("3", 2, rows[0], 0.1, 1.0)


GOOD = "0,1,900.0,0.0,0,100.0,1000"


@pytest.mark.parametrize(
    "row",
    [
        "0,2,10.0,0.0,0,9",
        "0,2,10.0,0.0,0,",
        "0,2,10.0",
        "0,2",
        "0",
        "0,2,N/A,0.0,0,900.0,1000",
        "0,2,nan,0.0,0,900.0,1000",
        "0,2,10.0,0.0,0,NaN,1000",
        "0,2,10.0,0.0,0,inf,1000",
        "0,2,,0.0,0,900.0,1000",
        '0,2,"10.0',
    ],
)
def test_a_row_that_is_cut_off_or_no_number_is_left_out(row):
    expected = Idle("0", 2, GOOD, 0.1, 1.0)
    assert most_idle(f"{DEVICES}\n{GOOD}\n{row}") == expected


def test_another_device_is_still_told_beside_one_without_numbers():
    rows = ["0,1,nan,0.0,0,nan,1000", "1,1,100.0,0.0,0,900.0,1000"]
    assert most_idle("\n".join([DEVICES, *rows])) == Idle("1", 3, rows[1], 0.9, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        DEVICES,
        DEVICES + "\n",
        "Device_id,Step,Computing,Free\n0,1,10.0,90.0\n",
        DEVICES + "\nonly words\n",
    ],
)
def test_a_table_without_a_readable_row_tells_nothing(text):
    assert most_idle(text) is None


def test_a_step_without_any_time_is_not_idle():
    idle = most_idle(f"{DEVICES}\n0,1,0.0,0.0,0,0.0,0\n")
    assert (idle, idle and idle.share) == (Idle("0", 2, "0,1,0.0,0.0,0,0.0,0", 0.0, 0.0), 0.0)


def test_a_table_without_a_device_column_has_one_owner():
    text = "Step,Computing,Communication(Not Overlapped),Free\n1,10.0,20.0,70.0\n"
    assert most_idle(text) == Idle("?", 2, "1,10.0,20.0,70.0", 0.07, 0.1)


def test_an_endless_cell_tells_nothing():
    assert most_idle(f"{DEVICES}\n0,1,{'9' * 200_000},0,0,1.0,1\n") is None


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_below_the_rows_is_endured(text):
    idle = most_idle(f"{DEVICES}\n{GOOD}\n{text}")
    assert idle == Idle("0", 2, GOOD, 0.1, 1.0)
