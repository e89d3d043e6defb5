"""What one line of a file shows: colours gone, overwritten and escaped lines apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ascend_doctor import late
from ascend_doctor.view import json_line
from ascend_doctor.view.prefix import Prefix, joined, peel

_ANSI = late.pattern(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_ESCAPE = late.pattern(rb'\\(?:[nrt"\\/]|u[0-9a-fA-F]{4})')
# A value of a JSON object that may hold a text of several lines, closed or cut off.
_QUOTED = late.pattern(rb'[{,]\s{0,8}"[\w.-]{1,64}":\s{0,8}"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)')
# What may be left of an object behind the text that was quoted into it.
_CLOSERS = b"\"'}]), \t"
_FRAME = late.pattern(rb'\s{0,8}File "[^"\n]{1,1000}", line \d')
_SIMPLE = {b"\\n": b"\n", b"\\r": b"", b"\\t": b"\t", b'\\"': b'"', b"\\\\": b"\\", b"\\/": b"/"}

# Escapes within escapes: a log line quoted in JSON that is quoted in JSON.
MAX_UNESCAPES = 3

# What a line shows may depend on the line above it, which is told when it is asked for.
Before = Callable[[], bytes]


# What a line holds that may show something else than with its prefix taken off.
MARKS = (b"\x1b", b"\\n", b"\r", b'{"')


def may_differ(text: bytes) -> bool:
    """Say whether a line of ``text`` may be shown otherwise than with its prefix taken off."""
    return (
        b"\x1b" in text
        or b"\\n" in text
        or (b"\r" in text and text.count(b"\r") != text.count(b"\r\n"))
        or json_line.may_stand_in(text)
    )


def printed(raw: bytes, before: Before) -> tuple[tuple[Prefix, bytes], ...]:
    """Return what one raw line shows: colours gone, overwritten and escaped lines apart.

    ``before`` tells the line that is shown above it.
    """
    raw = uncoloured(raw).rstrip(b"\r")
    if b"\r" not in raw and b"\\n" not in raw and b"{" not in raw:
        return (peel(raw),)
    return tuple(_pieces(raw, before))


def _pieces(raw: bytes, before: Before) -> Iterator[tuple[Prefix, bytes]]:
    for piece in filter(None, raw.split(b"\r")) if b"\r" in raw else (raw,):
        prefix, line = peel(piece)
        if b"\\n" in line or line.startswith(b"{"):
            for told, shown in _opened(prefix, line, before):
                yield told, shown
                before = partial(bytes, shown)
        else:
            yield prefix, line
            before = partial(bytes, line)


def uncoloured(line: bytes) -> bytes:
    """Return a line without its colours and other codes for terminals."""
    return _ANSI.sub(b"", line) if b"\x1b" in line else line


def _opened(
    prefix: Prefix, line: bytes, before: Before, depth: int = MAX_UNESCAPES
) -> Iterator[tuple[Prefix, bytes]]:
    """Yield the lines of the message that was quoted into ``line``, however often.

    Source code below the frame of a traceback holds escapes of its own, and stays as it is.
    """
    is_source = line[:1] in (b" ", b"\t") and _FRAME.match(before()) is not None
    if depth == 0 or is_source:
        yield prefix, line
        return
    quoted = json_line.parse(line)
    if quoted is not None:
        prefix = joined(prefix, quoted[0])
        parts: Iterable[bytes] = uncoloured(quoted[1]).replace(b"\r", b"").split(b"\n")
    elif b"\\n" in line:
        parts = _unescaped(line)
    else:
        yield prefix, line
        return
    for part in parts:
        inner, text = peel(part)
        for told, shown in _opened(joined(prefix, inner), text, before, depth - 1):
            yield told, shown
            before = partial(bytes, shown)


def _unescaped(line: bytes) -> Iterator[bytes]:
    """Yield the lines of a text that was quoted into ``line``, and what stands around it.

    The quoted text starts a line of its own, so that a header in it is seen as one.
    """
    place = 0
    for found in _QUOTED.finditer(line):
        low, high = found.span("text")
        if b"\\n" in found["text"]:
            yield line[place:low]
            yield from _ESCAPE.sub(_plain_escape, line[low:high]).split(b"\n")
            place = high
    rest = line[place:]
    if rest.strip(_CLOSERS):
        yield from (_ESCAPE.sub(_plain_escape, rest).split(b"\n") if place == 0 else (rest,))


def _plain_escape(found: re.Match[bytes]) -> bytes:
    simple = _SIMPLE.get(found[0])
    if simple is not None:
        return simple
    return chr(int(found[0][2:], 16)).encode("utf-8", "replace")
