"""Patterns that hostile text could slow down are found, and the shipped ones are not slow."""

from __future__ import annotations

import pytest

from ascend_doctor.authoring.lint import attacks, lint, slow_attack
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.match import WINDOW_AFTER, WINDOW_BEFORE
from ascend_doctor.knowledge.rule import Variant
from tests.rulesets import patterns, rule

SHIPPED = {item.id: item for item in load().rules.values()}


@pytest.mark.parametrize(
    "pattern",
    [r"pool (?:\w+ ?)+ dry", r"pool .*.*.*.* dry", r"(?:a|aa)+ dry"],
)
def test_a_pattern_that_explodes_is_found(pattern):
    assert slow_attack(Variant((b"pool is full",), pattern)) is not None


def test_an_ordinary_pattern_passes():
    assert slow_attack(Variant((b"pool ", b" full"), r"pool (?P<id>\d{1,5}) is full")) is None


def test_an_attack_is_as_long_as_what_a_regex_sees_and_holds_the_literals():
    variant = Variant((b"pool ", b" full"), "x")
    for text in attacks(variant):
        assert len(text) <= WINDOW_BEFORE + WINDOW_AFTER + 64
        assert 0 <= text.find(b"pool ") < text.rfind(b" full")


def test_the_rule_the_wording_and_the_text_are_told(tmp_path):
    slow = rule("buffer-oom-slow", "pool is full", regex=r"pool (?:\w+ ?)+ dry")
    patterns(tmp_path, slow, rule("buffer-oom-plain", "pond is full"))
    count, failures = lint(tmp_path)
    assert count == 2
    [failure] = failures
    path = tmp_path / "buffer_oom" / "buffer-oom-slow.yaml"
    assert failure.startswith(f"{path}: buffer-oom-slow: match.0.regex: ")


@pytest.mark.slow
@pytest.mark.parametrize("item", SHIPPED.values(), ids=SHIPPED)
def test_no_shipped_pattern_is_slow(item):
    variants = [variant for variant in item.match if variant.compiled is not None]
    assert [slow for variant in variants if (slow := slow_attack(variant))] == []
