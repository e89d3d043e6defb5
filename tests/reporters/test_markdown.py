"""Markdown: what a log says is text there, never markup."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt
from msgspec.structs import replace

import ascend_doctor
from ascend_doctor.report import Report
from ascend_doctor.reporters import markdown, markup
from tests.reporters.reports import CAUSE, FULL, HOSTILE, HOSTILE_FULL, HOSTILE_REPORT

READER = MarkdownIt("gfm-like", {"linkify": False})
# Elements of ours that keep a reference from being one.
_APART = "<!-- -->"


def test_a_function_name_cannot_become_markup(tmp_path):
    frame = '  File "/a.py", line 3, in f` <b> ``'
    log = f"Traceback (most recent call last):\n{frame}\nRuntimeError: x\n"
    (tmp_path / "train.log").write_text(log, encoding="utf-8")
    said = markdown.render(ascend_doctor.analyze(tmp_path))
    assert "**Where**: `/a.py:3` in f' \\<b\\> ''" in said.splitlines()


def active(said: str, rows: int = 0) -> list[str]:
    """Return what another reader takes for more than text: HTML, links, pictures, tables.

    A table of ours has so many rows, which are equally long.
    """
    found = []
    kinds = [block.type for block in READER.parse(said)]
    if (kinds.count("table_open"), kinds.count("tr_open")) != (rows > 0, rows):
        found.append("table")
    if rows and (kinds.count("td_open") + kinds.count("th_open")) % rows:
        found.append("cell")
    for block in READER.parse(said):
        if block.type == "html_block" and block.content.strip() != _APART:
            found.append(block.content)
        found += [
            inline.content or inline.type
            for inline in block.children or ()
            if (inline.type == "html_inline" and inline.content != _APART)
            or inline.type in ("link_open", "image", "s_open")
        ]
    return found


def test_the_reader_that_is_tested_with_finds_what_is_active():
    assert active("a <b>x</b> ![y](z)\n\n<p>\n") == ["<b>", "</b>", "y", "<p>\n"]


def test_no_run_of_backticks_frees_a_link():
    parts = ("`", "``", "```", "[x](y)", "a", "\\")
    texts = ["".join(chosen) for chosen in product(parts, repeat=4)]
    assert [text for text in texts if active(markup.prose(text))] == []


def _rows(report: Report) -> int:
    tracks = report.breakdown.tracks
    return len(tracks) + 1 if tracks else 0


@given(HOSTILE_REPORT)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_becomes_markup(report):
    assert active(markdown.render(report), _rows(report)) == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_line_of_a_log_stays_in_its_fence(hostile):
    proof = replace(CAUSE.evidence[0], text=hostile)
    unknown = replace(FULL.unexplained[0], first=proof)
    cause = replace(CAUSE, evidence=(proof,))
    said = markdown.render(replace(FULL, diagnoses=(cause,), unexplained=(unknown,)))
    fences = [block.content for block in READER.parse(said) if block.type == "fence"]
    assert fences == [f"{markup.fenced(hostile)}\n"] * 2


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_hostile_report_keeps_its_form(lang):
    said = markdown.render(HOSTILE_FULL, lang)
    assert active(said, _rows(HOSTILE_FULL)) == []
    headings = [block.tag for block in READER.parse(said) if block.type == "heading_open"]
    # Two causes, then times of steps, unknown errors, remarks and the environment.
    assert headings == ["h2", "h2", "h3", "h3", "h3", "h3"]
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]", said) == []
