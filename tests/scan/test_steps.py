"""Step lines become measures, wherever a source is cut, and however many there are."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.index import load
from ascend_doctor.profile.model import Batches, Measures, Memory, Sample
from ascend_doctor.scan import steps
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.window import Sizes
from tests.rulesets import source

KNOWN = load()
SCANNER = Scanner(KNOWN)


def measures(
    text: str, scanner: Scanner = SCANNER, path: str = "train.log"
) -> tuple[Measures, ...]:
    return scanner.scan(source(path, text.encode())).measures


def yolox(rows, epoch: int = 3) -> str:
    """Return step lines; a row is the number of the step, its seconds, and those for data."""
    return "".join(
        f"2026-01-02 10:00:00 | INFO | yolox.core.trainer:260 - epoch: {epoch}/9, "
        f"iter: {number}/900, iter_time: {step:.3f}s, data_time: {data:.3f}s, total_loss: 5.1\n"
        for number, step, data in rows
    )


def told(item: Measures) -> list[tuple[str, float, float | None, bool, int]]:
    return [(s.name, s.total_us, s.fetch_us, s.is_border, s.count) for s in item.steps]


def test_a_step_has_its_time_what_it_waited_and_its_line():
    (item,) = measures(yolox([(80, 1.25, 0.5)]))
    (step,) = item.steps
    assert (item.format, item.profile, item.rank) == ("step_lines", "train.log", None)
    assert item.facts == {"lines": "dataload-step-lines"}
    assert (step.name, step.total_us, step.fetch_us, step.count) == ("80", 1.25e6, 0.5e6, 1)
    assert (step.proof.line, step.proof.path) == (1, "train.log")
    assert "iter: 80/900" in step.proof.text


def test_first_fetches_and_borders_of_epochs_are_known():
    text = yolox([(50, 4, 3.9), (100, 1, 0), (113, 1, 0)]) + yolox([(50, 4, 3.9), (100, 1, 0)], 4)
    (item,) = measures(text)
    assert [step.is_border for step in item.steps] == [True, False, False, True, False]


def test_an_excerpt_does_not_begin_at_a_border():
    (item,) = measures(yolox([(240, 8, 7), (250, 1, 0), (260, 1, 0)]))
    assert [step.is_border for step in item.steps] == [False, False, False]


def test_one_line_an_epoch_tells_of_all_of_it():
    text = "".join(yolox([(900, 1, 0.5)], epoch) for epoch in range(1, 5))
    (item,) = measures(text)
    assert [step.is_border for step in item.steps] == [False] * 4


def test_a_running_average_bears_the_border_for_a_while():
    line = "Epoch: [{}]  [ {}/900]  eta: 0:40:00  loss: 6.1  time: {}  data: {}  max mem: 8100\n"
    rows = [(1, 100, 0.5, 0.1), (1, 120, 0.5, 0.1), (2, 20, 2.5, 2.1), (2, 40, 0.9, 0.5)]
    rows += [(2, 60, 0.5, 0.1)]
    (item,) = measures("".join(line.format(*row) for row in rows))
    assert all(step.is_average for step in item.steps)
    assert [step.is_border for step in item.steps] == [False, False, True, True, False]


def test_validation_is_no_step():
    text = (
        "2026/01/02 09:00:02 - mmengine - INFO - Epoch(val)  [3][ 50/100]    eta: 0:00:10  "
        "time: 0.2000  data_time: 0.1500  memory: 900\n"
    )
    assert measures(text) == ()


def test_each_rank_of_one_file_is_a_writer():
    line = "[rank{}]: INFO 2026-01-02 09:00:07 train.py:350 step:{} loss:0.3 updt_s:{} data_s:{}\n"
    text = "".join(line.format(rank, n, 0.5, 0.1 * rank) for n in (200, 400) for rank in (0, 1))
    found = sorted(measures(text), key=lambda item: item.rank or 0)
    assert [(item.rank, [step.fetch_us for step in item.steps]) for item in found] == [
        (0, [0.0, 0.0]),
        (1, [pytest.approx(1e5), pytest.approx(1e5)]),
    ]


def test_lines_of_this_tools_training_tell_lengths_and_memory_as_well():
    text = "".join(
        f'{{"step": {n}, "rank": 2, "loss": 9.1, "data_s": {0.1 * n}, "step_s": {1.0 * n}, '
        f'"tokens": 300, "slots": 800, "recompiles": {n - 1}, "reserved_mib": {1000 + n}, '
        f'"time": {1700000000 + n}.5, "grad_norm": 1.2}}\n'
        for n in (1, 2, 3)
    )
    (item,) = measures(text, path="run/metrics.rank2.jsonl")
    first, last = item.steps[0].proof, item.steps[-1].proof
    assert item.rank == 2
    assert [(step.name, step.is_border) for step in item.steps] == [
        ("1", True), ("2", False), ("3", False),
    ]  # fmt: skip
    assert item.batches == (Batches(900, 2400, 3, first),)
    samples = tuple(Sample(1e6 * (1700000000.5 + n), 1000.0 + n) for n in (1, 2, 3))
    assert item.memory == (Memory("PTA", None, samples[-1], last, samples),)
    assert item.facts == {"lines": "dataload-step-lines", "recompiles": "2"}


def test_without_lengths_there_are_no_batches():
    (item,) = measures('{"step": 5, "data_s": 0.1, "step_s": 1.0, "tokens": 300}\n')
    assert (item.batches, item.memory) == ((), ())


def test_megatrons_timers_are_milliseconds_of_the_slowest_rank():
    text = (
        "(min, max) time across ranks (ms):\n"
        "    forward-backward ...............................: (7900.10, 8000.00)\n"
        "    batch-generator ................................: (3100.00, 3600.00)\n"
        "    optimizer ......................................: (120.10, 130.20)\n"
    )
    (item,) = measures(text)
    (step,) = item.steps
    assert (step.total_us, step.fetch_us, step.proof.line) == (8e6, 3.6e6, 3)


rows = st.lists(
    st.tuples(st.integers(1, 5), st.integers(1, 90), st.integers(1, 40), st.integers(0, 40)),
    min_size=1,
    max_size=16,
)


# Steps that waited and steps that did not begin epochs with the largest number.
BOTH_LATEST = [(2, 1), (1, 4), (1, 3), (1, 1), (2, 5), (1, 5), (1, 2)]


@settings(max_examples=12, deadline=None)
@example([(*place, 1, int(place == (2, 5))) for place in BOTH_LATEST], 300, 300)
@given(rows, st.integers(300, 3000), st.integers(300, 3000))
def test_however_a_source_is_cut_it_tells_the_same(said, first, part):
    text = "".join(
        yolox([(10 * number, step / 10 + data / 10, data / 10)], epoch)
        for epoch, number, step, data in said
    )
    cut = Scanner(KNOWN, Sizes(first=first, part=part, body=400, margin=2048))
    assert measures(text, cut) == measures(text)


@settings(max_examples=3, deadline=None)
@given(st.integers(2, 5), st.integers(1, 3))
def test_of_very_many_lines_counts_and_sums_stay_true(waiting, every):
    count = 600
    said = [
        (10 * n, 2.0, 1.0 if n % (every + 1) == 0 else 0.1 * waiting / 10)
        for n in range(2, count + 2)
    ]
    (item,) = measures(yolox(said))
    assert len(item.steps) <= 4 * 2 * steps.MAX_GROUPS + 1
    assert sum(step.count for step in item.steps) == count
    total = math.fsum(step.count * step.total_us for step in item.steps)
    fetch = math.fsum(step.count * (step.fetch_us or 0.0) for step in item.steps)
    assert total == pytest.approx(1e6 * sum(step for _, step, _ in said))
    assert fetch == pytest.approx(1e6 * sum(round(data, 3) for _, _, data in said))


def test_the_worst_of_very_many_is_kept_as_it_was():
    said = [(10 * n, 2.0, 1.0) for n in range(2, 900)]
    said[500] = (5020, 9.0, 8.0)
    (item,) = measures(yolox(said))
    worst = max(item.steps, key=lambda step: step.total_us)
    assert (worst.name, worst.total_us, worst.fetch_us, worst.count) == ("5020", 9e6, 8e6, 1)
    assert worst.proof.line == 501
