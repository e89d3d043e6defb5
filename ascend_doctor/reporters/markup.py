"""Texts escaped for Markdown: what a log wrote is text there, never markup."""

from __future__ import annotations

import re

from ascend_doctor.reporters.safe import visible

# What would begin markup, HTML, a formula or a link; code spans of our own texts stay.
_MARKUP = re.compile(r"([\\`*_<>\[\]|#@!~&$]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# What links to a person or an issue is looked for in the page, where no escape is left: only an
# element in between keeps it apart. GitHub also knows GH-1, and both know full commit ids.
_REFERENCE = re.compile(r"(?<=[@#])(?=[\w-])|(?<=\bGH-)(?=\d)|(?<=\b[0-9a-f]{7})(?=[0-9a-f]{33})")
# One that touches a further backtick would end elsewhere.
_CODE = re.compile(r"((?<!`)`[^`\n]+`(?!`))")


def prose(text: str) -> str:
    """Escape markup outside code spans."""
    parts = _CODE.split(visible(text))
    return "".join(part if _CODE.fullmatch(part) else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    parts = _REFERENCE.split(text)
    return "<!-- -->".join(_MARKUP.sub(r"\\\1", part) for part in parts)


def plain(text: str) -> str:
    """Escape all markup; what a log wrote holds no code spans of ours."""
    return prose(code(text))


def code(text: str) -> str:
    """Keep a text from ending the code span it stands in."""
    return visible(text).replace("`", "'")


def fenced(text: str) -> str:
    """Keep a log line from closing the fence it stands in."""
    return visible(text).strip().replace("```", "'''")
