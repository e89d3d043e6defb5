"""All scenarios on the CPU: verified, decoys not, and the same diagnoses as in the samples."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ascend_doctor.api import analyze
from ascend_doctor.harness.scenarios import all_scenarios
from ascend_doctor.harness.scenarios.export import export
from ascend_doctor.harness.scenarios.verify import verify
from ascend_doctor.records import Severity
from tests.conftest import ROOT


@pytest.mark.slow
def test_all_scenarios_are_verified_and_all_decoys_are_not(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "ascend_doctor", "harness", "run", "--all", "--quick"]
    command += ["--device", "cpu", "--lang", "en", "-o", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    ids = {item.id for item in all_scenarios()}
    verdicts = {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()}
    assert (done.returncode, verdicts) == (0, dict.fromkeys(ids, "VERIFIED")), done.stdout

    told = {name: json.loads((out / name / "evidence.json").read_text()) for name in ids}
    assert {name: item["decoy"]["verdict"] for name, item in told.items()} == dict.fromkeys(
        ids, "NOT_FIXED"
    )
    assert {item["is_npu_evidence"] for item in told.values()} == {False}
    assert {name: verify(out / name / "evidence.json").wrong for name in ids} == dict.fromkeys(
        ids, ()
    )
    # What a person has is hidden wherever it might stand.
    files = [path for path in out.rglob("*") if path.is_file()]
    assert not [path for path in files if str(tmp_path).encode() in path.read_bytes()]
    made = [export(out / name / "evidence.json", tmp_path / "samples") for name in ids]
    assert {path.name for path in made} == {path.name for path in _SAMPLES.glob("*-harness-*")}
    for path in made:
        for state in ("broken", "fixed"):
            fresh, kept = (found(folder / state) for folder in (path, _SAMPLES / path.name))
            assert fresh == kept, f"{path.name}/{state}"


_SAMPLES = ROOT / "samples"


def found(folder):
    """Return the problems of a log, and the lines of code that they point at."""
    diagnoses = analyze(folder / "log.txt").diagnoses
    return [
        (d.rule, d.location and (d.location.file.rpartition("/")[2], d.location.line))
        for d in diagnoses
        if d.severity >= Severity.WARNING
    ]


def test_every_program_belongs_to_a_scenario_and_marks_its_fault():
    from ascend_doctor.harness.scenarios import trial

    helpers = {"__init__.py", "counting.py"}
    programs = {item.program: item for item in all_scenarios()}
    assert {path.name for path in trial.PROGRAMS.glob("*.py")} - helpers == {*programs}
    for name, item in programs.items():
        if item.expected.is_located:
            assert trial.fault_line(trial.PROGRAMS / name), name


def test_each_expected_rule_has_a_remedy_that_mends_its_program():
    from ascend_doctor.harness.scenarios.remedies import mended
    from ascend_doctor.knowledge import index

    rules = {rule.id: rule for rule in index.load(None).rules.values()}
    times = {"workers": "2"}
    for item in all_scenarios():
        rule = rules[item.expected.rule]
        assert rule.family == item.expected.family
        assert mended(item.broken, rule.remedies, times) is not None, item.id
        # A decoy is another change than the fix.
        assert {**item.broken, **item.decoy.changes} != mended(item.broken, rule.remedies, times)
        # It changes what the program has.
        assert item.decoy.changes.keys() <= item.broken.keys(), item.id
