"""A scenario whose program needs no torch: its fault is a division by the tokens of no batch."""

from __future__ import annotations

import json
import shutil

import jsonschema
import pytest

from ascend_doctor.harness import scenarios
from ascend_doctor.harness.scenarios import evidence as stored
from ascend_doctor.harness.scenarios import runner, trial
from ascend_doctor.harness.scenarios.children import Children
from ascend_doctor.harness.scenarios.model import (
    Criterion,
    Decoy,
    Expected,
    Machine,
    Scenario,
    Support,
)
from ascend_doctor.harness.scenarios.privacy import of_this_machine
from tests.conftest import ROOT

PROGRAM = """
import json, sys, time
config = json.load(open(sys.argv[1]))
time.sleep(config["sleep"])
open("left", "w").write(sys.prefix)
bad = config["normalise"] != "tokens"  # fault
print("step 1 loss: 2.5")
print("step 2 loss:", "nan" if bad else "2.4")
json.dump({"finite": 1 if bad else 2, "loss": 2.5}, open(sys.argv[2], "w"))
"""
CPU = Machine("cpu", hardware="x86_64", torch="2.13.0+cpu", python="3.11.7")
SAID = {"en": "a title", "zh": "标题"}


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    """Return what makes scenarios, with parts of them changed."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "fake.py").write_text(PROGRAM, encoding="utf-8")

    def scenario(**changed):
        parts = {
            "id": "f0-fake",
            "title": SAID,
            "program": "fake.py",
            "expected": Expected("numerics", "numerics-loss-not-finite"),
            "broken": {"normalise": "micro-batch", "learning_rate": 0.1, "sleep": 0},
            "decoy": Decoy(SAID, {"learning_rate": 1e-4}),
            "criteria": (
                Criterion("broken", "finite", "<=", 1),
                Criterion("fixed", "finite", "==", 2),
                Criterion("fixed", "loss", "<=", 1e-5, of="distance"),
            ),
            "support": lambda machine: Support("analogue", SAID),
        }
        return Scenario(**{**parts, **changed})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "PROGRAMS", programs)
        patch.setattr(scenarios, "all_scenarios", lambda: (scenario(),))
        yield scenario


def settings_in(out):
    """Return how fake scenarios are run, with their runs in a folder."""
    return runner.Settings(
        out=out,
        machine=CPU,
        hidden=of_this_machine(out, trial.PACKAGE),
        environment=trial.environment(threads=1),
    )


@pytest.fixture
def settings(tmp_path):
    """Return how the fake scenarios are run."""
    return settings_in(tmp_path)


@pytest.fixture
def evidence(settings):
    """Return what runs a scenario."""

    def run(scenario):
        with Children() as children:
            return runner.run_one(scenario, settings, children)

    return run


@pytest.fixture(scope="module")
def made(fake, tmp_path_factory):
    """Run the fake scenario once; return its evidence and the folder of all runs."""
    out = tmp_path_factory.mktemp("out")
    with Children() as children:
        return runner.run_one(fake(), settings_in(out), children), out


@pytest.fixture
def proof(made, tmp_path):
    """Return evidence that holds, and where a copy of it lies that may be changed."""
    found, out = made
    shutil.copytree(out, tmp_path / "copy")
    return found, tmp_path / "copy" / found.scenario.id / stored.NAME


@pytest.fixture
def schema_of():
    """Return what gives the validator of a schema in docs/schema."""

    def validator(name):
        text = (ROOT / "docs" / "schema" / f"{name}.json").read_text(encoding="utf-8")
        return jsonschema.Draft202012Validator(json.loads(text))

    return validator
