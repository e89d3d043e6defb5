"""GitHub: only our commands are obeyed, they say all that there is to say, and within limits."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from ascend_doctor.reporters import github, markdown, text
from ascend_doctor.reporters.safe import visible
from tests.reporters.reports import (
    CAUSE,
    CLEAN,
    FULL,
    HOSTILE,
    HOSTILE_FULL,
    HOSTILE_REPORT,
    INTERRUPTED,
    NOTHING,
)
from tests.reporters.runner import Command, obeyed

TOKEN = "0f1e2d"
KINDS = ("error", "warning", "notice")


def test_the_annotations_of_a_report():
    cause, lesser, unknown, remark = obeyed(github.render(FULL))
    assert cause == Command(
        "error",
        {
            "file": "ci/logs/node-1/run 7.tar.gz",
            "line": "41",
            "title": "The pool of device memory is in pieces (1.50 GiB)",
        },
        "Why: 3.2 GiB are free, but no piece of them holds the 1.5 GiB that were asked for.\n"
        "Proof:\n"
        "  node-1/run 7.tar.gz!logs/rank_3/train#1.log:41\n"
        "    RuntimeError: NPU out of memory. Tried to allocate 1.50 GiB (NPU 3; 60.96 GiB total)\n"
        "  node-2/plog/plog-99_1.log:7\n"
        "    [ERROR] HCCL(99,python3):wait timeout\n"
        "Where: /home/me/src/train.py:88 in forward\n"
        "Check:\n"
        "  1. Look at the peak: `npu-smi info -t usages -i 0`.\n"
        "Fix:\n"
        "  1. Let segments grow: `export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True`.\n"
        "  2. Or make the batch smaller.\n"
        "Then:\n"
        "  Another rank waited in vain ×7  node-2/plog/plog-99_1.log:7\n"
        "Codes: EL0004, 207001",
    )
    assert [(c.name, c.properties["title"]) for c in (lesser, unknown, remark)] == [
        ("warning", "/dev/shm is full"),
        ("warning", "Errors that no rule explains"),
        ("notice", "Operators are compiled at run time"),
    ]


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (CLEAN, []),
        (NOTHING, [("error", "没有找到可读的日志。\ncore：二进制文件")]),
        (
            INTERRUPTED,
            [
                ("error", "已被中止：至少有 2 个文件未读；以下仅针对此前读到的内容。"),
                (
                    "warning",
                    "the moon is in house 8\n通常第一条报错说明了原因。其中的错误码可用 "
                    "`ascend-doctor explain` 查询；要让本工具认识这条报错，可用 "
                    "`ascend-doctor rules new` 编写规则。",
                ),
            ],
        ),
    ],
)
def test_what_must_not_pass_is_an_error(report, said):
    assert [(c.name, c.data) for c in obeyed(github.render(report, "zh"))] == said


def test_no_kind_has_more_annotations_than_are_shown_and_the_last_says_so():
    report = replace(FULL, diagnoses=(CAUSE,) * 30, unexplained=())
    commands = obeyed(github.render(report))
    assert [c.name for c in commands] == ["error"] * 10
    assert commands[-1] == Command(
        "error", {"title": "ascend-doctor"}, "21 more; --format json has all"
    )


def test_a_title_and_a_message_have_a_length():
    long = "x" * 100_000
    texts = {lang: replace(said, title=long, cause=long) for lang, said in CAUSE.texts.items()}
    report = replace(FULL, diagnoses=(replace(CAUSE, texts=texts),), unexplained=())
    [command] = obeyed(github.render(report))
    assert (len(command.properties["title"]), len(command.data)) == (252, 8002)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_is_escaped_comes_back(hostile):
    where = replace(CAUSE.evidence[0], path=hostile, text=hostile)
    texts = {lang: replace(said, title=hostile) for lang, said in CAUSE.texts.items()}
    cause = replace(CAUSE, texts=texts, evidence=(where,))
    [command] = obeyed(github.render(replace(FULL, diagnoses=(cause,), unexplained=())))
    shown = visible(hostile)
    assert command.properties == {"file": shown, "line": "41", "title": shown}
    assert command.data.split("\n")[2:4] == [f"  {shown}:41", f"    {visible(hostile.strip())}"]


def is_ours(commands: list[Command]) -> bool:
    """Say whether there is nothing but what the reporter writes, each with its own properties."""
    return all(c.name in KINDS and {*c.properties} <= {"file", "line", "title"} for c in commands)


@given(HOSTILE_REPORT)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_becomes_a_command(report):
    said = github.render(report)
    commands = obeyed(said)
    assert is_ours(commands)
    assert len(commands) == said.count("\n")
    # Neither what the report shows on a screen, nor between the stop and the resume.
    assert obeyed(text.render(report)) == []
    assert obeyed(github.quoted(text.render(report), TOKEN) + said) == [
        Command("stop-commands", {}, TOKEN),
        Command(TOKEN, {}, ""),
        *commands,
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_even_unescaped_text_is_not_obeyed_between_stop_and_resume(hostile):
    lines = f"{hostile}\n::stop-commands::x\n::x::\n::add-mask::y\n##[group]z\n"
    assert obeyed(github.quoted(lines, TOKEN)) == [
        Command("stop-commands", {}, TOKEN),
        Command(TOKEN, {}, ""),
    ]


def test_the_runner_that_is_tested_with_obeys():
    assert obeyed(
        " ::error file=a%2Cb,line=1::x%0Ay\nat ##[group]z\n::unknown::\nc10::error::e"
    ) == [
        Command("error", {"file": "a,b", "line": "1"}, "x\ny"),
        Command("group", {}, "z"),
    ]


def test_the_summary_is_the_markdown_report():
    assert github.summary(FULL, "zh") == markdown.render(FULL, "zh")


@pytest.mark.parametrize("report", [FULL, HOSTILE_FULL])
def test_a_summary_keeps_to_any_limit_and_ends_outside_of_a_fence(report):
    whole = markdown.render(report)
    for limit in range(0, len(whole.encode()), 37):
        said = github.summary(report, "en", limit)
        assert len(said.encode()) <= limit
        assert bool(said) == (limit > 0)
        if said:
            assert f"\n\n{said}".endswith("\n\nCut here; --format json has all.\n")
            assert sum(line.lstrip().startswith("```") for line in said.splitlines()) % 2 == 0
    assert github.summary(report, "en", -5) == ""
