"""Every profile of the authored set is answered as it should be: no miss, and no false alarm."""

from __future__ import annotations

import json

import pytest

from tests.profile.authored.cases import FAULTS, HEALTHY, NOTHING


def analyzed(run, folder, case):
    """Write the files of a case, and return its exit code and what is said of it."""
    for path, text in case.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    result = run("analyze", folder, "--format", "json")
    return result.exit_code, json.loads(result.stdout)


def told(report):
    """Return the diagnoses of a report that are no remarks."""
    return [d["rule"] for d in report["diagnoses"] if d["severity"] != "info"]


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case.name)
def test_a_fault_is_told_first_with_its_numbers(run, tmp_path, case):
    code, report = analyzed(run, tmp_path, case)
    assert (code, told(report)) == (1, [case.expect])
    first = report["diagnoses"][0]
    said = {name: first["captures"].get(name) for name in case.captures}
    assert (first["rule"], said, first["severity"]) == (case.expect, case.captures, case.severity)
    assert {c["rule"] for c in first["consequences"]} >= {*case.follows}
    assert not case.ranks or tuple(first["ranks"]) == case.ranks
    where = first["code_location"]
    assert (where and (where["file"], where["line"])) == case.location


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.name)
def test_a_healthy_profile_raises_no_alarm(run, tmp_path, case):
    code, report = analyzed(run, tmp_path, case)
    assert (code, told(report), report["status"]) == (0, [], "clean")
    remarks = {d["rule"]: d["captures"] for d in report["diagnoses"]}
    assert [*remarks] == ([case.expect] if case.expect else [])
    for name, value in case.captures.items():
        assert remarks[case.expect][name] == value


@pytest.mark.parametrize("case", NOTHING, ids=lambda case: case.name)
def test_a_profile_with_nothing_in_it_is_not_green(run, tmp_path, case):
    code, report = analyzed(run, tmp_path, case)
    assert (code, report["diagnoses"], report["coverage"]["empty"]) == (3, [], True)


def test_half_of_the_set_is_healthy():
    assert len(FAULTS) >= 16
    assert len(HEALTHY) >= 16
