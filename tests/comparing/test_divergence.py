"""Where a sequence of wordings leaves another; a letter is a wording, a dot a blank line."""

from __future__ import annotations

import pytest

from ascend_doctor.comparing.divergence import Fork, around, fork, pairs
from ascend_doctor.comparing.lines import Lines, Written
from ascend_doctor.comparing.vocabulary import Vocabulary


def numbers(text: str) -> list[int]:
    return [-1 if letter == "." else ord(letter) for letter in text]


@pytest.mark.parametrize(
    ("good", "bad", "said", "found"),
    [
        ("abc", "abc", "", None),
        ("abc", "acb", "", None),
        ("abcd", "abxd", "", Fork(2, 2)),
        ("abc", "xabc", "", Fork(0, 0)),
        # The third time in the one is the third time in the other.
        ("assssse", "assx", "", Fork(3, 3)),
        ("ase", "asssx", "", Fork(2, 4)),
        # What another process of the good run says is nothing new.
        ("abc", "axc", "x", None),
        # Blank lines are passed over.
        ("a.bc", "ab..x", "", Fork(3, 4)),
        # It ends before the other one does, with what it never says.
        ("abcd", "ab", "", Fork(2, 2, ends=True)),
        ("asssse", "ass", "", Fork(3, 3, ends=True)),
        ("assss", "ass", "", None),
        # Nothing of what stands before is known.
        ("abc", "xyz", "", Fork(0, 0)),
        ("", "x", "", Fork(0, 0)),
        ("a", "", "", Fork(0, 0, ends=True)),
    ],
)
def test_where_it_leaves_the_path(good, bad, said, found):
    assert fork(numbers(good), numbers(bad), {*numbers(good), *numbers(said)}) == found


@pytest.mark.parametrize(
    ("place", "count", "places"),
    [(0, 9, [0, 1, 2, 3]), (4, 9, [1, 2, 3, 4, 5, 6, 7]), (9, 9, [6, 7, 8]), (0, 0, [])],
)
def test_what_is_shown_around(place, count, places):
    assert [*around(place, count)] == places


def lines(*writers: tuple[str, str, int]) -> Lines:
    found = Lines(Vocabulary())
    found.sequences = {writer: Written(writer[1]) for writer in writers}
    return found


def test_processes_are_compared_with_themselves():
    good = lines(("", "a.log", 0), ("rank 0", "x.log", 0), ("rank 1", "y.log", 0), ("w", "z", 0))
    bad = lines(("", "b.log", 0), ("rank 0", "x.log", 0), ("rank 1", "q.log", 0), ("v", "z", 0))
    assert [*pairs(good, bad)] == [
        (("rank 0", "x.log", 0), ("rank 0", "x.log", 0)),
        (("", "a.log", 0), ("", "b.log", 0)),
        (("rank 1", "y.log", 0), ("rank 1", "q.log", 0)),
    ]
    several = lines(("", "b.log", 0), ("", "c.log", 0))
    assert [*pairs(lines(("", "a.log", 0)), several)] == []
