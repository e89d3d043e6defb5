"""Log text made safe to show: nothing in it may steer a terminal or reorder a line."""

from __future__ import annotations

import re

# C0 and C1 controls except tab, and every character that changes direction or hides.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with unsafe characters written as escapes and tabs as blanks.

    >>> visible("a\x1b[31mb\u202ec\td")
    'a\\x1b[31mb\\u202ec    d'
    """
    return _UNSAFE.sub(_escape, text).replace("\t", "    ")


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
