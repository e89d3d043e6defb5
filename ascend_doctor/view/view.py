"""A window of a file as its lines were printed, with a map back to the original lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping

from ascend_doctor.view import json_line, wrap
from ascend_doctor.view.prefix import NONE, Prefix, joined, peel
from ascend_doctor.view.window import Window

_ANSI = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_ESCAPE = re.compile(rb'\\(?:[nrt"\\/]|u[0-9a-fA-F]{4})')
# A value of a JSON object that may hold a text of several lines, closed or cut off.
_QUOTED = re.compile(rb'[{,]\s{0,8}"[\w.-]{1,64}":\s{0,8}"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)')
# What may be left of an object behind the text that was quoted into it.
_CLOSERS = b"\"'}]), \t"
_FRAME = re.compile(rb'\s{0,8}File "[^"\n]{1,1000}", line \d')
_SIMPLE = {b"\\n": b"\n", b"\\r": b"", b"\\t": b"\t", b'\\"': b'"', b"\\\\": b"\\", b"\\/": b"/"}
_PLAIN_LINE = re.compile(rb"^\[(?:DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\] [A-Z][A-Z0-9_]*\(", re.M)
# How the prefixes begin that a file of plog may still hold, where it was joined with others.
_PREFIXED = re.compile(
    rb"^(?:\(\w|\[(?:\d|rank|pod/|default|trainer|worker)|[\w.-]{1,64} *\| |\d{2,4}[-/]|/|> "
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:"
    rb"|(?:DEBUG|INFO|WARN|WARNING|ERROR)[ :]|(?:worker|node|rank|host)[-_]?\d)",
    re.M,
)

# Escapes within escapes: a log line quoted in JSON that is quoted in JSON.
MAX_UNESCAPES = 3


class View:
    """Text in which rules are matched; offsets are into ``text``.

    Attributes:
        text: the window's lines, newline-terminated, prefixes and colours gone.
        body: the part of ``text`` whose hits belong to this window; the rest is context.
    """

    __slots__ = ("_counted", "_numbers", "_prefixes", "_raw_first", "_starts", "body", "text")

    def __init__(
        self,
        text: bytes,
        body: tuple[int, int],
        first_line: int,
        starts: list[int] | None = None,
        numbers: list[tuple[int, int]] | None = None,
        prefixes: Mapping[int, Prefix] | None = None,
    ) -> None:
        self.text = text
        self.body = body
        self._raw_first = first_line
        self._starts = starts
        self._numbers = numbers
        self._prefixes = prefixes or {}
        self._counted = (0, 0)

    def line_start(self, offset: int) -> int:
        """Return where the line that holds ``offset`` begins."""
        return self.text.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Return where the line that holds ``offset`` ends, its newline not counted."""
        end = self.text.find(b"\n", offset)
        return len(self.text) if end < 0 else end

    def number(self, offset: int) -> tuple[int, int]:
        """Return the original line number at ``offset``, and which part of that line it is."""
        if self._starts is None or self._numbers is None:
            return self._raw_first + self._newlines_before(offset), 0
        return self._numbers[bisect_right(self._starts, offset) - 1]

    def _newlines_before(self, offset: int) -> int:
        # Counted on from the last place: from the begin, a window of errors would be quadratic.
        place, count = self._counted
        if offset < place:
            count -= self.text.count(b"\n", offset, place)
        else:
            count += self.text.count(b"\n", place, offset)
        self._counted = (offset, count)
        return count

    @property
    def has_prefixes(self) -> bool:
        """True if something was peeled off any line."""
        return bool(self._prefixes)

    def starts_of(self, levels: Container[str]) -> Iterator[int]:
        """Yield where the lines begin whose prefix names one of ``levels``."""
        if self._starts is not None:
            for index, prefix in self._prefixes.items():
                if prefix.level in levels:
                    yield self._starts[index]

    def prefix(self, offset: int) -> Prefix:
        """Return what was peeled off the line at ``offset``."""
        if not self._prefixes or self._starts is None:
            return NONE
        return self._prefixes.get(bisect_right(self._starts, offset) - 1, NONE)


def of(window: Window) -> View:
    """Return ``window`` as it was printed; plain plog is passed through untouched."""
    if _is_plain(window):
        return View(window.data, window.body, window.first_line)
    width = _margin(window)
    lines = _lines(window)
    whole = ((line, ends, int(ends)) for line, ends in lines)
    return _view(window, whole if width is None else wrap.rejoined(lines, width))


def _view(window: Window, lines: Iterator[tuple[bytes, bool, int]]) -> View:
    """Return what ``lines`` show: each with whether it ends, and how many newlines it took."""
    out: list[bytes] = []
    starts: list[int] = []
    numbers: list[tuple[int, int]] = []
    prefixes: dict[int, Prefix] = {}
    low = high = size = 0
    position = part = 0
    number = window.first_line
    before = b""
    for raw, ends, newlines in lines:
        if position <= window.body[0]:
            low = size
        for prefix, line in _printed(raw, before):
            if prefix is not NONE:
                prefixes[len(starts)] = prefix
            starts.append(size)
            numbers.append((number, part))
            out.append(line)
            size += len(line) + 1
            before = line
            part += 1
        if ends:
            number += newlines
            part = 0
        position += len(raw) + newlines
        if position <= window.body[1]:
            high = size
    text = b"\n".join(out) + b"\n" if out else b""
    if window.body[1] >= len(window.data):
        high = len(text)
    return View(text, (low, high), window.first_line, starts, numbers, prefixes)


def _lines(window: Window) -> Iterator[tuple[bytes, bool]]:
    """Yield each line and whether it ends; a line that an end of the body cuts comes as two."""
    low, high = window.body
    for part in (window.data[:low], window.data[low:high], window.data[high:]):
        lines = part.split(b"\n")
        last = lines.pop()
        for line in lines:
            yield line, True
        if last:
            yield last, False


def _margin(window: Window) -> int | None:
    """Return where the lines of a whole file were broken.

    Part of a file says nothing for the rest, and a record must be the same in every window.
    """
    if window.first_line > 1 or window.body != (0, len(window.data)):
        return None
    return wrap.margin(window.data)


def keeps_literals(window: Window) -> bool:
    """True if the view of ``window`` only takes prefixes off.

    What is not found in such a window is not in its view either.
    """
    return not _is_marked(window.data) and _margin(window) is None


def _is_marked(data: bytes) -> bool:
    """True if some line of ``data`` may be shown otherwise than with its prefix taken off."""
    return any(mark in data for mark in (b"\x1b", b"\r", b"\\n")) or json_line.may_stand_in(data)


def _is_plain(window: Window) -> bool:
    """True if nearly every line is plog and nothing in it needs a view."""
    data = window.data
    if _is_marked(data) or not data.startswith(b"[") or _PREFIXED.search(data):
        return False
    return len(_PLAIN_LINE.findall(data)) >= 0.9 * (data.count(b"\n") + 1)


def _printed(raw: bytes, before: bytes) -> Iterator[tuple[Prefix, bytes]]:
    """Yield what one raw line shows: colours gone, overwritten and escaped lines apart."""
    raw = _uncoloured(raw).rstrip(b"\r")
    for piece in filter(None, raw.split(b"\r")) if b"\r" in raw else (raw,):
        prefix, line = peel(piece)
        if b"\\n" in line or line.startswith(b"{"):
            yield from _opened(prefix, line, before)
        else:
            yield prefix, line


def _uncoloured(line: bytes) -> bytes:
    return _ANSI.sub(b"", line) if b"\x1b" in line else line


def _opened(
    prefix: Prefix, line: bytes, before: bytes, depth: int = MAX_UNESCAPES
) -> Iterator[tuple[Prefix, bytes]]:
    """Yield the lines of the message that was quoted into ``line``, however often.

    Source code below the frame of a traceback holds escapes of its own, and stays as it is.
    """
    is_source = line[:1] in (b" ", b"\t") and _FRAME.match(before) is not None
    if depth == 0 or is_source:
        yield prefix, line
        return
    quoted = json_line.parse(line)
    if quoted is not None:
        prefix = joined(prefix, quoted[0])
        parts: Iterable[bytes] = _uncoloured(quoted[1]).replace(b"\r", b"").split(b"\n")
    elif b"\\n" in line:
        parts = _unescaped(line)
    else:
        yield prefix, line
        return
    for part in parts:
        inner, text = peel(part)
        for told, shown in _opened(joined(prefix, inner), text, before, depth - 1):
            yield told, shown
            before = shown


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
