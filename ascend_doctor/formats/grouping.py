"""Which lines are one message: the grammar of everything that is longer than a line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct, field

from ascend_doctor.formats import python
from ascend_doctor.formats.lines import MAX_LOOSE, Kind, Line

MAX_LINES = 400
MAX_BYTES = 48 << 10
# An error block is followed by one or two such lines at most.
MAX_LOOSE_IN_BLOCK = 3

# IPython writes arrows and line numbers at the margin.
_MARGIN = re.compile(rb"\d|-{2,8}> \d")

# What may follow within a plog record, and what reports on an exception or an error.
_INNER = frozenset({Kind.INDENTED, Kind.DETAIL, Kind.FRAME})
_REPORT = frozenset({Kind.INDENTED, Kind.DETAIL, Kind.BLOCK, Kind.ERR})


class Group(Struct):
    """Lines of one record while it is being put together."""

    kind: Kind
    lines: list[Line] = field(default_factory=list)
    raised: bool = False
    loose: int = 0
    size: int = 0

    @property
    def reports(self) -> bool:
        """True if the message tells of an error, and more about it may follow."""
        return self.raised or self.kind in (Kind.ERR, Kind.BLOCK, Kind.DETAIL)

    @property
    def ends_in_frames(self) -> bool:
        """True if the message quotes a stack, of a worker or an operator, up to its last line."""
        inner = (line.kind for line in reversed(self.lines) if line.kind is not Kind.INDENTED)
        return next(inner, None) is Kind.FRAME

    @property
    def last(self) -> Line:
        """The line that was added last."""
        return self.lines[-1]

    def add(self, line: Line) -> None:
        """Take a line into the message."""
        self.lines.append(line)
        self.size += len(line.text) + 1
        self.loose = self.loose + 1 if line.kind is Kind.TEXT else 0
        if line.kind is Kind.RAISED:
            self.raised = True


class Ahead:
    """Lines one by one, with a look at the solid one that follows closely."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._ahead: deque[Line] = deque()

    def __iter__(self) -> Iterator[Line]:
        while self._ahead or self._fill(1):
            yield self._ahead.popleft()

    def next_solid(self) -> Kind | None:
        """Return the kind of the next line or the one after it, whichever is not blank."""
        self._fill(2)
        kinds = (line.kind for line in islice(self._ahead, 2))
        return next((kind for kind in kinds if kind is not Kind.BLANK), None)

    def _fill(self, count: int) -> bool:
        while len(self._ahead) < count:
            line = next(self._lines, None)
            if line is None:
                break
            self._ahead.append(line)
        return bool(self._ahead)


def continues(group: Group, line: Line, following: Kind | None) -> bool:
    """Say whether ``line`` is part of the message in ``group``."""
    kind = line.kind
    last = group.last
    if len(group.lines) >= MAX_LINES or group.size > MAX_BYTES:
        return False
    if kind in (Kind.PLOG, Kind.TRACEBACK):
        return False
    if kind is Kind.LOGGED:
        return group.kind is Kind.LOGGED and line.is_same_message(group.lines[0])
    levels = {"", last.prefix.level, line.prefix.level}
    if len(levels) > 2:
        return False
    if kind is Kind.RAISED and group.ends_in_frames:
        return True
    if group.kind is Kind.PLOG:
        if line.is_apart or not line.may_continue_plog(group.lines[0]):
            return False
        return kind in _INNER or (kind is Kind.TEXT and group.loose < MAX_LOOSE)
    if group.kind in (Kind.TRACEBACK, Kind.FRAME) and not group.raised:
        return _continues_traceback(group, line)
    if kind is Kind.BLANK:
        return group.reports and following in _REPORT
    if kind in _REPORT:
        return group.kind is not Kind.TEXT or kind is Kind.INDENTED
    if kind is Kind.TEXT:
        limit = MAX_LOOSE_IN_BLOCK if group.kind is Kind.BLOCK else MAX_LOOSE
        return group.reports and group.loose < limit and not line.has_level
    # Dynamo appends the user's stack to its message.
    stack = group.raised and line.text[:1] in (b" ", b"\t")
    return kind is Kind.FRAME and (stack or group.kind is Kind.INDENTED)


def _continues_traceback(group: Group, line: Line) -> bool:
    if line.kind in (Kind.FRAME, Kind.INDENTED, Kind.RAISED):
        return True
    if line.kind is Kind.TEXT and python.ENDS.match(line.text) and not line.has_level:
        group.raised = True
        return True
    return line.kind is Kind.TEXT and _MARGIN.match(line.text) is not None
