"""The events of a trace, one after the other, out of JSON that need be neither whole nor right.

Blocks of text are decoded event by event with the standard library's scanner (ADR 26): no more than
one event and one block are held, and where each event stands is known.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

# Text that is decoded at once; blocks that are smaller are joined.
_ENOUGH = 1 << 16
# An event that is longer is passed over.
MAX_EVENT = 4 << 20
# Of an event that is shown as proof.
_SHOWN = 300
_MAX_KEY = 1 << 10

_GAP = re.compile(r"[\s\ufeff]*")
_BETWEEN = re.compile(r"[\s\ufeff,]*")
_KEY = re.compile(r'[\s,]*"((?:[^"\\]|\\.){0,512})"\s*:\s*', re.DOTALL)
_STRUCTURE = re.compile(r'["{}\[\]]')
_IN_STRING = re.compile(r'["\\]')
# Where a number or a word ends.
_SCALAR = re.compile(r"[^\s,\]}]*")

Place = tuple[int, int, str]


class Events:
    """The events of one trace: a list of them, or an object with the list ``traceEvents``.

    Attributes:
        head: what else the object says, as far as it is short: ``distributedInfo``.
        is_object: whether it is one.
        unread: how many events could not be read, ``first_unread`` on which line the first stands.
        broken: why it was not read to its end.
        is_cut: events are missing for that.
    """

    def __init__(self, text: Iterator[bytes]) -> None:
        self._blocks = text
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
        self._text = ""
        self._at = 0  # what is before it was read
        self._is_whole = False  # no more text will come
        # Of the begin of ``_text`` in the file, counted up to ``_counted``.
        self._offset, self._line, self._counted = 0, 1, 0
        self._begin = 0  # of the last event
        self.head: dict[str, Any] = {}
        self.is_object = False
        self.unread = self.first_unread = 0
        self.broken: str | None = None
        self.is_cut = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        first = self._peek(_GAP)
        if first == "[":
            self._at += 1
            yield from self._list()
        elif first == "{":
            self._at += 1
            self.is_object = True
            yield from self._object()
        else:
            self.broken = self.broken or "it is no list of events"
        self._drain()

    def place(self) -> Place:
        """Return line and offset of the last event, and its text, shortened."""
        text, begin = self._text, self._begin
        self._line += text.count("\n", self._counted, begin)
        self._counted = begin
        shown = text[begin : min(self._at, begin + 4 * _SHOWN)]
        if "\n" in shown or len(shown) > _SHOWN:
            shown = " ".join(shown.split())
            if len(shown) > _SHOWN or begin + 4 * _SHOWN < self._at:
                shown = shown[: _SHOWN - 1] + "…"
        return self._line, self._offset + begin, shown

    def _object(self) -> Iterator[dict[str, Any]]:
        while True:
            first = self._peek(_BETWEEN)
            if first == "}":
                self._at += 1
                return
            key = self._key()
            if key is None:
                self._end("it ends or breaks off before its last event was told")
                return
            if key == "traceEvents" and self._peek(_GAP) == "[":
                self._at += 1
                yield from self._list()
                if self.broken is not None:
                    return
            else:
                self._begin = self._at
                value = self._value()
                if value is not _NOTHING and len(self.head) < _MAX_KEY:
                    self.head.setdefault(key, value)
                if self.broken is not None:
                    return

    def _key(self) -> str | None:
        found = _KEY.match(self._text, self._at)
        while found is None or found.end() == len(self._text):
            if len(self._text) - self._at > _ENOUGH or not self._more():
                break
            found = _KEY.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[1]

    def _list(self) -> Iterator[dict[str, Any]]:
        """Yield the events up to the end of their list; this is where the time goes."""
        match, scan = _BETWEEN.match, self._scan
        while True:
            text, at = self._text, self._at
            size = len(text)
            while True:
                at = match(text, at).end()  # type: ignore[union-attr]
                if at == size or text[at] != "{":
                    break
                try:
                    event, end = scan(text, at)
                except (ValueError, StopIteration, RecursionError):
                    break
                if end - at > MAX_EVENT:
                    break
                self._begin, self._at = at, end
                yield event
                at = end
            self._at = at
            first = self._peek(_BETWEEN)
            if first == "]":
                self._at += 1
                return
            if first == "":
                self._end("it ends before its list of events does")
                return
            self._begin = self._at
            event = self._value()
            if isinstance(event, dict):
                yield event
            elif event is not _NOTHING:
                self._pass_over()
            if self.broken is not None:
                return

    def _value(self) -> Any:
        """Return the value that begins here; of one that is too long or wrong, nothing."""
        tried = 0
        while True:
            if len(self._text) - self._at > tried:
                try:
                    value, end = self._scan(self._text, self._at)
                except (ValueError, StopIteration, RecursionError):
                    pass
                else:
                    if self._is_done(end) and end - self._at <= MAX_EVENT:
                        self._at = end
                        return value
            skip = _Skip()
            end = skip.end(self._text, self._at)
            if end is not None and self._is_done(end):
                self._pass_over()
                self._at = end
                return _NOTHING
            if len(self._text) - self._at > MAX_EVENT:
                self._pass_over()
                self._skip(skip)
                return _NOTHING
            tried = len(self._text) - self._at
            if not self._more():
                self._end("it ends within an event")
                return _NOTHING

    def _is_done(self, end: int) -> bool:
        """Say whether a value ends there; a number may go on in the next block."""
        return end < len(self._text) or self._is_whole or self._text[end - 1] in '"}]'

    def _skip(self, skip: _Skip) -> None:
        """Go on behind a value of which everything so far was passed over."""
        while True:
            self._at = len(self._text)
            if not self._more():
                self._end("it ends within an event")
                return
            end = skip.end(self._text, self._at)
            if end is not None:
                self._at = end
                return

    def _pass_over(self) -> None:
        self.unread += 1
        if self.unread == 1:
            self.first_unread = self.place()[0]

    def _peek(self, gap: re.Pattern[str]) -> str:
        """Return the character behind a gap, none where the text ends."""
        while True:
            self._at = gap.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            self._begin = self._at
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read on, and forget what was read; False at the end."""
        if self._is_whole:
            return False
        parts, size = [], 0
        while size < _ENOUGH and not self._is_whole:
            block = next(self._blocks, b"")
            self._is_whole = not block
            parts.append(self._decode(block, final=not block))
            size += len(parts[-1])
        self._line += self._text.count("\n", self._counted, self._at)
        self._text = self._text[self._at :] + "".join(parts)
        self._offset += self._at
        self._at = self._begin = self._counted = 0
        return size > 0

    def _end(self, reason: str) -> None:
        self.broken, self.is_cut = self.broken or reason, True

    def _drain(self) -> None:
        """Read to the end, so that the size of the file is known."""
        if self.broken is None and self._peek(_BETWEEN):
            self.broken, self.is_cut = "what follows its end was not read", False
        self._at = len(self._text)
        while self._more():
            self._at = len(self._text)


class _Nothing:
    """In place of a value that could not be read."""


_NOTHING = _Nothing()


class _Skip:
    """Finds the end of a value without reading it, over any number of blocks."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_in_string = self._is_escaped = False

    def end(self, text: str, at: int) -> int | None:
        """Return where the value ends, None if it goes on behind ``text``."""
        if not self._depth and not self._is_in_string and at < len(text) and text[at] not in '"{[':
            # One character at least, so that what is no JSON is passed as well.
            return max(_SCALAR.match(text, at).end(), at + 1)  # type: ignore[union-attr]
        while True:
            if self._is_escaped and at < len(text):
                at, self._is_escaped = at + 1, False
            pattern = _IN_STRING if self._is_in_string else _STRUCTURE
            found = pattern.search(text, at)
            if found is None:
                return None
            at, mark = found.end(), found[0]
            if mark == "\\":
                self._is_escaped = True
            elif mark == '"':
                self._is_in_string = not self._is_in_string
            else:
                self._depth += 1 if mark in "{[" else -1
            if not self._depth and not self._is_in_string:
                return at
