"""How much of a source was read, and which levels and times it spans."""

from __future__ import annotations

import re

from msgspec import Struct, field

from ascend_doctor.view.window import Window

# Beginning with a literal, it is found at several times the speed.
_YEAR = 4
_TIME = re.compile(rb"-(?<=(?<!\d)\d{4}-)(\d\d-\d\d)[-T ](\d\d:\d\d:\d\d)(?!\d)")
# How far into a part its first time is looked for, and how far from its end its last.
_REACH = 8 << 10
_CLOSE = 1 << 10


class Coverage(Struct):
    """How much of a part was read; parts are added in their order."""

    size: int = 0
    newlines: int = 0
    ends_line: bool = True
    levels: set[str] = field(default_factory=set)
    time_range: tuple[str, str] | None = None
    broken: str | None = None
    _tail: bytes = b""

    @property
    def lines(self) -> int:
        """How many lines have begun; the last one need not end in a newline."""
        return self.newlines + (not self.ends_line)

    def see(self, window: Window) -> None:
        """Count the body of one window, when nothing else is asked of it."""
        low, high = window.body
        if self.time_range is None and self.size < _REACH:
            end = min(high, low + _REACH - self.size)
            found = _TIME.search(window.data, low + _YEAR, end)
            if found is not None:
                self._widen(_written(found))
        self.size += high - low
        self.newlines = window.line_at(high) - 1
        self.ends_line = window.data[high - 1 : high] == b"\n"
        self._tail = window.data[high - min(high, self.size, _REACH) : high]

    def finish(self) -> None:
        """Look for the last time, now that the part has come to its end."""
        # Nearly always there is one close to the end.
        found = [*_TIME.finditer(self._tail[-_CLOSE:])] or _TIME.finditer(self._tail)
        times = [_written(time) for time in found]
        if times:
            self._widen(min(times))
            self._widen(max(times))
        self._tail = b""

    def join(self, other: Coverage) -> None:
        """Go on with the part behind this one."""
        if other.size:
            self.ends_line = other.ends_line
        self.size += other.size
        self.newlines += other.newlines
        self.levels |= other.levels
        for time in other.time_range or ():
            self._widen(time)
        self.broken = self.broken or other.broken

    def _widen(self, time: str) -> None:
        start, end = self.time_range or (time, time)
        self.time_range = (min(start, time), max(end, time))


def _written(found: re.Match[bytes]) -> str:
    """Return a time as reports write it."""
    day = found.start(1)
    text = found.string[day - _YEAR - 1 : found.end()].decode()
    return f"{text[:10]}T{text[11:]}"
