"""Faults of other frameworks and tools are found where they are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

CASES = yaml.safe_load(Path(__file__).with_name("frameworks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_the_fault_is_the_first_finding(run, tmp_path, case):
    want = {key: case[key] for key in ("family", "rule", "line", "captures")}
    path = tmp_path / "train.log"
    path.write_text(case["log"], encoding="utf-8")
    first = json.loads(run("analyze", path, "--format", "json").stdout)["diagnoses"][0]
    got = {**first, "line": first["evidence"][0]["line"]}
    assert {key: got[key] for key in want} == want
