"""The samples say what they should: first cause, proof, follow-ups, exit code."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.conftest import ROOT

SAMPLES = ROOT / "samples"
EXPECTED = yaml.safe_load((ROOT / "tests" / "samples.yaml").read_text(encoding="utf-8"))


def what_is_said(run, path):
    """Return the parts of a report that tests/samples.yaml speaks about."""
    done = run("analyze", path, "--format", "json")
    report = json.loads(done.stdout)
    told = [d for d in report["diagnoses"] if d["severity"] != "info"]
    first = dict(told[0]) if told else {}
    if first:
        proof, place = first["evidence"][0], first["code_location"]
        first["proof"] = f"{proof['path']}:{proof['line']}"
        first["where"] = f"{place['file']}:{place['line']} {place['function']}" if place else None
        first["consequences"] = sorted(c["rule"] for c in first["consequences"])
    return {
        "status": report["status"],
        "exit_code": done.exit_code,
        "first": first,
        "others": [d["rule"] for d in told[1:]],
        "unexplained": [
            f"{u['first']['path']}:{u['first']['line']}" for u in report["unexplained"]
        ],
    }


def only(got, want):
    """Return ``got`` without what ``want`` says nothing about; all of it if that is nothing."""
    return {key: got.get(key) for key in want} if want else got


@pytest.mark.parametrize("want", EXPECTED, ids=lambda want: want["sample"])
def test_a_sample_says_what_it_should(run, want):
    want = {**want}
    got = what_is_said(run, SAMPLES / want.pop("sample"))
    got["first"] = only(got["first"], want["first"])
    assert only(got, want) == want


def test_every_sample_is_expected_and_says_where_it_comes_from():
    folders = {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert {want["sample"].split("/")[0] for want in EXPECTED} == folders
    assert {path.parent.name for path in SAMPLES.glob("*/SOURCE.md")} == folders
