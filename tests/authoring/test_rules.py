"""Every rule is tested by data: its own examples, tried among all rules."""

from __future__ import annotations

import re

import pytest

from ascend_doctor import resources
from ascend_doctor.authoring.check import Checker
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.load import load_rule, rule_files

PATTERNS = resources.patterns()
PATHS = [*rule_files(PATTERNS)]


@pytest.fixture(scope="module")
def checker():
    return Checker(load())


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_rule_does_what_its_examples_say(checker, path):
    assert [*checker.failures(path)] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_rule_reads_as_chinese_in_chinese(path):
    rule = load_rule(path)
    steps = [*rule.checks.zh, *rule.fixes.zh]
    # A step may be a bare command.
    prose = [rule.title.zh, rule.cause.zh, *(s for s in steps if re.sub("`[^`]*`|\\W", "", s))]
    assert [text for text in prose if not re.search("[\u4e00-\u9fff]", text)] == []
