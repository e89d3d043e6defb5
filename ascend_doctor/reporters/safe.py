"""Log text made safe to show: nothing in it may steer a terminal or a CI runner."""

from __future__ import annotations

import re

# C0 and C1 controls except tab, and every character that changes direction or hides.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)
# What the runners of GitHub and Azure obey when a job prints it.
_COMMAND = re.compile(
    r":(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher"
    r"|save-state|set-env|set-output|stop-commands|warning)\b)|#(?=#(?:\[|vso\[))"
)


def visible(text: str) -> str:
    r"""Return ``text`` with unsafe characters written as escapes and tabs as blanks.

    >>> visible("a\x1b[31mb\u202ec\td")
    'a\\x1b[31mb\\u202ec    d'
    >>> visible("::add-mask::x ##[error]y at::native")
    '\\x3a:add-mask::x \\x23#[error]y at::native'
    """
    return _COMMAND.sub(_escape, _UNSAFE.sub(_escape, text)).replace("\t", "    ")


def json_escaped(text: str) -> str:
    r"""Return JSON that means the same, with what is unsafe to print written as JSON escapes.

    >>> json_escaped('{"a": "\u202e##[group]"}')
    '{"a": "\\u202e\\u0023#[group]"}'
    """

    def escape(found: re.Match[str]) -> str:
        # Newlines are layout here: json.dumps has escaped those of the content.
        return "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}"

    return _COMMAND.sub(escape, _UNSAFE.sub(escape, text))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
