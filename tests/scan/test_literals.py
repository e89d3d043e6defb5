"""All literals in one pass."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.scan.literals import Literals


@pytest.mark.parametrize(
    ("literals", "text", "hits"),
    [
        ([b"ERROR", b"boom"], b"ERROR: boom, boom", [(0, 0), (7, 1), (13, 1)]),
        ([b"abab"], b"ababab", [(0, 0), (2, 0)]),
        ([b"abc", b"abcd", b"bc"], b"xabcd", [(1, 0), (1, 1), (2, 2)]),
        ([b".*", b"[a"], b"[a].*", [(0, 1), (3, 0)]),
        (["内存".encode()], "设备内存".encode(), [(6, 0)]),
        ([b"a\nb", b"\xff\xfe"], b"a\nb\xff\xfe", [(0, 0), (3, 1)]),
        ([b"boom"], b"Boom", []),
        ([b"boom"], b"", []),
    ],
)
def test_every_occurrence_is_told_in_the_order_of_the_text(literals, text, hits):
    assert Literals(literals).hits(text) == hits


# The schema refuses a literal with a NUL, which hyperscan could not take.
wanted = st.binary(min_size=1, max_size=3).filter(lambda literal: b"\x00" not in literal)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(wanted, min_size=1, max_size=6, unique=True),
    st.lists(wanted | st.binary(max_size=3)).map(b"".join),
)
def test_hits_are_those_of_a_plain_search(literals, text):
    expected = [
        (at, number)
        for at in range(len(text))
        for number, literal in enumerate(literals)
        if text.startswith(literal, at)
    ]
    assert Literals(literals).hits(text) == expected
