"""Samples that the harness made show the programs that are shipped."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from ascend_doctor.harness.scenarios import all_scenarios, scenario
from tests.conftest import ROOT

MADE = sorted(path.parent for path in (ROOT / "samples").glob("*/PROVENANCE.json"))


def test_each_scenario_has_a_sample():
    told = {json.loads((sample / "PROVENANCE.json").read_text())["scenario"] for sample in MADE}
    assert told == {one.id for one in all_scenarios()}


@pytest.mark.parametrize("sample", MADE, ids=lambda sample: sample.name)
def test_its_program_is_the_one_that_is_shipped(sample):
    name = json.loads((sample / "PROVENANCE.json").read_text())["scenario"]
    shipped = files("ascend_doctor.harness") / "programs" / scenario(name).program
    assert (sample / "program.py").read_text() == shipped.read_text()
