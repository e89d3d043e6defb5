"""One log that somebody else writes, and what it says as far as it was read."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable
from copy import deepcopy

from ascend_doctor.facts import Shard
from ascend_doctor.formats.sniff import kind_of
from ascend_doctor.ingest.source import EMPTY, HEAD, is_as_it_is, reason_of, unreadable
from ascend_doctor.running.logs import Growth
from ascend_doctor.running.stretch import lines_before, shard_moved, stretch
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.encoding import shown

# A record may begin so far above the end, and is read anew when it goes on.
KEEP = 96 << 10
# What lies further back is read for the last time, so much at once.
_CHUNK = 16 << 20
# New lines without such a word are read when they have waited, or with the next that have one.
_ALARM = re.compile(
    rb"err(?:or|no)|fail|fatal|except|traceback|abort|warn|kill|out of memory|time[d -]*out|signal"
    rb"|core dumped|unable|cannot|invalid|not found|\bnan\b|\binf\b|\b[ew][a-z0-9]\d{4}\b",
    re.IGNORECASE,
)
PATIENCE_S = 30.0
# Bytes before the place that was reached: they tell whether a file is still the same one.
_MARK = 64
# Where a line that is as long as this ends is not looked for.
_MAX_LINE = 64 << 10

_PACKED = "packed or in UTF-16, which is not followed"
_PROFILE = "profiler data, which is not followed"


class Followed:
    """A file that is followed from a place on.

    Attributes:
        path: where it lies now.
        start: from where on it is followed.
        size: up to where it is known.
        shard: what it says; None if nothing was read.
        skipped: why it is not followed, None if it is.
    """

    def __init__(
        self, path: str, start: int, scanner: Scanner, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = path
        self.start = self.size = start
        self.shard: Shard | None = None
        self.skipped: str | None = None
        self._scanner = scanner
        self._clock = clock
        self._kind: str | None = None
        # Read for the last time is what stands before, and this is what it says.
        self._done = start
        self._whole: Part | None = None
        self._waits_since: float | None = None
        self._is_alarmed = False
        self._lines: int | None = None
        self._mark = _bytes_before(path, start)

    @property
    def is_given_up(self) -> bool:
        """Say whether it will not be followed, however it grows."""
        return self.skipped is not None and self._kind is not None

    @property
    def growth(self) -> Growth | None:
        """What was written to it while it was followed, None if nothing was."""
        if self.size == self.start or self.skipped is not None:
            return None
        try:
            written = os.stat(self.path).st_mtime
        except OSError:
            written = 0.0
        return Growth(self.path, self.start, self.size, written)

    @property
    def waits(self) -> bool:
        """Say whether there is something that was not read."""
        return self._waits_since is not None

    @property
    def is_due(self) -> bool:
        """Say whether something has waited for long enough to be read."""
        since = self._waits_since
        return since is not None and self._clock() - since >= PATIENCE_S

    def is_at(self, path: str, size: int) -> bool:
        """Say whether the file that lies there now is this one, gone on or not."""
        if size < self.size:
            return False
        if path == self.path and size == self.size:
            return True
        return _bytes_before(path, self.size) == self._mark

    def grow(self, size: int) -> bool:
        """Take note that it is ``size`` bytes long; return whether what it says is another."""
        if self._kind is None:
            self._kind = self._begin()
        if self.is_given_up:
            return False
        before, self.size = self.size, size
        self._mark = _bytes_before(self.path, size)
        if self.skipped is not None:
            return False
        if self._waits_since is None:
            self._waits_since = self._clock()
        if size - self._done > 2 * KEEP or self.is_due:
            return self.read()
        self._is_alarmed = self._is_alarmed or self._alarms(before)
        return self.read() if self._is_alarmed else False

    def read(self, *, to_the_end: bool = False) -> bool:
        """Read what waits, up to the last line that has ended, or ``to_the_end``.

        Return whether what it says is another.
        """
        self._waits_since = None
        if self.size <= self._done:
            return False
        before = self.shard
        try:
            while self.size - self._done > 2 * KEEP:
                end = self._line_end(min(self.size - KEEP, self._done + _CHUNK))
                part = self._part(end)
                if self._whole is None:
                    self._whole = part
                else:
                    self._whole.join(part)
                self._done = end
            end = self.size if to_the_end else self._line_end(self.size)
            part = self._part(end)
            if self._whole is None:  # what it is may not have been plain from its first words
                self._kind = kind_of(b"".join(stretch(self.path, self.start, self.start + HEAD)))
        except OSError as err:
            if self.shard is None:
                self.skipped = reason_of(err)
            return False
        self._is_alarmed = self._is_alarmed and end < self.size
        if end < self.size:
            self._waits_since = self._clock()
        if self._whole is not None:
            rest, part = part, deepcopy(self._whole)
            part.join(rest)
        self.shard = self._scanner.shard_of([part], self._kind or "text")
        return _says(self.shard) != _says(before)

    def placed(self) -> Shard | None:
        """Return what it says, on the lines on which that stands."""
        if self.shard is None or not self.start or not any(_says(self.shard)):
            return self.shard
        if self._lines is None:
            try:
                self._lines = lines_before(Growth(self.path, self.start, self.start, 0.0))
            except OSError:
                self._lines = 0
        return shard_moved(self.shard, self._lines)

    def _begin(self) -> str | None:
        """Return what kind of file it is, or note why it is not followed; None if not yet."""
        self.skipped = None
        try:
            with open(self.path, "rb", buffering=0) as file:
                # What was cut while it was written begins with a hole, to the nearest block.
                begin = os.lseek(file.fileno(), 0, os.SEEK_DATA)
                head = os.pread(file.fileno(), HEAD, begin)
        except OSError as err:
            # A file that is all hole has no data to go to.
            self.skipped = EMPTY if err.errno == errno.ENXIO else reason_of(err)
            return None
        begin += len(head) - len(head.lstrip(b"\0"))
        head = head.lstrip(b"\0")
        if not head:  # on a network, its length may come before its text
            self.skipped = EMPTY
            return None
        if self.start < begin:
            self.start = self._done = begin
        kind = kind_of(head)
        if not is_as_it_is(head):
            self.skipped = _PACKED
        elif kind == "profile":
            self.skipped = _PROFILE
        else:
            self.skipped = unreadable(head)
        return kind

    def _alarms(self, start: int) -> bool:
        """Say whether what is new looks as if something was wrong."""
        try:
            new = b"".join(stretch(self.path, max(self._done, start - _MARK), self.size))
        except OSError:
            return False
        return _ALARM.search(new) is not None

    def _part(self, end: int) -> Part:
        return self._scanner.part_of(
            shown(os.fsencode(self.path)), stretch(self.path, self._done, end)
        )

    def _line_end(self, aim: int) -> int:
        """Return where the last line ends before a place; there, if none does."""
        start = max(self._done, aim - _MAX_LINE)
        data = b"".join(stretch(self.path, start, aim))
        return start + (data.rfind(b"\n") + 1 or len(data))


def _bytes_before(path: str, place: int) -> bytes:
    start = max(0, place - _MARK)
    try:
        return b"".join(stretch(path, start, place))
    except OSError:
        return b""


def _says(shard: Shard | None) -> tuple[object, ...]:
    if shard is None:
        return ((), (), (), ())
    return shard.findings, shard.codes, shard.unknown, shard.environment
