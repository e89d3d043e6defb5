"""All literals in one pass."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.scan.literals import Literal, Literals


@pytest.mark.parametrize(
    ("literals", "text", "hits"),
    [
        ([b"ERROR", b"boom"], b"ERROR: boom, boom", [(0, 0), (7, 1), (13, 1)]),
        ([b"abab"], b"ababababab", [(0, 0), (4, 0)]),
        ([b"abc", b"abcd", b"bc"], b"xabcd", [(1, 0), (1, 1), (2, 2)]),
        ([b".*", b"[a"], b"[a].*", [(0, 1), (3, 0)]),
        (["内存".encode()], "设备内存".encode(), [(6, 0)]),
        ([b"a\nb", b"\xff\xfe"], b"a\nb\xff\xfe", [(0, 0), (3, 1)]),
        ([b"boom"], b"Boom", []),
        ([b"boom"], b"", []),
    ],
)
def test_every_occurrence_is_told_in_the_order_of_the_text(literals, text, hits):
    assert Literals([*map(Literal, literals)]).hits(text) == hits


# The schema refuses a literal with a NUL, which hyperscan could not take.
wanted = st.binary(min_size=1, max_size=3).filter(lambda literal: b"\x00" not in literal)


def apart(literals, text, start):
    """Return the occurrences from ``start`` on, of each literal those that do not overlap."""
    found, ends = [], dict.fromkeys(range(len(literals)), start)
    for at in range(start, len(text)):
        for number, literal in enumerate(literals):
            if text.startswith(literal, at) and at >= ends[number]:
                found.append((at, number))
                ends[number] = at + len(literal)
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.lists(wanted, min_size=1, max_size=6, unique=True),
    st.lists(wanted | st.binary(max_size=3)).map(b"".join),
)
def test_hits_are_those_of_a_plain_search(literals, text):
    expected = apart(literals, text, 0)
    found = Literals([*map(Literal, literals)])
    assert found.hits(text) == expected
    for start in range(len(text)):
        assert found.hits(text, start) == apart(literals, text, start)


def test_case_may_not_count_and_once_may_be_enough():
    literals = Literals([Literal(b"Boom", any_case=True), Literal(b"a", once=True)])
    assert [number for _, number in literals.hits(b"boom a BOOM a Boom a")] == [0, 1, 0, 0]
