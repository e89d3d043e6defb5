"""Synthetic machines, each judged as a whole: what is told, by which proofs, and what followed."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ascend_doctor.collecting.examine import examine
from ascend_doctor.report import Report
from tests.conftest import ROOT
from tests.machine.broken import MACHINES

EXPECTED = yaml.safe_load((ROOT / "tests/machine/judged.yaml").read_text(encoding="utf-8"))


def told(report: Report) -> list[dict[str, Any]]:
    """Return what a report says of a machine, without its texts."""
    return [
        {
            "rule": diagnosis.rule,
            "severity": diagnosis.severity.label,
            "captures": dict(diagnosis.captures),
            "proofs": [f"{e.path}:{e.line}: {e.text}" for e in diagnosis.evidence],
            "followed": [item.rule for item in diagnosis.consequences],
        }
        for diagnosis in report.diagnoses
    ]


def test_each_machine_is_expected_to_say_something():
    assert {*EXPECTED} == {*MACHINES}


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_judged_as_a_whole(tmp_path, name):
    report = examine(sources=MACHINES[name](tmp_path).sources())
    assert told(report) == EXPECTED[name]
    assert report.coverage.skipped == ()


@pytest.mark.parametrize("name", MACHINES)
def test_no_text_lacks_a_word(tmp_path, name):
    report = examine(sources=MACHINES[name](tmp_path).sources())
    for diagnosis in report.diagnoses:
        for texts in diagnosis.texts.values():
            said = (texts.title, texts.cause, *texts.checks, *texts.fixes)
            assert not any("?" in text or "[[" in text or "{" in text for text in said)
