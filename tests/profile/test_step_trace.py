"""Where the time of a step went, by the profiler's table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.profile import step_trace
from ascend_doctor.profile.model import MAX_STEPS, Measures, Step
from ascend_doctor.profile.readers import reader_of
from ascend_doctor.records import Evidence, Note, Origin

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
    found = reader_of(head)
    assert (found is not None and found.format == "step_trace") is expected


def read(text):
    """Return what a table says, read in blocks of a few bytes."""
    raw = text.encode()
    return step_trace.read("s.csv", (raw[at : at + 7] for at in range(0, len(raw), 7)))


def row(line, text, total, *, rank=None, **more):
    """Return the step that a row tells of."""
    proof = Evidence("s.csv", line, text, (line, 0), origin=Origin(rank=rank))
    return Step(more.pop("name", "1"), proof, total, rank=rank, **more)


def test_each_row_is_a_step_with_its_line():
    rows = ["0,1,600.0,300.0,5,100.0,1000", "1,2,500.0,0.0,0,500.5,1000"]
    busy = row(
        *(2, rows[0], 1000.0),
        device="0",
        computing_us=600.0,
        communication_us=300.0,
        overlapped_us=5.0,
        free_us=100.0,
    )
    idle = row(
        *(3, rows[1], 1000.5),
        name="2",
        device="1",
        computing_us=500.0,
        communication_us=0.0,
        overlapped_us=0.0,
        free_us=500.5,
    )
    assert read("\n".join([DEVICES, *rows]) + "\n") == Measures(
        "step_trace", "s.csv", steps=(busy, idle)
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_of_other_systems_change_nothing(newline):
    text = newline.join([DEVICES, "0,1,600.0,300.0,0,100.0,1000", "", "0,2,400,0,0,600,1000", ""])
    steps = read(text).steps
    assert [(s.name, s.proof.line, s.free_us) for s in steps] == [("1", 2, 100.0), ("2", 4, 600.0)]


def test_tabs_and_blanks_around_cells_do_not_matter():
    header = "Device_id\t,Step,Computing\t,Communication(Not Overlapped)\t,Overlapped,Free\t,Stage"
    text = "7\t,1\t,600.0\t, 300.0,0\t,100.0\t,1000\t"
    [step] = read(f"{header}\n{text}\n").steps
    assert (step.device, step.name, step.total_us) == ("7", "1", 1000.0)


def test_a_table_of_a_cluster_names_ranks_and_its_stages_are_left_out():
    rows = ["1,rank,3,900.0,0,0,100.0,1000", '1,stage,"(0, 3)",100.0,0,0,900.0,1000']
    told = row(
        *(2, rows[0], 1000.0),
        rank=3,
        computing_us=900.0,
        communication_us=0.0,
        overlapped_us=0.0,
        free_us=100.0,
    )
    assert read("\n".join([RANKS, *rows])) == Measures("step_trace", "s.csv", steps=(told,))


GOOD = "0,1,900.0,0.0,0,100.0,1000"


@pytest.mark.parametrize(
    "bad",
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
        "0,2,10.0,0.0,0,1e308,1000",
        "0,2,10.0,18446744073709551.6,0,1.0,1000",
        "0,2,,0.0,0,900.0,1000",
        '0,2,"10.0',
        f"0,2,{'9' * 200_000},0,0,1.0,1",
    ],
)
def test_a_row_that_is_cut_off_or_no_number_is_left_out_and_told(bad):
    told = read(f"{DEVICES}\n{GOOD}\n{bad}")
    assert ([s.proof.text for s in told.steps], told.notes) == (
        [GOOD],
        (Note("rows_unread", {"count": "1", "line": "3"}),),
    )


def test_what_no_step_or_rank_is_called_is_cut_and_left_out():
    [told] = read(f"{RANKS}\n{'7' * 5000},rank,{'1' * 5000},10,1,1,20,1").steps
    assert (told.name, told.rank, told.total_us) == ("7" * 64, None, 31.0)


@pytest.mark.parametrize("text", ["", DEVICES, DEVICES + "\n"])
def test_a_table_without_a_row_says_so(text):
    assert read(text) == Measures("step_trace", "s.csv", notes=(Note("no_steps"),))


def test_an_endless_table_is_not_held_in_memory():
    text = f"{DEVICES}\n" + f"{GOOD}\n" * (MAX_STEPS + 1)
    told = read(text)
    assert (len(told.steps), told.notes) == (
        MAX_STEPS,
        (Note("steps_left_out", {"count": str(MAX_STEPS)}),),
    )


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_below_the_rows_is_endured(text):
    told = read(f"{DEVICES}\n{GOOD}\n{text}")
    assert told.steps[0].proof.text == GOOD


@pytest.mark.parametrize("index", ["9" * 5000, "1234567", "-1", "x", ""])
def test_what_is_no_rank_is_none(index):
    told = read(f"{RANKS}\n1,rank,{index},600.0,300.0,5,100.0,1000")
    assert [step.rank for step in told.steps] == [None]
