"""JUnit XML: what GitLab's and Jenkins' readers need, whatever a log says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import junitparser
import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from ascend_doctor.reporters.junit import render
from tests.reporters.reports import (
    ANY_REPORT,
    CAUSE,
    CLEAN,
    FULL,
    HOSTILE_FULL,
    HOSTILE_REPORT,
    INTERRUPTED,
    NOTHING,
)

# What Jenkins' schema allows where.
_CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "property": set(),
    "testcase": {"failure", "error", "skipped"},
    "failure": set(),
    "error": set(),
    "skipped": set(),
}
_COUNTS = {"tests", "failures", "errors", "skipped", "time"}
_ATTRIBUTES = {
    "testsuites": {"name", *_COUNTS} - {"skipped"},
    "testsuite": {"name", *_COUNTS},
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    **{name: {"type", "message"} for name in ("failure", "error", "skipped")},
}


def read(said: str) -> dict[str, tuple[str, str]]:
    """Return the cases that do not pass, as another tool reads them: outcome and message."""
    return {
        f"{case.classname}/{case.name}": (type(result).__name__, result.message)
        for suite in junitparser.JUnitXml.fromstring(said.encode())
        for case in suite
        for result in case.result
    }


def validate(said: str) -> None:
    root = ET.fromstring(said.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        assert {*element.attrib} <= _ATTRIBUTES.get(element.tag, set())
        assert {child.tag for child in element} <= _CHILDREN[element.tag]
    for element in [root, *root.iter("testsuite")]:
        cases = [*element.iter("testcase")]
        counted = {
            "tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
            "skipped": sum(case.find("skipped") is not None for case in cases),
        }
        if element is root:
            del counted["skipped"]
        assert {name: int(element.get(name, "")) for name in counted} == counted
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(names) == len({*names})


def test_another_tool_reads_the_causes():
    assert read(render(FULL)) == {
        "ascend-doctor.reading/no-part-is-missing": ("Skipped", "Skipped"),
        "ascend-doctor.reading/errors-are-explained": ("Skipped", "Errors that no rule explains"),
        "ascend-doctor.buffer_oom/buffer-oom-pool-fragmented": (
            "Failure",
            "The pool of device memory is in pieces (1.50 GiB)",
        ),
        "ascend-doctor.host_resource/host-resource-shared-memory": ("Failure", "/dev/shm is full"),
    }


@pytest.mark.parametrize(
    ("report", "cases", "said"),
    [
        (CLEAN, 16, {}),
        (
            NOTHING,
            1,
            {"ascend-doctor.reading/logs-are-read": ("Error", "Nothing readable was found.")},
        ),
        (
            INTERRUPTED,
            16,
            {
                "ascend-doctor.reading/logs-are-read": (
                    "Error",
                    "Interrupted with at least 2 files left to read; this is about the others.",
                ),
                "ascend-doctor.reading/errors-are-explained": (
                    "Skipped",
                    "Errors that no rule explains",
                ),
            },
        ),
    ],
)
def test_a_report_without_causes_has_cases_that_pass_or_say_why_not(report, cases, said):
    assert read(render(report)) == said
    assert junitparser.JUnitXml.fromstring(render(report).encode()).tests == cases


def test_no_two_cases_share_a_name():
    said = render(replace(FULL, diagnoses=(CAUSE, CAUSE)))
    validate(said)
    assert [name for name, (kind, _) in read(said).items() if kind == "Failure"] == [
        "ascend-doctor.buffer_oom/buffer-oom-pool-fragmented",
        "ascend-doctor.buffer_oom/buffer-oom-pool-fragmented 2",
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("report", [FULL, HOSTILE_FULL, CLEAN, NOTHING, INTERRUPTED])
def test_the_form_is_that_of_the_schema(report, lang):
    validate(render(report, lang))


@given(HOSTILE_REPORT | ANY_REPORT)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_breaks_the_document(report):
    said = render(report)
    validate(said)
    read(said)
    # What XML 1.0 cannot hold, and what a screen would obey.
    assert re.findall("[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", said) == []
