"""``report``: a stored result in another format, with the exit code that the analysis had."""

from __future__ import annotations

import json

import pytest

from ascend_doctor.reporters.json import render
from tests.conftest import ROOT
from tests.reporters.reports import CLEAN, FULL, INTERRUPTED, NOTHING

SAMPLE = ROOT / "samples" / "buffer_oom-fragmented"


@pytest.fixture
def stored(tmp_path):
    def write(report):
        path = tmp_path / "result.json"
        path.write_text(render(report), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_a_stored_result_shows_as_the_analysis_did(run, tmp_path, format_):
    result = tmp_path / "result.json"
    analyzed = run("analyze", SAMPLE, "-f", format_, "-f", f"json={result}", "--lang", "zh")
    shown = run("report", result, "-f", format_, "--lang", "zh")
    assert (shown.exit_code, shown.stdout) == (1, analyzed.stdout)


def test_a_result_is_read_from_standard_input(run):
    done = run("report", "-", "-f", "json", stdin=render(FULL).encode())
    assert (done.exit_code, json.loads(done.stdout)) == (1, json.loads(render(FULL)))


@pytest.mark.parametrize(
    ("report", "options", "code", "said"),
    [
        (FULL, [], 1, ""),
        (FULL, ["--fail-on", "never"], 0, ""),
        (FULL, ["--fail-on", "never", "--strict"], 2, ""),
        (CLEAN, [], 0, ""),
        (NOTHING, [], 3, "error: nothing readable was found: core: binary\n"),
        (
            INTERRUPTED,
            [],
            2,
            "error: interrupted; the report is about what was read until then\n",
        ),
    ],
)
def test_the_exit_code_is_that_of_the_analysis(run, stored, report, options, code, said):
    done = run("report", stored(report), "-f", "json", *options)
    assert (done.exit_code, done.stderr) == (code, said)


def test_a_truncated_result_exits_2_in_one_line(run, stored):
    path = stored(FULL)
    path.write_text(path.read_text(encoding="utf-8")[:70], encoding="utf-8")
    done = run("report", path)
    assert (done.exit_code, done.stdout, done.stderr) == (
        2,
        "",
        f"error: {path}:5:3: the file ends early; it should hold a JSON report\n",
    )


def test_a_result_that_cannot_be_read_exits_2_in_one_line(run, tmp_path):
    for path, reason in (
        (tmp_path / "x", "no such file or directory"),
        (tmp_path, "is a directory"),
    ):
        done = run("report", path)
        assert (done.exit_code, done.stderr) == (2, f"error: {path}: {reason}\n")


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (NOTHING, "错误：没有可读的内容：core：二进制文件\n"),
        (INTERRUPTED, "错误：已被中止，报告仅针对此前读到的内容\n"),
    ],
)
def test_what_is_missing_is_said_in_the_language_of_the_report(run, stored, report, said):
    assert run("report", stored(report), "--lang", "zh").stderr == said
