"""The terminal report: safe to show, whole commands, readable at any width."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

import ascend_doctor
from ascend_doctor.records import Evidence
from ascend_doctor.reporters import text as text_reporter
from ascend_doctor.reporters.text import render
from tests.conftest import ROOT

SAMPLE = ROOT / "samples" / "not_found-no-cann-environment"


@pytest.fixture(scope="module")
def report():
    return ascend_doctor.analyze(SAMPLE)


@pytest.fixture
def said(tmp_path):
    def analyze(line: str) -> str:
        (tmp_path / "train.log").write_bytes(line.encode("utf-8", "surrogateescape") + b"\n")
        return render(ascend_doctor.analyze(tmp_path), color=True)

    return analyze


def test_a_command_is_never_wrapped(report):
    command = "source /usr/local/Ascend/ascend-toolkit/set_env.sh"
    assert [line.strip() for line in render(report, width=60).splitlines()].count(command) == 1


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_prose_keeps_to_the_width(report, lang, width):
    said = render(report, lang, width=width)
    commands = ("source ", "find ")
    prose = [line for line in said.splitlines() if not line.strip().startswith(commands)]
    assert [line for line in prose if cell_len(line) > width] == []


def test_no_line_ends_in_blanks(report):
    assert [line for line in render(report).splitlines() if line != line.rstrip()] == []


def test_without_colour_there_is_no_escape(report):
    assert "\x1b" not in render(report)


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[2J\x1b]0;owned\x07",
        "\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\",
        "\u202e\u2066",
        "\x9b2J",
    ],
)
def test_a_log_cannot_steer_the_terminal(said, hostile):
    text = said(f"ImportError: libx.so: cannot open shared object file: {hostile}end")
    ours = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", ours) == []
    assert "ImportError: libx.so" in ours


def test_a_log_cannot_use_our_markup(said):
    assert "[bold]x[/bold]" in said(
        "ImportError: [bold]x[/bold] libx.so: cannot open shared object"
    )


def test_a_log_cannot_command_the_runner_of_a_job(said):
    text = said("ImportError: libx.so: cannot open shared object file: ::error::x ##[group]y")
    assert "file: \\x3a:error::x \\x23#[group]y" in " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "match", "bold"),
    [
        ("now the pool is full, sir", (8, 20), ["pool is full"]),
        ("  now the pool is full", (10, 22), ["pool is full"]),
        ("内存 pool is full", (0, 7), ["内存 pool"]),
        ("\x1bpool", (0, 2), ["\\x1bp"]),
        ("pool is full", None, []),
        ("pool is full", (3, 3), []),
        ("a" * 200 + "pool" + "b" * 400, (200, 500), []),
    ],
)
def test_what_matched_is_bold_as_far_as_it_is_shown(text, match, bold):
    line = text_reporter._marked(Evidence("run.log", 1, text, match=match))
    spans = [span for span in line.spans if span.end > span.start]
    assert [line.plain[span.start : span.end] for span in spans] == bold
