"""What step lines tell beside times adds up, however a log is cut."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.records import Evidence
from ascend_doctor.scan.beside import MAX_LENGTHS, Beside


def proof(line):
    return Evidence("m.jsonl", line, f"line {line}", (line, 0))


def said(lengths, slots):
    return {"tokens": str(sum(lengths)), "slots": str(slots), "lengths": str(lengths)[1:-1]}


def test_lengths_are_counted_with_how_many_lines_one_stands_for():
    beside = Beside()
    beside.add(said([3, 5, 3], 15), proof(4), 1)
    beside.add(said([5], 5), proof(9), 2)
    [batches] = beside.measured()[0]
    assert (batches.tokens, batches.slots, batches.batches) == (21, 25, 3)
    assert (batches.lengths, batches.proof) == ({3: 2, 5: 3}, proof(4))


@pytest.mark.parametrize(
    "told",
    [
        said([*range(1, MAX_LENGTHS + 10)], 1 << 30),
        {"tokens": "9", "slots": "12"},
        {**said([3, 5], 15), "tokens": "9"},
    ],
)
def test_lengths_are_told_whole_or_not_at_all(told):
    beside = Beside()
    beside.add(said([3, 5], 15), proof(1), 1)
    beside.add(told, proof(2), 1)
    [batches] = beside.measured()[0]
    assert (batches.batches, batches.lengths) == (2, {})


@given(
    st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=5), max_size=8), st.integers(0, 8)
)
def test_a_cut_changes_nothing(lines, cut):
    whole, parts = Beside(), [Beside(), Beside()]
    for number, lengths in enumerate(lines):
        whole.add(said(lengths, 500), proof(number), 1)
        parts[number >= cut].add(said(lengths, 500), proof(number), 1)
    parts[0].join(parts[1])
    assert parts[0].measured() == whole.measured()
    assert Counter(length for lengths in lines for length in lengths) == whole.lengths
