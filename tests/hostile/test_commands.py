"""A log cannot put words into a command: each shipped one, filled with hostile captures.

The word of a command in which a capture stands is given to a real shell as the argument of
``printf``. What comes back must be the word as its author wrote it, the capture as it was.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.texts import PLACEHOLDER, clauses, code_spans, fill, is_valid
from ascend_doctor.records import LANGS
from ascend_doctor.reporters.layout import prose
from tests.hostile.strings import ATTACKS

VALUES = (
    *ATTACKS,
    *("a b", "a;id", "a'b", 'a"b', "a\\", "\\", "\\'", "a&&id", "a||id", "a|id", "a>canary", "a<b"),
    *("$HOME", "${IFS}id", "$(touch canary)", "`touch canary`", "!!", "!-1", "#x", "a #b", "~"),
    *("*", "?", "[a-z]", "{a,b}", "{1..9}", "a=b", "(id)", "a\nid", "a\rid", "a\tid", "%s%n", "."),
    *("\uff40id\uff40", "\uff04(id)", "\u2019", "\u2018a\u2019", "\uff1bid", "\u00a0", "a\u00a0b"),
    *("\u202ea", "\u2028id", "a\x85id", "\u0665", "\uff11\uff12", "é", "内存", "../../etc/passwd"),
    *("0", "-1", "007", "0x7fAb", "deadBEEF", "1.5e-7", "22.00 MiB", "9" * 20, "::x<y>[0]*&@~-"),
    *("--help", "-exec", "@file", "a@b", "\u1fefid\u1fef", "\x1b]52;c;x\x07", "\x7f", "x" * 200),
    *("~root", "..", "+1", "a:b", "a,b", "a]", "[", "<a>"),
)
KINDS = ("int", "hex", "number", "bytes", "ident", "path")
FITTING = {kind: [value for value in VALUES if is_valid(kind, value)] for kind in KINDS}

RULES = load().rules


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command in which a capture stands, with the id of its rule."""
    for rule in RULES.values():
        texts = [rule.texts[lang] for lang in LANGS]
        told = [part for t in texts for part in (t.title, t.cause, *t.checks, *t.fixes)]
        parts = [piece for text in told for piece in (text, *clauses(text)[1])]
        for span in dict.fromkeys(span for part in parts for span in code_spans(part)):
            if PLACEHOLDER.search(span):
                yield rule.id, span.strip("`")


def words(command: str) -> list[str]:
    """Return the words of a command that hold a capture, quotes and all."""
    word = r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\{[a-z_0-9]+(?:\|[^{}]*)?\}|\\.|[^\s'"\\;&()<>|])+"""
    return [found[0] for found in re.finditer(word, command) if PLACEHOLDER.search(found[0])]


def shell(arguments: list[str], folder) -> list[str]:
    """Return what a shell makes of some words."""
    line = "printf '%s\\0' " + " ".join(arguments)
    done = subprocess.run(["sh", "-c", line], capture_output=True, cwd=folder, check=True)
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize(("rule", "command"), list(commands()))
def test_a_capture_stays_within_its_word(rule, command, tmp_path):
    types = RULES[rule].captures
    expected, given = [], []
    for word in words(command):
        names = {found["name"]: types[found["name"]] for found in PLACEHOLDER.finditer(word)}
        for number in range(max(len(FITTING[kind]) for kind in names.values())):
            captures = {n: FITTING[k][number % len(FITTING[k])] for n, k in names.items()}
            filled = fill(f"`{word}`", captures).strip("`")
            assert fill(f"`{command}`", captures).count(filled) >= 1
            # Nothing that a log says may be taken for an option: then the fallback is said.
            captures = {n: v for n, v in captures.items() if not v.startswith("-")}
            marks = {name: f"MARK{place}K" for place, name in enumerate(captures)}
            plain = shell([fill(f"`{word}`", marks).strip("`")], tmp_path)
            for name, mark in marks.items():
                plain = [argument.replace(mark, captures[name]) for argument in plain]
            expected += plain
            given.append(filled)
    (tmp_path / "a").touch()  # what an unquoted pattern would find
    assert shell(given, tmp_path) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_every_capture_in_a_command_is_looked_at():
    for _, command in commands():
        held = sum(len(PLACEHOLDER.findall(word)) for word in words(command))
        assert held == len(PLACEHOLDER.findall(command)), command


def spans(text: str) -> list[str]:
    """Return what a text shows as commands, on a terminal."""
    shown = prose(text)
    return [shown.plain[span.start : span.end] for span in shown.spans]


TALKATIVE = [rule for rule in RULES.values() if "text" in rule.captures.values()]


@pytest.mark.parametrize("rule", TALKATIVE, ids=lambda rule: rule.id)
def test_what_a_log_says_in_prose_adds_no_command(rule):
    for lang in LANGS:
        texts = rule.texts[lang]
        for text in (texts.title, texts.cause, *texts.checks, *texts.fixes):
            typed = dict.fromkeys(rule.captures, "1")
            plain = spans(fill(text, typed))
            for attack in ("`rm -rf ~`", "`", "``", "a`b", "x` `y"):
                free = {name: attack for name, kind in rule.captures.items() if kind == "text"}
                assert spans(fill(text, typed | free)) == plain
