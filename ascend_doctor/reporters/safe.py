"""Log text made safe to show: nothing in it may steer a terminal or a CI runner."""

from __future__ import annotations

import json
import re

# C0 and C1 controls except tab, and every character that ends a line, changes direction, hides,
# or is none. The two selectors that belong to ordinary emoji (U+FE0E, U+FE0F) may stay.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# What the runners of GitHub, Azure and TeamCity obey when a job prints it. GitHub asks for it at
# the start of a line, so that a name of C++ (c10::Error) is none; `wrapped` keeps it so.
_COMMAND = re.compile(
    r"(?<![0-9A-Za-z_>]):(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group"
    r"|internal-set-repo-path|notice|remove-matcher|save-state|set-env|set-output|stop-commands"
    r"|warning)\b)|#(?=#(?:\[|vso\[|teamcity\[))",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    r"""Return ``text`` with unsafe characters written as escapes and tabs as blanks.

    >>> visible("a\x1b[31mb\u202ec\td\U000e0041")
    'a\\x1b[31mb\\u202ec    d\\U000e0041'
    >>> visible("::add-mask::x ##[error]y at::native c10::Error")
    '\\x3a:add-mask::x \\x23#[error]y at::native c10::Error'
    """
    return _COMMAND.sub(_escape, _UNSAFE.sub(_escape, text)).replace("\t", "    ")


def clipped(text: str, most: int) -> str:
    """Return ``text`` made visible and cut to about ``most`` characters, with a sign of the cut.

    >>> clipped("out of memory", 8)
    'out of …'
    """
    text = visible(text)
    # Once more: what was within a word may begin one now.
    return text if len(text) <= most else visible(text[: most - 2]) + " …"


def json_escaped(text: str) -> str:
    r"""Return JSON that means the same, with what is unsafe to print written as JSON escapes.

    The rest stays readable: Chinese is not escaped.

    >>> json_escaped('{"a": "\u202e##[group]\U000e0041 内存"}')
    '{"a": "\\u202e\\u0023#[group]\\udb40\\udc41 内存"}'
    """

    def escape(found: re.Match[str]) -> str:
        # Newlines are layout here: json.dumps has escaped those of the content.
        if found[0] == "\n":
            return "\n"
        return f"\\u{ord(found[0]):04x}" if found[0] < "\x80" else json.dumps(found[0])[1:-1]

    return _COMMAND.sub(escape, _UNSAFE.sub(escape, text))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
