"""Rule texts with captures in them, and how a capture is made safe to show.

A log is hostile. In prose a capture is shown as plain text; inside a command (a span in
backticks) only a typed capture may stand, quoted for the shell, so that no log can write
a command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from ascend_doctor import late

PLACEHOLDER = late.pattern(r"\{(?P<name>[a-z][a-z0-9_]*)(?:\|(?P<fallback>[^{}]*))?\}")
_CODE = late.pattern(r"`[^`]*`")
_CLAUSE = late.pattern(r"\[\[(?P<clause>(?:(?!\]\]).)*)\]\]", re.DOTALL)

# What closes a sentence or goes on with it, behind a captured sentence with its own full stop.
_ENDS = frozenset(".,;)。，；）")

# What each type of capture may look like; anything else is not captured.
TYPES: Mapping[str, re.Pattern[str]] = {
    "int": late.pattern(r"-?[0-9]{1,20}"),
    "hex": late.pattern(r"(?:0x)?[0-9a-fA-F]{1,32}"),
    "number": late.pattern(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,3})?"),
    "bytes": late.pattern(r"[0-9]{1,20}(?:\.[0-9]{1,6})? ?(?:bytes|[KMGTPE]i?B|[KMG]B?)?"),
    "ident": late.pattern(r"[\w.:<>+*&\[\]@~-]{1,200}"),
    # Nor what hides or turns around: it would be shown as an escape, and be no path any more.
    "path": late.pattern(
        r"[^\x00-\x1f'\"`$;|<>\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
        r"\ud800-\udfff]{1,500}"
    ),
    "text": late.pattern(r"[^\x00-\x08\x0b-\x1f\x7f]{1,2000}", re.DOTALL),
}


def clauses(text: str) -> tuple[str, list[str]]:
    """Split ``text`` into what is always said and the clauses said only if all is captured."""
    return _CLAUSE.sub("", text), [found["clause"] for found in _CLAUSE.finditer(text)]


def code_spans(text: str) -> Iterator[str]:
    """Yield the parts of ``text`` that stand in backticks."""
    for found in _CODE.finditer(text):
        yield found[0]


def is_valid(kind: str, value: str) -> bool:
    """Say whether ``value`` has the form that captures of type ``kind`` must have."""
    return TYPES[kind].fullmatch(value) is not None


def fill(text: str, captures: Mapping[str, str]) -> str:
    """Return ``text`` with its captures put in, shell-quoted inside commands.

    >>> fill("Device {id} of `npu-smi info -i {id}`", {"id": "3"})
    'Device 3 of `npu-smi info -i 3`'
    >>> fill("`ls {path}`, rank {rank|unknown}", {"path": "/a b"})
    "`ls '/a b'`, rank unknown"

    A clause in double brackets is left out unless all of its captures are there:

    >>> fill("Port busy[[ ({port})]][[ on {host}]].", {"port": "6000"})
    'Port busy (6000).'

    A captured sentence does not end twice:

    >>> fill("It says: {reason}.", {"reason": "The size is 0."})
    'It says: The size is 0.'
    """
    text = _CLAUSE.sub(lambda found: _clause(found["clause"], captures), text)

    def put(found: re.Match[str], quote: bool) -> str:
        value = captures.get(found["name"])
        # Inside a command, what begins with a dash would be taken for an option of it.
        if value is None or (quote and value.startswith("-")):
            if found["fallback"] is not None:
                return found["fallback"]
            value = "?"
        if quote:
            return _quoted(value, found.string[: found.start()])
        if found.string[found.end() : found.end() + 1] in _ENDS:
            value = value.rstrip(". ") or value
        # Backticks would make a command of what a log says.
        return value.replace("`", "'")

    out, end = [], 0
    for span in _CODE.finditer(text):
        out.append(PLACEHOLDER.sub(lambda m: put(m, False), text[end : span.start()]))
        out.append(PLACEHOLDER.sub(lambda m: put(m, True), span[0]))
        end = span.end()
    out.append(PLACEHOLDER.sub(lambda m: put(m, False), text[end:]))
    return "".join(out)


def _clause(clause: str, captures: Mapping[str, str]) -> str:
    said = all(found["name"] in captures for found in PLACEHOLDER.finditer(clause))
    return clause if said else ""


def _quoted(value: str, before: str) -> str:
    """Quote ``value`` for the shell, where it stands behind ``before`` in a command."""
    inside = ""
    for char in before:
        if char in "'\"" and inside in ("", char):
            inside = "" if inside else char
    if inside == "'":
        return value.replace("'", "'\\''")
    word = shlex.quote(value)
    # Double quotes are closed before ours and opened again behind them.
    return word if word == value else f"{inside}{word}{inside}"
