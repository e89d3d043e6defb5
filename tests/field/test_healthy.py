"""Logs of runs that went well are left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

CASES = yaml.safe_load(Path(__file__).with_name("healthy.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_a_healthy_log_is_not_diagnosed(run, tmp_path, case):
    path = tmp_path / "train.log"
    path.write_text(case["log"], encoding="utf-8")
    report = json.loads(run("analyze", path, "--format", "json").stdout)
    assert [d["rule"] for d in report["diagnoses"] if d["severity"] != "info"] == []
