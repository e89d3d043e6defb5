"""The record around a place in a view: the lines of its message, and its fields.

Lines of several processes may be mixed; a record holds lines of one of them only. The
walk is bounded in both directions, so a record is the same in every window that owns it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ascend_doctor.formats import error_block, logged, plog, torch_npu
from ascend_doctor.formats.grouping import (
    MAX_BYTES,
    MAX_LINES,
    Ahead,
    Group,
    continues,
)
from ascend_doctor.formats.lines import LEVEL_WORD, MAX_GAP, MAX_LOOSE, Kind, Line, Lines
from ascend_doctor.records import Origin, Record
from ascend_doctor.view.prefix import level_name
from ascend_doctor.view.view import View

# A traceback of a deep model has about a hundred frames of two lines.
MAX_BACK_LINES = MAX_LINES
# How far lines of others in a row may part two lines of one message. Writers that are named may
# take turns, all ranks of a job in one log; a line that names none is far from being one of theirs.
MAX_FOREIGN = 120
_NAMED, _ANONYMOUS = 1, 5

_WARNING = re.compile(rb":\d{1,7}: \w{1,40}Warning: ")


class Records:
    """The records of one view, each put together once."""

    def __init__(self, view: View, source: str, path_origin: Origin) -> None:
        self._view = view
        self._source = source
        self._path_origin = path_origin
        self._lines = Lines(view)
        # Lines that are known to begin a record, as the one above them was put together.
        self._heads: set[int] = set()
        self._records: dict[int, tuple[int, Record]] = {}

    def at(self, start: int) -> tuple[int, Record]:
        """Return the record that holds the line at ``start`` of the view, and where it begins."""
        placed = self._records.get(start)
        return self._build(start) if placed is None else placed

    def _build(self, start: int) -> tuple[int, Record]:
        """Group the lines around ``start`` and remember the record for all of them."""
        target = self._lines.at(start)
        if target.kind is Kind.PLOG and self._is_alone(target):
            placed = (start, self._record(Group(Kind.PLOG, [target])))
            self._records[start] = placed
            return placed
        lines = Ahead(chain(self._before(target), (target,), self._after(target)))
        group: Group | None = None
        for line in lines:
            if group is None or not continues(group, line, lines.next_solid()):
                if group is not None:
                    if line.kind is not Kind.BLANK:  # which belongs to no process in particular
                        self._heads.add(line.start)
                    if group.last.start >= start:
                        break
                group = Group(line.kind)
            group.add(line)
        assert group is not None
        placed = (group.lines[0].start, self._record(group))
        for line in group.lines:
            self._records.setdefault(line.start, placed)
        return placed

    def _is_alone(self, line: Line) -> bool:
        """True if another plog header follows: nearly always, and always in a storm of errors."""
        below = self._lines.below(line)
        if below is None or (below.kind is Kind.PLOG and below.stream == line.stream):
            return True
        return self._lines.is_whole(line)

    def _before(self, target: Line) -> list[Line]:
        """Return the lines above that a record with ``target`` could begin in."""
        found: list[Line] = []
        line = last = target
        mark = target if target.kind is Kind.LOGGED else None
        size = loose = gap = foreign = 0
        begins = target.start in self._heads or _begins(target, mark)
        for _ in range(MAX_BACK_LINES):
            if begins or loose > MAX_LOOSE or gap > MAX_GAP or foreign > MAX_FOREIGN:
                break
            above = self._lines.above(line)
            if above is None:
                break
            line = above
            size += len(line.text) + 1
            if size > MAX_BYTES:
                break
            if self._lines.is_whole(line):
                last.is_apart = True
                gap += 1
                continue
            if line.stream != target.stream and line.kind is not Kind.BLANK:
                foreign += _distance(line)
                continue
            found.append(line)
            last = line
            gap = foreign = 0
            mark = line if mark is None and line.kind is Kind.LOGGED else mark
            loose = loose + 1 if line.kind is Kind.TEXT else 0
            begins = line.start in self._heads or _begins(line, mark)
        return found[::-1]

    def _after(self, target: Line) -> Iterator[Line]:
        """Yield the lines below of the same process, until no record could go on."""
        line, size, gap, foreign = target, 0, 0, 0
        for _ in range(MAX_LINES):
            below = self._lines.below(line)
            if below is None or size > MAX_BYTES or gap > MAX_GAP or foreign > MAX_FOREIGN:
                break
            line = below
            size += len(line.text) + 1
            if self._lines.is_whole(line):
                gap += 1
                continue
            if line.stream == target.stream or line.kind is Kind.BLANK:
                line.is_apart = line.is_apart or gap > 0
                yield line
                gap = foreign = 0
            else:
                foreign += _distance(line)

    def _record(self, group: Group) -> Record:
        while len(group.lines) > 1 and group.lines[-1].kind is Kind.BLANK:
            group.lines.pop()
        first = group.lines[0]
        texts = [first.text]
        for line in group.lines[1:]:
            # Dynamo repeats its head on every line of one message.
            if isinstance(line.head, logged.Head) and line.is_same_message(first):
                texts.append(line.text[line.head.end :])
            else:
                texts.append(line.text)
        numbers = [self._view.number(line.start) for line in group.lines]
        return _with_fields(
            group,
            b"\n".join(texts),
            source=self._source,
            order=numbers[0],
            lines=tuple(number for number, _ in numbers),
            starts=tuple(line.start for line in group.lines),
            path_origin=self._path_origin,
        )


def line_at(record: Record, offset: int) -> tuple[int, bytes]:
    """Return the original number and the text of the line at ``offset`` of a record's text."""
    begin = record.text.rfind(b"\n", 0, offset) + 1
    end = record.text.find(b"\n", offset)
    index = record.text.count(b"\n", 0, begin)
    return record.lines[index], record.text[begin : end if end >= 0 else None]


def _distance(foreign: Line) -> int:
    return _ANONYMOUS if foreign.is_anonymous else _NAMED


def _begins(line: Line, mark: Line | None) -> bool:
    """Say whether no message that goes on below ``line`` can begin above it.

    ``mark`` is the lowest line with a log head so far; equal heads are one message.
    """
    if line.kind is Kind.LOGGED:
        return mark is not None and not line.is_same_message(mark)
    return line.kind in (Kind.PLOG, Kind.TRACEBACK)


def _with_fields(
    group: Group,
    text: bytes,
    *,
    source: str,
    order: tuple[int, int],
    lines: tuple[int, ...],
    starts: tuple[int, ...],
    path_origin: Origin,
) -> Record:
    """Read level, module, time and process off the lines of a record."""
    first = group.lines[0]
    prefix = first.prefix
    level, module, pid = prefix.level, None, prefix.pid
    device: int | None = None
    rank, time = prefix.rank, _iso(prefix.time)
    head = first.head
    if isinstance(head, plog.Head):
        level, module, pid, time = head.level, head.module, head.pid, head.time
    elif isinstance(head, logged.Head):
        level, pid = head.level or level, pid if head.pid is None else head.pid
    elif (word := LEVEL_WORD.match(first.text)) is not None and group.kind is Kind.TEXT:
        level = level_name(word[1].decode().upper())
    elif _WARNING.search(first.text):
        level = level or "WARNING"
    for line in group.lines:
        head = line.head
        if isinstance(head, torch_npu.Head):
            pid, device = head.pid, head.device
            rank = head.rank if head.rank is not None else rank
            time = time or head.time
        elif isinstance(head, error_block.Head):
            pid = head.pid if head.pid is not None and pid is None else pid
            time = time or head.time
    if group.reports and level == "":
        level = "ERROR"
    return Record(
        source=source,
        line=order[0],
        order=order,
        kind=group.kind.value,
        level=level,
        module=module,
        time=time,
        origin=Origin(
            node=path_origin.node or prefix.node,
            rank=path_origin.rank if rank is None else rank,
            device=path_origin.device if device is None else device,
            pid=pid,
        ),
        text=text,
        lines=lines,
        starts=starts,
    )


def _iso(time: str | None) -> str | None:
    """Return a full date and time in the form that sorts; others cannot be compared."""
    if time is None or len(time) < 19 or not time[:4].isdigit():
        return None
    whole = time[:10] + "T" + time[11:19]
    fraction = "".join(c for c in time[20:26] if c.isdigit())
    return f"{whole}.{fraction:0<6}"
