"""A stored result comes back as the report it was; what is wrong with one is said in a line."""

from __future__ import annotations

import json
from contextlib import suppress

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.errors import ResultError
from ascend_doctor.reporters import json as reporter
from ascend_doctor.reporters.notes import missing
from ascend_doctor.reporters.registry import FORMATS
from ascend_doctor.reporters.stored import MAX_BYTES, loads
from tests.conftest import ROOT
from tests.reporters.reports import ANY_REPORT, CLEAN, FULL, GATED, INTERRUPTED, NOTHING

SCHEMA = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))
STORED = reporter.render(FULL)


@given(ANY_REPORT)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_report_comes_back_as_it_was(report):
    again = loads(reporter.render(report).encode(), "r.json")
    assert again == report
    # What is no part of equality.
    assert reporter.as_dict(again) == reporter.as_dict(report)


@pytest.mark.parametrize("report", [FULL, CLEAN, NOTHING, INTERRUPTED, GATED])
def test_each_field_is_in_the_schema_and_comes_back(report):
    jsonschema.validate(reporter.as_dict(report), SCHEMA)
    again = loads(reporter.render(report).encode(), "r.json")
    assert again == report
    # What is no part of equality.
    assert reporter.as_dict(again) == reporter.as_dict(report)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_what_another_system_made_of_it_is_read(encoding):
    assert loads(STORED.encode(encoding), "r.json") == FULL


def test_a_result_of_an_earlier_minor_version_is_read():
    stored = json.loads(STORED)
    stored["schema_version"] = "1.0"
    del stored["families"]
    for diagnosis in stored["diagnoses"]:
        for consequence in diagnosis["consequences"]:
            first = consequence["first"]
            consequence["first"] = {name: first[name] for name in ("path", "line", "text")}
    report = loads(json.dumps(stored).encode(), "r.json")
    assert (report.families, report.diagnoses) == ({}, FULL.diagnoses)


def test_a_result_of_a_later_minor_version_is_read():
    stored = json.loads(STORED)
    stored |= {"schema_version": "1.99", "weather": {"moon": "full"}}
    assert loads(json.dumps(stored).encode(), "r.json") == FULL


def test_a_note_that_only_a_later_version_knows_keeps_its_words():
    stored = json.loads(STORED)
    words = {"en": "the sun is low", "zh": "太阳很低"}
    stored["coverage"]["notes"] = [{"path": "a", "name": "sun", "values": {}, "note": words}]
    report = loads(json.dumps(stored).encode(), "r.json")
    assert [item for _, item in missing(report.coverage, "zh")][-1] == [("a", "太阳很低")]
    assert reporter.as_dict(report)["coverage"]["notes"][0]["note"] == words


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"count": "2"}, "coverage.notes[0].values.line: this field is missing; "),
        ({"count": 2, "line": "9"}, "coverage.notes[0].values.count: must be a text"),
    ],
)
def test_a_note_without_what_it_says_is_pointed_at(values, said):
    stored = json.loads(STORED)
    stored["coverage"]["notes"][0]["values"] = values
    with pytest.raises(ResultError) as caught:
        loads(json.dumps(stored).encode(), "r.json")
    assert str(caught.value).startswith(f"r.json: {said}")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("tracks", 0, "bars"), [], "tracks[0].bars: must not be empty"),
        (("tracks", 0, "total_ms"), -1, "tracks[0].total_ms: must be 0 or more"),
        (("tracks", 0, "total_ms"), float("nan"), "tracks[0].total_ms: must be a finite number"),
        (("tracks", 0, "total_ms"), 10**400, "tracks[0].total_ms: must be a finite number"),
        (("tracks", 0, "total_ms"), True, "tracks[0].total_ms: must be a number"),
        (("tracks", 0, "parts_ms"), {"fetch": "1"}, "tracks[0].parts_ms.fetch: must be a number"),
        (("tracks", 0, "steps"), 0, "tracks[0].steps: must be 1 or more"),
        (("left_out",), 1.5, "left_out: must be a whole number"),
    ],
)
def test_a_wrong_field_of_a_breakdown_is_pointed_at(place, value, said):
    stored = json.loads(STORED)
    inner = stored["breakdown"]
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises(ResultError) as caught:
        loads(json.dumps(stored).encode(), "r.json")
    assert str(caught.value) == f"r.json: breakdown.{said}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"schema_version": "2.0"},
            "schema_version: version 2.0 is newer than this ascend-doctor, which reads 1.x",
        ),
        ({"tool": {"name": "other"}}, "tool.name: another tool made it"),
        ({"tool": []}, "tool: must be an object"),
        ({"diagnoses": {}}, "diagnoses: must be a list"),
        (
            {"diagnoses": [{}]},
            "diagnoses[0].title: this field is missing; was it written by `ascend-doctor analyze`?",
        ),
        ({"environment": {"cann": 8}}, "environment.cann: must be a text"),
        ({"coverage": {"files": -1}}, "coverage.files: must be 0 or more"),
        ({"coverage": {"files": True}}, "coverage.files: must be a whole number"),
        ({"coverage": {"files": 1.0}}, "coverage.files: must be a whole number"),
        ({"coverage": {"files": "1"}}, "coverage.files: must be a whole number"),
    ],
)
def test_a_wrong_field_is_pointed_at(change, said):
    with pytest.raises(ResultError) as caught:
        loads(json.dumps(json.loads(STORED) | change).encode(), "r.json")
    assert str(caught.value) == f"r.json: {said}"


@pytest.mark.parametrize(
    ("names", "value", "said"),
    [
        (("severity",), "bad", "severity: must be one of info, warning, error, fatal"),
        (("confidence",), "none", "confidence: must be one of low, medium, high"),
        (("evidence",), [], "evidence: must not be empty"),
        (("evidence", 0, "line"), 0, "evidence[0].line: must be 1 or more"),
        (("evidence", 1, "order"), [1], "evidence[1].order: must be a list of two"),
        (("consequences", 0, "title", "zh"), 7, "consequences[0].title.zh: must be a text"),
    ],
)
def test_a_wrong_field_of_a_diagnosis_is_pointed_at(names, value, said):
    stored = json.loads(STORED)
    inner = stored["diagnoses"][0]
    for name in names[:-1]:
        inner = inner[name]
    inner[names[-1]] = value
    with pytest.raises(ResultError) as caught:
        loads(json.dumps(stored).encode(), "r.json")
    assert str(caught.value) == f"r.json: diagnoses[0].{said}"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "r.json:1:1: the file is empty; it should hold a JSON report"),
        (b'{\n "a": [1,', "r.json:2:10: the file ends early; it should hold a JSON report"),
        (b'{\n "a": x}', "r.json:2:7: not JSON: Expecting value"),
        (b'{"a": "\xff"}', "r.json: not text in UTF-8 at byte 7"),
        (b'{"a": "\xe5\x86', "r.json: the file ends early; it should hold a JSON report"),
        (b"7", "r.json: must be an object"),
        (b"[" * 200_000, "r.json: no JSON report: nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "r.json: no JSON report: a number is too long"),
        (b" " * (MAX_BYTES + 1), "r.json: larger than 64 MiB, which no result is"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_json_is_told_where(data, said):
    with pytest.raises(ResultError) as caught:
        loads(data, "r.json")
    assert str(caught.value) == said


def _places(value, path=()):
    """Yield the way to each value of a document."""
    yield path
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*path, key))


PLACES = [path for path in _places(json.loads(STORED)) if path]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=3,
)


@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=2))
@settings(max_examples=150, deadline=None)
def test_a_changed_result_is_refused_or_shown(changes):
    stored = json.loads(STORED)
    for path, junk in changes:
        inner = stored
        with suppress(KeyError, IndexError, TypeError):  # what the first change took away
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = junk
    with suppress(ResultError):
        report = loads(json.dumps(stored).encode(), "r.json")
        for format_ in FORMATS.values():
            format_.render(report, "zh")


@given(ANY_REPORT)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_beginning_of_a_result_is_refused(report):
    data = reporter.render(report).encode()
    for end in range(0, len(data) - 2, max(1, len(data) // 40)):
        with pytest.raises(ResultError):
            loads(data[:end], "r.json")
