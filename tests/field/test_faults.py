"""Faults as they are reported in the field: first cause, its proof and its captures."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.conftest import ROOT

FOLDER = ROOT / "tests" / "field"
# Each file holds faults and what only looks like one; the family of that is `clean`.
FAULTS = [
    fault
    for name in ("faults", "serving", "cann", "training", "curves", "second")
    for fault in yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
]


def what_is_said(run, folder):
    """Return what tests/field/faults.yaml speaks about, of the first cause that is told."""
    report = json.loads(run("analyze", folder, "--format", "json").stdout)
    told = [d for d in report["diagnoses"] if d["severity"] != "info"]
    if not told:
        return {"family": report["status"]}
    first, proof = told[0], told[0]["evidence"][0]
    return {
        "family": first["family"],
        "rule": first["rule"],
        "proof": f"{proof['path']}:{proof['line']}",
        "captures": first["captures"],
    }


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["about"])
def test_a_fault_from_the_field_is_told_with_its_proof(run, tmp_path, fault):
    for name, text in fault["logs"].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    want = {key: value for key, value in fault.items() if key not in ("about", "logs")}
    got = what_is_said(run, tmp_path)
    if "captures" in want:
        got["captures"] = {k: v for k, v in got["captures"].items() if k in want["captures"]}
    assert got == want
