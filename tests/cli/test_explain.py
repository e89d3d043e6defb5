"""`ascend-doctor explain`: codes by argument and by pipe, both languages, exit codes."""

from __future__ import annotations

import json

import pytest


def test_a_code_is_explained(run):
    done = run("explain", "507899", "--lang", "en")
    first, second, *_ = done.stdout.splitlines()
    assert done.exit_code == 0
    assert first == "507899  ACL_ERROR_RT_DRV_INTERNAL_ERROR"
    assert second == "  ACL, runtime or GE number · device_fault"


def test_chinese_is_an_equal(run):
    done = run("explain", "507899", "--lang", "zh")
    assert done.exit_code == 0
    assert "含义" in done.stdout
    assert "Means" not in done.stdout


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_a_text_is_read_from_a_pipe(run, arguments):
    done = run(
        "explain", *arguments, "--format", "json", stdin=b"EI0002: x, error code is 507899\n"
    )
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    assert told["schema_version"] == 1
    assert [item["code"] for item in told["explanations"]] == ["EI0002", "507899"]


def test_a_text_that_names_nothing_exits_3(run):
    done = run("explain", "-", stdin=b"all is well\n")
    assert (done.exit_code, done.stdout, done.stderr) == (
        3,
        "",
        "error: the text names no code, variable or term that is known\n",
    )


def test_what_is_unknown_is_named_and_exits_1(run):
    done = run("explain", "507899", "no\x1b[31mpe", "--lang", "en")
    assert done.exit_code == 1
    assert "\x1b" not in done.stdout
    assert done.stderr == "error: not known: no\\x1b[31mpe\n"
    assert done.stdout.splitlines()[-2:] == [
        "no\\x1b[31mpe",
        "  Not known here. If a log says it, `ascend-doctor analyze` reads the sentence beside it.",
    ]


def test_a_paste_from_windows_is_read(run):
    done = run("explain", "-", "--format", "json", stdin="EI0002: x\n".encode("utf-16"))
    assert [item["code"] for item in json.loads(done.stdout)["explanations"]] == ["EI0002"]


def test_what_is_too_long_to_be_a_paste_is_said(run):
    done = run("explain", "-", stdin=b"EI0002: x\n" + b"word \n" * (1 << 20))
    assert done.exit_code == 0
    assert done.stderr == "note: only the first 4096 KiB of the text are read\n"
