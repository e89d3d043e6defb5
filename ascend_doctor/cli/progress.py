"""One line on the terminal that says how far reading is."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from ascend_doctor.engines.watch import Progress, Watch
from ascend_doctor.records import Lang
from ascend_doctor.reporters.labels import label, size
from ascend_doctor.reporters.safe import visible

# What is done within a second needs no line; more often than this nobody can read it.
_AFTER_S = 1.0
_EVERY_S = 0.2
_NARROWEST = 20


class Line(Watch):
    """Writes how far reading is over and over into one line of ``terminal``."""

    def __init__(
        self, terminal: TextIO, lang: Lang, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._terminal = terminal
        self._lang: Lang = lang
        self._clock = clock
        self._start = clock()
        self._next = self._start + _AFTER_S
        self._shown = 0

    def see(self, progress: Progress) -> None:
        """Show it, if it is time to."""
        now = self._clock()
        if now >= self._next:
            self._next = now + _EVERY_S
            self._show(_clipped(self._text(progress, now), self._width()))

    def erase(self) -> None:
        """Leave the line as if nothing had been there."""
        if self._shown:
            self._show("")
            self._write("\r")

    def _text(self, progress: Progress, now: float) -> str:
        read = progress.done_bytes
        name = "progress_files" if progress.found > 1 else "progress"
        # As long as more may be found, or if a pipe does not tell, there is no share of anything.
        if progress.is_all_found and progress.found_bytes >= read:
            name += "_of"
        said = label(
            name,
            self._lang,
            done=f"{progress.done:,}",
            found=f"{progress.found:,}",
            read=size(read),
            size=size(progress.found_bytes),
            rate=size(int(read / max(now - self._start, _EVERY_S))),
        )
        return f"{said}  {visible(progress.path)}"

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._terminal.fileno()).columns
        except OSError:
            columns = 0
        # In the last column, some terminals go on to the next line.
        return max(_NARROWEST, (columns or 80) - 1)

    def _show(self, text: str) -> None:
        cells = sum(map(_cells, text))
        self._write(f"\r{text}{' ' * (self._shown - cells)}")
        self._shown = cells

    def _write(self, text: str) -> None:
        # A terminal that is no more must not end the run.
        with suppress(OSError):
            self._terminal.write(text)
            self._terminal.flush()


@contextmanager
def shown(terminal: TextIO | None, lang: Lang, *, is_wanted: bool) -> Iterator[Watch]:
    """Yield a watch that shows how far reading is, if ``terminal`` is one and it is wanted."""
    if terminal is None or not is_wanted or not terminal.isatty():
        yield Watch()
        return
    line = Line(terminal, lang)
    try:
        yield line
    finally:
        line.erase()


def _clipped(text: str, width: int) -> str:
    """Return as much of a text as ``width`` cells hold."""
    used = 0
    for place, char in enumerate(text):
        used += _cells(char)
        if used > width:
            return text[:place]
    return text


def _cells(char: str) -> int:
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
