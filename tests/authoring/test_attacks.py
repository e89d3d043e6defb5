"""The texts that regexes are attacked with find what explodes behind a literal."""

from __future__ import annotations

import pytest

from ascend_doctor.authoring.lint import slow_attack
from ascend_doctor.knowledge.rule import Variant


@pytest.mark.parametrize(
    "pattern",
    [
        r"slow words: (?:a|a)*b",
        r"slow words: (?:a|aa)+$",
        r"slow words: (?:a+)+$",
        r"slow words: (?:.*a){20}b",
        r"slow words: \w*\w*\w*\w*\w*\w*!",
        r"slow words \[(?:x+x+)+y",
        r"(.*)(.*)(.*)(.*)slow words(.*)(.*)(.*)(.*)!",
    ],
)
def test_a_pattern_that_explodes_is_found(pattern):
    assert slow_attack(Variant((b"slow words",), pattern)) is not None


@pytest.mark.parametrize(
    "pattern", [r"slow words: (?P<x>\w{1,200})!", r"slow words: (?:a|b){1,50}c", r"slow words$"]
)
def test_a_bounded_pattern_is_not(pattern):
    assert slow_attack(Variant((b"slow words",), pattern)) is None
