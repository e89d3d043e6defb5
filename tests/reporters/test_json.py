"""The JSON contract: what the schema says is what comes out."""

from __future__ import annotations

import json

import jsonschema
import pytest

import ascend_doctor
from ascend_doctor.records import FAMILIES
from ascend_doctor.reporters import json as reporter
from tests.conftest import ROOT

SCHEMA = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))
SAMPLES = sorted(path.parent for path in (ROOT / "samples").glob("*/SOURCE.md"))

jsonschema.Draft202012Validator.check_schema(SCHEMA)
validate = jsonschema.Draft202012Validator(SCHEMA).validate


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_every_sample_gives_valid_json(sample):
    validate(json.loads(reporter.render(ascend_doctor.analyze(sample))))


def test_the_schema_and_the_code_know_the_same_families():
    assert SCHEMA["$defs"]["family"]["enum"] == list(FAMILIES)


def test_a_log_cannot_steer_what_prints_the_report(tmp_path):
    line = "ImportError: \u202elibx.so: cannot open shared object file: \x9b2J ##[group]x"
    (tmp_path / "train.log").write_text(line + "\n", encoding="utf-8")
    said = reporter.render(ascend_doctor.analyze(tmp_path))
    assert [c for c in ("\u202e", "\x9b", "##[") if c in said] == []
    assert json.loads(said)["diagnoses"][0]["evidence"][0]["text"] == line


def test_a_whole_diagnosis(tmp_path):
    (tmp_path / "node-1").mkdir()
    (tmp_path / "node-1" / "worker.log").write_text(
        "[rank5]: ImportError: libge_runner.so: cannot open shared object file: No such file\n"
    )
    answer = reporter.as_dict(ascend_doctor.analyze(tmp_path))
    validate(answer)
    [diagnosis] = answer["diagnoses"]
    texts = {"title", "cause", "checks", "fixes", "remedies", "provenance"}
    assert {name: value for name, value in diagnosis.items() if name not in texts} == {
        "position": 1,
        "rule": "not-found-shared-library",
        "fingerprint": "1:4a94072656b34a7b",
        "family": "not_found",
        "severity": "fatal",
        "confidence": "high",
        "role": "cause",
        "captures": {"library": "libge_runner.so"},
        "codes": [],
        "evidence": [
            {
                "path": "node-1/worker.log",
                "line": 1,
                "text": "ImportError: libge_runner.so: cannot open shared object file: "
                "No such file",
                "order": [1, 0],
                "match": [13, 41],
                "before": [],
                "after": [],
                "time": None,
                "level": "ERROR",
                "module": None,
                "pid": None,
                "rank": 5,
                "device": None,
                "node": "node-1",
            }
        ],
        "code_location": None,
        "origin": {"node": "node-1", "rank": 5, "device": None, "pid": None, "time": None},
        "first_seen": None,
        "last_seen": None,
        "count": 1,
        "processes": 1,
        "ranks": [5],
        "consequences": [],
    }
