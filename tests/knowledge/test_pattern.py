"""A regex that would take all memory is refused before it is compiled."""

from __future__ import annotations

import pytest

from ascend_doctor.knowledge.pattern import check

TOO_LONG = "a regex has at most 4000 characters, and does not call itself"
TOO_MANY = "a regex whose repeats multiply to more than memory holds; lower them"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a" * 4001, TOO_LONG),
        (r"(a|(?R))", TOO_LONG),
        (r"(?P<x>a(?&x)?)", TOO_LONG),
        ("a{100000000}", TOO_MANY),
        ("(?:(?:a{500}){500}){500}", TOO_MANY),
        ("(?:(?:a{500,}){500,}){500,}", TOO_MANY),
        (r"[)\]]{60000}", TOO_MANY),
        ("(a", "not a valid regex: missing ) at position 2"),
        ("a)", "not a valid regex: unbalanced parenthesis at position 1"),
        ("a{2}{3}", "not a valid regex: multiple repeat at position 4"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told(pattern, message):
    with pytest.raises(ValueError, match=r"^(a|not a) ") as caught:
        check(pattern)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "pattern",
    ["", r"\d{4}-\d\d", "(?:a{0,500}){0,500}", r"\({3}[({]{4}", "(?:(?:a{9}){9}){9}"],
)
def test_a_pattern_that_memory_holds_is_taken(pattern):
    check(pattern)
