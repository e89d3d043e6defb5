"""What is wrong with a rule is told, one line an example."""

from __future__ import annotations

import pytest

from ascend_doctor.authoring.check import check
from ascend_doctor.errors import RuleError
from tests.rulesets import patterns, rule

LOG = "ERROR: pool is quite full, asked for 3 pages"


def told(folder, **fields) -> list[str]:
    """Return what is told of a rule about a full pool, without path and id."""
    fields = {
        "regex": r"pool is quite full(?:, asked for (?P<size>\d+))?",
        "captures": {"size": "int"},
        "examples": {"match": [{"log": LOG, "captures": {"size": "3"}}], "near": ["pool is new"]},
        **fields,
    }
    patterns(folder, rule("buffer-oom-quite-full", "pool is quite full", **fields))
    count, failures = check(folder, "buffer-oom-quite")
    assert count == 1
    where = f"{folder / 'buffer_oom' / 'buffer-oom-quite-full.yaml'}: buffer-oom-quite-full: "
    return [failure.removeprefix(where) for failure in failures]


def matching(log: str, captures: dict[str, str], **more: object) -> dict[str, object]:
    return {"match": [{"log": log, "captures": captures, **more}], "near": ["pool is new"]}


@pytest.mark.parametrize(
    ("fields", "failures"),
    [
        ({}, []),
        (
            {"examples": matching("ERROR: pool is empty", {})},
            [
                "examples.match.0: does not match (no rule did)",
                "match.0: no example is worded like this",
                "without this rule, every example is answered the same",
            ],
        ),
        (
            {"examples": matching(LOG, {"size": "4"})},
            ["examples.match.0: captures {'size': '3'}, not {'size': '4'}"],
        ),
        (
            {"examples": matching(LOG, {"size": "3"}, line=2)},
            ["examples.match.0: quotes line 1, not 2"],
        ),
        (
            {
                "examples": matching("ERROR: pool is quite full", {}),
                "cause": {"en": "Too big: {size}", "zh": "过大：{size}"},
            },
            ["examples.match.0: does not capture size; write {size|what to say instead}"],
        ),
        (
            {"requires": {"process": ["pool was opened"]}},
            [
                "examples.match.0: is not diagnosed: a condition of the rule does not hold",
            ],
        ),
        (
            {
                "match": [{"literals": ["pool is quite full"]}, {"literals": ["pool is overfull"]}],
                "captures": {},
                "examples": matching(LOG, {}),
            },
            ["match.1: no example is worded like this"],
        ),
        (
            {"fixes": {"en": ["Run `npu-smi info <id>`."], "zh": ["执行 `npu-smi info <卡号>`。"]}},
            [],
        ),
        (
            {"fixes": {"en": ["Run `npu-smi info`."], "zh": ["执行 `npu-smi`。"]}},
            ["text 2: only one language has `npu-smi info`, `npu-smi`"],
        ),
        (
            {"examples": {**matching(LOG, {"size": "3"}), "near": [LOG]}},
            ["examples.near.0: matches, and should not"],
        ),
    ],
)
def test_an_example_that_comes_out_otherwise_is_told(tmp_path, fields, failures):
    assert told(tmp_path, **fields) == failures


def test_a_cause_that_another_family_outranks_is_told(tmp_path):
    log = f"ImportError: libhccl.so: cannot open shared object file: No such file\n{LOG}"
    assert told(tmp_path, examples=matching(log, {"size": "3"})) == [
        "examples.match.0: not-found-shared-library is told first"
    ]


def test_a_wrong_rule_file_is_an_error(tmp_path):
    patterns(tmp_path, rule("buffer-oom-quite-full", "abc"))
    with pytest.raises(RuleError, match="no literal of 4 bytes or more"):
        check(tmp_path)
