"""Captures in rule texts: typed, and never a command of their own."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.texts import TYPES, code_spans, fill, is_valid


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("int", "-12", True),
        ("int", "1.5", False),
        ("int", "1" * 21, False),
        ("hex", "0x7fAb", True),
        ("hex", "7fg", False),
        ("number", "-1.5e-7", True),
        ("number", "nan", False),
        ("bytes", "22.00 MiB", True),
        ("bytes", "3221291008", True),
        ("bytes", "3 apples", False),
        ("ident", "at::native<half>[0]", True),
        ("ident", "two words", False),
        ("ident", "$(id)", False),
        ("path", "/data set/a (1).txt", True),
        ("path", "/a;rm", False),
        ("path", "/a`id`", False),
        ("path", "/a\nb", False),
        ("path", "/\u202ea", False),
        ("path", "/\x9b31m", False),
        ("int", "\u0661", False),
        ("text", "any words, $(even) `these`", True),
        ("text", "two\nlines", True),
        ("text", "bell\x07", False),
        ("text", "", False),
    ],
)
def test_a_capture_has_the_form_of_its_type(kind, value, expected):
    assert is_valid(kind, value) is expected


@pytest.mark.parametrize(
    ("text", "captures", "expected"),
    [
        ("no capture", {"a": "1"}, "no capture"),
        ("{a} and {b}", {"a": "1", "b": "2"}, "1 and 2"),
        ("{a|none}", {}, "none"),
        ("{a|none}", {"a": "1"}, "1"),
        ("{a|}", {}, ""),
        ("{a}", {}, "?"),
        ("`ls {a} '{a}'`", {}, "`ls '?' '?'`"),
        ("{A} {} {a b} ${a}", {"a": "1"}, "{A} {} {a b} $1"),
        ("{a}", {"a": "{b}", "b": "2"}, "{b}"),
        ("`ls {a}` {a}", {"a": "x y"}, "`ls 'x y'` x y"),
        ("`ls {a}` `cat {a}`", {"a": "~&"}, "`ls '~&'` `cat '~&'`"),
        ("`grep -c '{a}' x`", {"a": "ok"}, "`grep -c 'ok' x`"),
        ("`grep -c '{a}' {a}`", {"a": "x y"}, "`grep -c 'x y' 'x y'`"),
        ("one ` and {a}", {"a": "x y"}, "one ` and x y"),
        ("`a`{a}`b`", {"a": "x y"}, "`a`x y`b`"),
        ("`ls` {a}", {"a": "run `id`"}, "`ls` run 'id'"),
        ("`find {a|/} -ls` {a}", {"a": "-delete"}, "`find / -ls` -delete"),
    ],
)
def test_captures_are_put_in_and_quoted_inside_commands(text, captures, expected):
    assert fill(text, captures) == expected


def test_the_commands_of_a_text_are_told():
    assert [*code_spans("Run `a {x}` or `b`, not c")] == ["`a {x}`", "`b`"]


def ran(command: str) -> str:
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode("utf-8", "surrogateescape")


HOSTILE = [
    "a & touch pwned",
    "~root",
    "*",
    "a\\",
    "a #b",
    "!!",
    "(id)",
    "[a-z]*",
    "{a,b}",
    "a=b",
    "%s%n",
    "a && b",
    "..",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_capture_is_one_word_of_the_command(value, tmp_path):
    assert is_valid("path", value)
    command = fill("`printf '<%s>' {a}`", {"a": value}).strip("`")
    assert ran(f"cd {tmp_path} && {command}") == f"<{value}>"
    assert [*tmp_path.iterdir()] == []


commands = {
    "int": st.from_regex(TYPES["int"].pattern, fullmatch=True),
    "hex": st.from_regex(TYPES["hex"].pattern, fullmatch=True),
    "number": st.from_regex(TYPES["number"].pattern, fullmatch=True),
    "bytes": st.from_regex(TYPES["bytes"].pattern, fullmatch=True),
    "ident": st.text(st.sampled_from("aZ0_.:<>+*&[]@~-é"), min_size=1, max_size=20),
    "path": st.text(max_size=30) | st.text(st.sampled_from(" \\/&()!#*?~=%^{}[]-a"), max_size=20),
}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(commands)).flatmap(lambda k: st.tuples(st.just(k), commands[k])))
def test_any_capture_that_passes_its_type_comes_out_of_the_shell_as_it_went_in(case):
    kind, value = case
    assume(is_valid(kind, value) and not value.startswith("-"))
    template = "`printf '<%s>' {a} '{a}' \"{a}\" 'x {a}*' \"it's {a}\"`"
    expected = f"<{value}><{value}><{value}><x {value}*><it's {value}>"
    assert ran(fill(template, {"a": value}).strip("`")) == expected
