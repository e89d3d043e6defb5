"""Patterns that are compiled late are as right as others: each is compiled here."""

import importlib
import pkgutil
import re

import pytest

import ascend_doctor
from ascend_doctor import late

KIND = type(late.pattern("x"))


def below(value):
    """Yield the late patterns in a value of a module, however deep in tuples and tables."""
    if isinstance(value, KIND):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from below(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from below(item)


def modules():
    for found in pkgutil.walk_packages(ascend_doctor.__path__, "ascend_doctor."):
        if not found.name.startswith("ascend_doctor.harness"):
            yield importlib.import_module(found.name)


def test_all_late_patterns_compile():
    patterns = {
        id(found): found for module in modules() for found in below([*vars(module).values()])
    }
    assert len(patterns) > 50
    for found in patterns.values():
        re.compile(found.pattern)


def test_a_late_pattern_answers_like_any_other():
    one, other = late.pattern(rb"LOSS: (\d+)", re.IGNORECASE), re.compile(rb"(?i)LOSS: (\d+)")
    text = b"loss: 1, loss: 22"
    assert [m.span(1) for m in one.finditer(text)] == [m.span(1) for m in other.finditer(text)]
    assert (one.sub(b"", text), one.search(text)[1]) == (other.sub(b"", text), b"1")
    assert one.flags == other.flags


def test_a_wrong_pattern_is_told_when_it_is_used():
    wrong = late.pattern("(")
    with pytest.raises(re.error):
        wrong.search("x")
