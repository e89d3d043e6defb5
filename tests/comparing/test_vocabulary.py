"""Which lines are one wording, and how bad they say they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.comparing.vocabulary import Vocabulary, read, shapes_of


def wordings(*lines: bytes, vocabulary: Vocabulary | None = None) -> list[int]:
    known = (vocabulary or Vocabulary()).known([*lines], shapes_of(b"\n".join(lines)))
    return [item.wording for item in known]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"step 9 loss 2.31", b"step 120 loss 2.087"),
        (b"lr 1e-05", b"lr 0.0003"),
        (b"[rank0]: loaded", b"[rank13]: loaded"),
        (
            b"2026-01-02 11:04:09,120 - trainer - INFO - up",
            b"2026-03-01 01:14:59,007 - trainer - INFO - up",
        ),
        (b"reading /mnt/a/run7/data_0.bin", b"reading /home/b/run31/part_12.bin"),
        (b"stream at 0x12c0ffee", b"stream at 0x7f00"),
        (b"buffer 03ac11f of pool", b"buffer beef0042 of pool"),
        (b"connected to 10.30.4.21:60000", b"connected to 10.30.114.7:29511"),
        (
            b"[ERROR] HCCL(812,python3):2026-01-02-11:04:09.120.001 [a.cc:88] [812]port 1 is taken",
            b"[ERROR] HCCL(7,python3):2026-05-31-01:00:00.000.000 [a.cc:91] [7]port 60001 is taken",
        ),
        (b"\x1b[32mready\x1b[0m in 3 s", b"ready in 14 s"),
        (b" 10%|#    | 1/10\r 20%|##   | 2/10\r", b"100%|#####| 10/10"),
    ],
)  # fmt: skip
def test_what_is_one_wording(one, other):
    first, second = wordings(one, other)
    assert first == second >= 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"step 1 loss 2.31", b"step 1 loss nan"),
        (b"failed with EI0006", b"failed with EI0002"),
        (b"failed with ERR02200", b"failed with ERR00100"),
        (b"cannot open libhccl.so", b"cannot open libge_runner.so"),
        # The same words may be harmless or not.
        (
            b"2026-01-02 11:04:09,120 - trainer - INFO - up",
            b"2026-01-02 11:04:09,120 - trainer - ERROR - up",
        ),
    ],
)  # fmt: skip
def test_what_are_two(one, other):
    first, second = wordings(one, other)
    assert first != second


def test_blank_lines_are_none():
    assert wordings(b"", b"  \r", b"[rank0]: ") == [-1, -1, -1]


@given(st.lists(st.integers(0, 10**19), min_size=1, max_size=6), st.data())
def test_numbers_of_any_length_make_no_difference(numbers, data):
    others = [data.draw(st.integers(0, 10**19)) for _ in numbers]
    line, other = (b"a %s b" % b" c ".join(b"%d" % n for n in some) for some in (numbers, others))
    vocabulary = Vocabulary()
    # Neither in one block nor in two.
    first, second = wordings(line, other, vocabulary=vocabulary)
    assert first == second == wordings(other, vocabulary=vocabulary)[0]


def test_of_too_many_shapes_the_rest_is_told_to_be_missing():
    vocabulary = Vocabulary(max_shapes=2)
    assert wordings(b"a", b"b", b"c", b"a", vocabulary=vocabulary) == [0, 1, -2, 0]
    assert (vocabulary.is_full, vocabulary.templates) == (True, ["a", "b"])


@pytest.mark.parametrize(
    ("line", "level"),
    [
        (b"[ERROR] HCCL(812,python3):2026-01-02-11:04:09.120.001 [a.cc:88] [812]x", "ERROR"),
        (b"[INFO] GE(812,python3):2026-01-02-11:04:09.120.001 [a.cc:88] [812]error", "INFO"),
        (b"2026-01-02 11:04:09,120 - trainer - WARNING - slow", "WARNING"),
        (b"W0716 01:10:47.676000 5671 torch/run.py:766] slow", "WARNING"),
        (b"[rank3]:[E1212 12:10:10.142 x.ts:1675] boom", "ERROR"),
        (b"[rank3]: Traceback (most recent call last):", "ERROR"),
        (b"RuntimeError: no", "ERROR"),
        (b"[ERROR] 2026-05-30-10:07:03 (PID:1187, Device:0, RankID:0) ERR02200 DIST call", "ERROR"),
        (b"ERROR: it failed", "ERROR"),
        (b"Warning: it may fail", "WARNING"),
        (b"errors: 0", ""),
        (b"step 1 loss 2.31", ""),
    ],
)
def test_how_bad_a_line_says_it_is(line, level):
    assert read(line).level == level
