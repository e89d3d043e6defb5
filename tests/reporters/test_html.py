"""The page as text: what logs may write into it, its policy, and that it says all it should."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

import ascend_doctor
from ascend_doctor import resources
from ascend_doctor.knowledge import index
from ascend_doctor.records import LANGS, Evidence, Note, Severity
from ascend_doctor.report import Report
from ascend_doctor.reporters import html, notes, stored
from ascend_doctor.reporters import json as json_reporter
from ascend_doctor.reporters.html import page, words
from ascend_doctor.reporters.html.quote import MAX_LINE, parts
from ascend_doctor.reporters.html.steps import first_command, pieces
from tests.conftest import ROOT
from tests.hostile.strings import dangers
from tests.reporters.reports import (
    ANY_REPORT,
    CLEAN,
    FULL,
    GATED,
    HOSTILE_FULL,
    HOSTILE_REPORT,
    NOTHING,
)

checked = settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

# What a text would need to become markup, and what looks like it but cannot.
HARMLESS = str.maketrans({"<": "‹", ">": "›", "&": "＆", '"': "”", "'": "’"})


class _Shape(HTMLParser):
    """Collects the tags of a page with their attributes, and its text."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(f"<{tag} {' '.join(name for name, _ in attrs)}>")
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")


def harmless(value: Any) -> Any:
    """Return the same value with no character of markup in any of its texts."""
    if isinstance(value, Struct):
        return replace(value, **{n: harmless(getattr(value, n)) for n in value.__struct_fields__})
    if isinstance(value, str):
        return value.translate(HARMLESS)
    if isinstance(value, tuple):
        return tuple(map(harmless, value))
    if isinstance(value, Mapping):
        return {harmless(key): harmless(item) for key, item in value.items()}
    return value


@checked
@given(HOSTILE_REPORT | ANY_REPORT, st.sampled_from(LANGS))
def test_no_text_of_a_report_becomes_markup(report, lang):
    said = html.render(report, lang)
    assert dangers(said) == []
    said.encode()
    assert _Shape(said).tags == _Shape(html.render(harmless(report), lang)).tags


@pytest.mark.parametrize("report", [FULL, HOSTILE_FULL], ids=["full", "hostile"])
def test_the_policy_lets_only_our_own_style_and_script_take_effect(report):
    said = html.render(report)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', said)[1]

    def hashes(tag: str) -> str:
        found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", said, re.DOTALL)
        digests = [hashlib.sha256(text.encode()).digest() for text in found]
        return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

    assert policy.replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        f"script-src {hashes('script')}",
        f"style-src {hashes('style')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    shape = _Shape(said)
    named = {name for name, _ in shape.attributes}
    assert {name for name in named if name.startswith("on")} | named & {"style", "src"} == set()
    assert {value[:1] for name, value in shape.attributes if name == "href"} == {"#"}
    ids = [value for name, value in shape.attributes if name == "id"]
    assert sorted(ids) == sorted(set(ids))


@checked
@given(ANY_REPORT, st.sampled_from(LANGS))
def test_a_stored_report_gives_the_same_page(report, lang):
    again = stored.loads(json_reporter.render(report).encode(), "x.json")
    assert html.render(again, lang) == html.render(report, lang)


def test_a_stored_sample_gives_the_same_page():
    report = ascend_doctor.analyze(ROOT / "samples" / "buffer_oom-fragmented")
    again = stored.loads(json_reporter.render(report).encode(), "x.json")
    assert html.render(again) == html.render(report)


FOR_PROGRAMS = {
    *("remedies", "captures", "provenance", "template", "families", "fingerprint"),
    *("parts", "roots", "machine"),
}


def test_the_page_says_all_that_a_report_holds():
    text = "".join(_Shape(html.render(FULL)).text)
    wanted: set[str] = set()

    def gather(value: Any) -> None:
        if isinstance(value, Note):
            gather(notes.said(value, "en"))
        elif isinstance(value, Struct):
            for name in value.__struct_fields__:
                # These are for programs; the rest of a template is in its line.
                if name not in FOR_PROGRAMS:
                    gather(getattr(value, name))
        elif isinstance(value, str):
            wanted.update(re.split(r"`[^`]*`", value.rstrip(".。")))
        elif isinstance(value, Mapping):
            gather((*value.keys(), *value.values()))
        elif isinstance(value, tuple):
            for item in value:
                gather(item)

    gather(replace(FULL, version="0.1.0"))
    plain = {"en", "zh", "high", "cause", "consequence", "binary", "error_manager"}
    times = {item for item in wanted if re.match(r"\d{4}-\d\d-\d\dT", item)}
    missing = {item for item in wanted - times - plain if item.strip(" :：") not in text}
    # A notice's role, and the severities, are said in words.
    assert missing <= {"low", "medium", "wrapper", "notice"}


@pytest.mark.parametrize(
    ("report", "title"),
    [
        (CLEAN, "No fault found in what was read."),
        (NOTHING, "Nothing readable was found."),
        (
            replace(FULL, diagnoses=()),
            "No diagnosis, but there are errors that no rule knows.",
        ),
    ],
)
def test_a_report_without_diagnosis_says_why(report, title):
    head = re.search(r"<h1>(.*?)</h1>", html.render(report), re.DOTALL)[1]
    assert re.search(r'<span class="en" lang="en">(.*?)</span>', head)[1] == title


def test_an_interrupted_report_says_so_first():
    coverage = replace(FULL.coverage, interrupted=True, unread=1234)
    said = html.render(replace(FULL, coverage=coverage))
    assert said.index("at least 1,234 files left to read") < said.index("<h1>")


def test_a_page_has_bounds(monkeypatch):
    monkeypatch.setattr(page, "MAX_DIAGNOSES_BYTES", 1)
    [first, second, _] = FULL.diagnoses
    many = replace(FULL, diagnoses=(first, *[second] * 2000))
    said = html.render(many)
    assert said.count('<details class="diagnosis') == 0
    assert "Not on this page: 2,000 more diagnoses; the JSON report has all of them." in said


def test_a_page_does_not_grow_with_what_a_line_holds():
    proof = Evidence("a.log", 7, "x" * 1_000_000, match=(500_000, 500_010))
    cause = replace(FULL.diagnoses[0], evidence=(proof,))
    said = html.render(replace(FULL, diagnoses=(cause,)))
    assert len(said) < len(html.render(FULL)) + 3 * MAX_LINE


@pytest.mark.parametrize(
    ("text", "match", "cut"),
    [
        ("plain", None, [("plain", "plain")]),
        ("a fault b", (2, 7), [("plain", "a "), ("match", "fault"), ("plain", " b")]),
        ("fault", (0, 5), [("match", "fault")]),
        ("fault", (0, 99), [("match", "fault")]),
        ("a default b", (4, 9), [("plain", "a "), ("match", "default"), ("plain", " b")]),
        ("a fault b", (1, 8), [("plain", "a "), ("match", "fault"), ("plain", " b")]),
        ("a  b", (1, 3), [("plain", "a  b")]),
        ("fault", (99, 120), [("plain", "fault")]),
        ("", (0, 3), []),
        ("a" * 1000, None, [("plain", "a" * 360), ("rest", "a" * 580), ("plain", "a" * 60)]),
        (
            "-" * 900 + "fault" + "+" * 900,
            (900, 905),
            [
                ("rest", "-" * 840),
                ("plain", "-" * 60),
                ("match", "fault"),
                ("plain", "+" * 295),
                ("rest", "+" * 545),
                ("plain", "+" * 60),
            ],
        ),
        (
            "a" * 5000,
            None,
            [
                ("plain", "a" * 360),
                ("rest", "a" * 1580),
                ("cut", "3,000"),
                ("plain", "a" * 60),
            ],
        ),
    ],
)
def test_a_line_is_folded_around_its_match(text, match, cut):
    assert [(part.kind, part.text) for part in parts(text, match)] == cut


@given(st.text(max_size=3000), st.tuples(st.integers(0, 3100), st.integers(0, 3100)) | st.none())
@settings(deadline=None)
def test_no_part_of_a_line_is_lost(text, match):
    found = parts(text, match)
    kept = sum(len(p.text) for p in found if p.kind != "cut")
    cut = sum(int(p.text.replace(",", "")) for p in found if p.kind == "cut")
    assert kept + cut == len(text.rstrip("\r\n"))
    assert kept <= MAX_LINE + 60


@pytest.mark.parametrize(
    ("step", "cut"),
    [
        ("Only prose.", [("text", "Only prose.")]),
        ("Set `num_workers`.", [("text", "Set "), ("code", "num_workers"), ("text", ".")]),
        ("Look: `npu-smi info`.", [("text", "Look:"), ("block", "npu-smi info")]),
        (
            "See `df -h` or wait.",
            [("text", "See "), ("command", "df -h"), ("text", " or wait.")],
        ),
        (
            "查看占用者：`ss -ltnp`；再停止它。",
            [("text", "查看占用者："), ("block", "ss -ltnp"), ("text", "再停止它。")],
        ),
        (
            "Retry (`export A=1`). Then look.",
            [("text", "Retry"), ("block", "export A=1"), ("text", "Then look.")],
        ),
        (
            "Use `torch.npu.set_device(local_rank)` early.",
            [
                ("text", "Use "),
                ("command", "torch.npu.set_device(local_rank)"),
                ("text", " early."),
            ],
        ),
    ],
)
def test_a_step_is_cut_into_prose_and_commands(step, cut):
    assert [(piece.kind, piece.text) for piece in pieces(step)] == cut


def test_both_languages_offer_the_same_commands():
    def commands(steps: tuple[str, ...]) -> list[str]:
        found = [p.text for step in steps for p in pieces(step) if p.kind in ("command", "block")]
        return sorted(re.sub("<[^<>]*>", "<>", text) for text in found)

    rules = index.load(None).rules.values()
    assert [
        rule.id
        for rule in rules
        for name in ("checks", "fixes")
        if commands(getattr(rule.texts["en"], name)) != commands(getattr(rule.texts["zh"], name))
    ] == []


def test_the_first_command_is_the_first_to_type():
    assert first_command(["Read it.", "Set `x`, then `df -h /dev/shm` and wait.", "`ls /`"]) == (
        "df -h /dev/shm"
    )
    assert first_command(["Set `x`."]) is None


def test_every_word_is_used_and_said_in_both_languages():
    folder = resources.templates() / "html"
    sources = [*folder.glob("*.j2"), *(ROOT / "ascend_doctor/reporters/html").glob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources if path.stem != "words")
    assert [name for name in words._WORDS if f'"{name}"' not in text] == []
    same = {name for name, (en, zh) in words._WORDS.items() if en == zh}
    assert same == {"document", "rank_of", "step_name"}


def test_severities_and_confidences_have_words():
    report = replace(
        FULL,
        diagnoses=tuple(
            replace(FULL.diagnoses[0], severity=severity, confidence=confidence)
            for severity in Severity
            for confidence in ("low", "medium", "high")
        ),
    )
    assert isinstance(report, Report)
    assert html.render(report).count('<span class="severity">') == 12


def test_what_is_known_or_left_out_is_told_and_is_no_root_cause():
    text = " ".join("".join(_Shape(html.render(GATED)).text).split())
    for said in (
        "Nothing new: what was found is known.",
        "accepted: the old image (ascend-doctor.toml:7)",
        "接受至 2027-01-31：told upstream（known.json:12）",
        "1 diagnosis by --ignore: buffer-oom-pool-fragmented",
        "numerics-loss 1:00000000000000e5 matches nothing any more (known.json:20)",
        "Hosts, users, addresses and secrets are pseudonyms.",
    ):
        assert said in text
    assert "Root cause" not in text
    left = replace(FULL, diagnoses=FULL.diagnoses[1:])
    assert "Root cause" not in "".join(_Shape(html.render(left)).text)
