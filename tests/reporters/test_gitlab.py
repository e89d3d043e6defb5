"""GitLab code quality: the fields that GitLab asks for, and entries that it can tell apart."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from ascend_doctor.reporters.gitlab import render
from tests.reporters.reports import (
    ANY_REPORT,
    CAUSE,
    CLEAN,
    FULL,
    HOSTILE,
    HOSTILE_FULL,
    HOSTILE_REPORT,
    INTERRUPTED,
    NOTHING,
)

# After the table of fields in GitLab's manual; Code Climate asks for a type as well.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["type", "description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "type": {"const": "issue"},
            "description": {"type": "string"},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32,}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def read(said: str) -> list[tuple[str, str, str, int]]:
    entries = json.loads(said)
    jsonschema.validate(entries, SCHEMA)
    prints = [entry["fingerprint"] for entry in entries]
    assert len(prints) == len({*prints})
    return [
        (e["severity"], e["check_name"], e["location"]["path"], e["location"]["lines"]["begin"])
        for e in entries
    ]


def test_the_entries_of_a_report():
    assert read(render(FULL)) == [
        (
            "blocker",
            "buffer-oom-pool-fragmented",
            "ci/logs/node-1/run 7.tar.gz",
            41,
        ),
        ("major", "host-resource-shared-memory", "<stdin>", 1),
        ("info", "static-fallback-remark", "ci/logs/node-1/env.txt", 3),
        ("info", "unexplained-error", "a/b.log", 5),
    ]


def test_a_description_is_in_the_language_that_is_asked_for():
    assert [json.loads(render(FULL, lang))[1]["description"] for lang in ("en", "zh")] == [
        "/dev/shm is full. Workers pass batches through it.",
        "/dev/shm 已满。worker 通过它传递 batch。",
    ]


@pytest.mark.parametrize(
    ("report", "entries"),
    [
        (CLEAN, []),
        (NOTHING, [("blocker", "reading", "core", 1)]),
        (
            INTERRUPTED,
            [("blocker", "reading", "-", 1), ("info", "unexplained-error", "a/b.log", 5)],
        ),
    ],
)
def test_what_must_not_pass_is_an_entry(report, entries):
    assert read(render(report)) == entries


def test_a_fingerprint_is_the_same_in_the_next_run_and_in_the_other_language():
    later = replace(
        CAUSE,
        position=2,
        evidence=(replace(CAUSE.evidence[0], path="elsewhere/train.log", line=99),),
    )
    reports = [(FULL, "en"), (FULL, "zh"), (replace(FULL, diagnoses=(later,)), "en")]
    prints = {json.loads(render(report, lang))[0]["fingerprint"] for report, lang in reports}
    assert len(prints) == 1


@given(HOSTILE_REPORT | ANY_REPORT)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_breaks_the_document(report):
    read(render(report))


def test_a_hostile_report_has_all_of_its_entries():
    assert len(read(render(HOSTILE_FULL))) == 3 + len(HOSTILE)
