"""What step lines say of waiting for data, as a whole."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ascend_doctor.knowledge.index import load
from ascend_doctor.profile.assemble import assemble
from ascend_doctor.profile.model import Measures, Step
from ascend_doctor.profile.verdicts.step_lines import judge
from ascend_doctor.records import Evidence

LIMITS = load().limits


def steps(*rows, start: int = 200, **fields) -> tuple[Step, ...]:
    """Return steps; a row has seconds in all and for data, and perhaps how many it stands for."""
    return tuple(
        Step(
            name=str(start + 10 * number),
            proof=Evidence("train.log", number, f"step {number}", (number, 0)),
            total_us=row[0] * 1e6,
            fetch_us=row[1] * 1e6,
            count=row[2] if len(row) > 2 else 1,
            **fields,
        )
        for number, row in enumerate(rows, start=1)
    )


def verdicts(*loops: tuple[Step, ...], lines: str = "dataload-step-lines", ranks=(None,)):
    measures = [
        Measures("step_lines", f"{rank}.log", rank=rank, steps=loop, facts={"lines": lines})
        for loop, rank in zip(loops, ranks, strict=True)
    ]
    return [*judge(assemble(measures), LIMITS)]


def test_a_loop_that_waits_tells_share_worst_step_and_workers():
    (verdict,) = verdicts(steps((1.0, 0.6), (2.0, 1.5), (1.0, 0.1)))
    assert verdict.name == "step_waits"
    assert verdict.captures == {
        "share": "55", "data": "1.5", "step": "2", "waiting": "2", "steps": "3", "at": "220",
        "workers": "3", "times": "3.3",
    }  # fmt: skip
    assert [proof.line for proof in verdict.proofs] == [2, 1]
    assert verdict.count == 2


@pytest.mark.parametrize(
    ("free", "ranks", "expected"),
    [
        (0.29, (1, 1), []),
        (0.31, (1, 1), ["step_waits"]),
        (None, (1, 1), ["step_waits"]),
        (0.05, (1, 2), ["step_waits"]),
    ],
)
def test_a_busy_device_of_the_same_rank_refutes_a_log(free, ranks, expected):
    measured = tuple(
        replace(step, free_us=None if free is None else free * 1e6, fetch_us=None)
        for step in steps(*[(1.0, 0.0)] * 4)
    )
    parts = [
        Measures("step_lines", "r.log", rank=ranks[0], steps=steps(*[(1.0, 0.6)] * 4)),
        Measures("step_trace", "prof", rank=ranks[1], steps=measured),
    ]
    assert [verdict.name for verdict in judge(assemble(parts), LIMITS)] == expected


def test_a_step_counts_as_often_as_it_stands_for():
    assert verdicts(steps((1.0, 0.6, 10), (1.0, 0.1, 11))) == []
    (verdict,) = verdicts(steps((1.0, 0.6, 12), (1.0, 0.1, 11)))
    assert (verdict.captures["waiting"], verdict.captures["steps"], verdict.count) == (
        "12", "23", 12,
    )  # fmt: skip


@pytest.mark.parametrize(
    "loop",
    [
        steps((1.0, 0.1), (1.0, 0.1)),
        steps((1.0, 0.9), (1.0, 0.1)),
        steps((9.0, 8.9), (9.0, 8.9), is_border=True),
        (),
    ],
)
def test_what_does_not_mostly_wait_is_left_alone(loop):
    assert verdicts(loop) == []


def test_steps_whose_data_time_is_not_known_say_nothing():
    (step,) = steps((1.0, 0.9))
    unknown = Step(name="1", proof=step.proof, total_us=1.0)
    assert verdicts((unknown,)) == []


def test_a_step_that_does_nothing_but_wait_needs_no_number_of_workers():
    (verdict,) = verdicts(steps((1.0, 1.0)))
    assert {"workers", "times"}.isdisjoint(verdict.captures)


def test_one_rank_that_waits_alone_is_named():
    waiting, fine = steps((1.0, 0.8)), steps((1.0, 0.0))
    (verdict,) = verdicts(fine, waiting, fine, ranks=(0, 1, 2))
    assert (verdict.captures["rank"], verdict.captures["peers"]) == ("1", "2")
    two = verdicts(waiting, waiting, fine, ranks=(0, 1, 2))
    assert [("rank" in v.captures, v.profile.rank) for v in two] == [(False, 0), (False, 1)]


def test_lines_of_the_article_are_told_as_such():
    (verdict,) = verdicts(steps((0.1, 0.09)), lines="dataload-article-step-lines")
    assert verdict.name == "article_step_waits"


MIXED = ((8.0, 7.5), (14.0, 0.01), (1.8, 0.01), (0.3, 0.01))


def test_steps_that_are_slow_for_two_reasons_are_not_blamed_on_one():
    (verdict,) = verdicts(steps(*MIXED))
    assert verdict.name == "step_slow_twice"
    assert verdict.captures == {
        "data": "7.5", "step": "8", "at": "210", "other_data": "0.01", "other_step": "14",
        "other_at": "220", "usual": "1.8",
    }  # fmt: skip
    assert [proof.line for proof in verdict.proofs] == [1, 2]


@pytest.mark.parametrize(
    "loop",
    [
        steps(*MIXED, start=10),  # a warm-up
        steps(*MIXED, *(((1.0, 0.01, 400)),) * 3),  # rare in a long run
        steps((14.0, 0.01), (14.0, 0.01), (1.8, 0.01), (0.3, 0.01)),  # one reason
        steps((2.0, 0.7), (14.0, 0.01), (1.8, 0.01), (1.7, 0.01)),  # the data cost next to nothing
    ],
)
def test_other_slow_steps_are_left_alone(loop):
    assert verdicts(loop) == []


def test_steps_that_take_longer_for_good_are_told_from_where_they_begin():
    quick, slow = [(1.0, 0.0)] * 8, [(3.0, 0.5)] * 6
    (verdict,) = verdicts(steps(*quick, *slow))
    assert verdict.name == "steps_slower"
    assert verdict.captures == {"before": "1", "after": "2.5", "times": "2.5", "at": "290"}
    assert [proof.line for proof in verdict.proofs] == [9, 8]


@pytest.mark.parametrize(
    "rows",
    [
        [(1.0, 0.0)] * 8 + [(3.0, 0.0)] * 3,  # too few
        [(1.0, 0.0)] * 8 + [(1.4, 0.0)] * 8,  # hardly slower
        [(3.0, 0.0)] * 8 + [(1.0, 0.0)] * 8,  # quicker
        [(1.0, 0.0), (3.0, 0.0)] * 8,  # now and then
        [(1.0, 0.0)] * 8 + [(1.2, 0.2)] * 8,  # data
    ],
)
def test_other_changes_of_pace_are_left_alone(rows):
    assert verdicts(steps(*rows)) == []


def test_steps_need_not_tell_of_data_to_become_slower():
    rows = [(1.0, 0.0)] * 6 + [(2.0, 0.0)] * 6
    told = tuple(replace(step, fetch_us=None) for step in steps(*rows))
    assert [verdict.name for verdict in verdicts(told)] == ["steps_slower"]
