"""Texts made to steer whatever shows them, and what no output may hold of them."""

from __future__ import annotations

import re
import sys
import unicodedata

from hypothesis import strategies as st

# What each would do if it reached its reader as it is.
ATTACKS = (
    "\x1b[31;5m\x1b[2J",
    "\x1b]8;;https://e.vil\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x1bP+q\x1b\\\x1b_x\x1b\\",
    "\x9b31m\x9d0;title\x9c",
    "safe\rOVER\b\b\x7f",
    "\x00nul\x07bell\x0bvt\x0cff",
    "\u202egpj.exe\u2066\u2069\u200e\u061c",
    "zero\u200b\u200c\u200d\u2060\ufeffwidth",
    "\U000e0001\U000e0041\U000e007f tags",
    "next\u2028line\u2029para\x85graph",
    "lone \ud800 \udfff",
    "\u3164\u115f\uffa0\u034f\u00ad",
    "a\n::error::injected\n::set-output name=x::y",
    "::Add-Mask::x",
    "##[command]x ##vso[task.setvariable variable=x]y ##teamcity[buildStop]",
    "```\n# head\n```sh\nrm -rf ~\n```",
    "`rm -rf ~` and ``two`` and ~~~",
    "<script>alert(1)</script><img src=x onerror=y> &lt;b&gt; &#64;root",
    "@root @org/team #1 GH-1 org/repo#2 0123456789abcdef0123456789abcdef01234567",
    "[x](javascript:y) ![i](https://e.vil/i.png) <https://e.vil> https://e.vil www.e.vil",
    "| a | b |\n|---|---|\n> quote\n- item\n1. one\n# head\n---",
    "{{ 7*7 }} {% raw %} ${x} {name} {name|x} [[x]] $a^2$",
    "[bold]markup[/bold] :smile: [link=https://e.vil]x[/link]",
    "$(touch canary); touch canary & `touch canary` | touch canary > canary",
    "x" * 300 + "::error::" + "y" * 300,
    "a" * 94 + "::error::late",
    "~root/* ?[a-z] !! \\ \"two\" 'one'",
    "\t\ttabs",
    "-rf",
    "",
)

hostile = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.text(max_size=6), st.text("w:e ", max_size=120)),
    min_size=1,
    max_size=3,
).map("".join)


def _steers(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


# Every character that has no shape of its own; Python's Unicode knows best which.
SHAPELESS = frozenset(filter(_steers, map(chr, range(sys.maxunicode + 1)))) - {"\n"}

# GitHub trims a line before it looks, and does not care for case.
RUNNER_COMMAND = re.compile(
    r"^\s*::(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path"
    r"|notice|remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b"
    r"|##\[|##vso\[|##teamcity\[",
    re.IGNORECASE | re.MULTILINE,
)


def dangers(output: str) -> list[str]:
    """Return what in an output would steer a terminal or the runner of a job."""
    found = sorted(set(output) & SHAPELESS)
    found += (match[0] for match in RUNNER_COMMAND.finditer(output))
    return found
