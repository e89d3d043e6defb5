"""The record around a place in a view: which lines belong to one message, and its fields.

Lines of several processes may be mixed; a record holds lines of one of them only. The
walk is bounded in both directions, so a record is the same in every window that owns it.
"""

from __future__ import annotations

import enum
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.records import Origin, Record
from ascend_doctor.view.prefix import NONE, Prefix, level_name
from ascend_doctor.view.view import View

# A traceback of a deep model has about a hundred frames of two lines.
MAX_BACK_LINES = 160
MAX_LINES = 400
MAX_BYTES = 48 << 10
# Unindented lines that may continue a message before they count as something new.
MAX_LOOSE = 12


class Kind(enum.Enum):
    """What a single line is, judged by its first characters."""

    PLOG = "plog"
    LOGGED = "logged"
    TRACEBACK = "traceback"
    FRAME = "frame"
    RAISED = "raised"
    ERR = "torch_npu"
    DETAIL = "detail"
    BLOCK = "error_block"
    INDENTED = "indented"
    BLANK = "blank"
    TEXT = "text"


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    kind: Kind
    prefix: Prefix
    text: bytes


@dataclass(slots=True)
class _Group:
    """Lines of one record while it is being put together."""

    kind: Kind
    lines: list[_Line] = field(default_factory=list)
    raised: bool = False
    loose: int = 0
    size: int = 0

    @property
    def last(self) -> _Line:
        return self.lines[-1]

    def add(self, line: _Line) -> None:
        self.lines.append(line)
        self.size += len(line.text) + 1
        self.loose = self.loose + 1 if line.kind is Kind.TEXT else 0
        if line.kind is Kind.RAISED:
            self.raised = True


class _Ahead:
    """Lines one by one, with a look at the solid one that follows closely."""

    def __init__(self, lines: Iterator[_Line]) -> None:
        self._lines = lines
        self._ahead: deque[_Line] = deque()

    def __iter__(self) -> Iterator[_Line]:
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


_LEVEL_WORD = re.compile(
    rb"\s{0,16}[\[(<]{0,2}(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|Warning|Error)[\])>:]"
)
_MARGIN = re.compile(rb"\d|-{2,8}> \d")
_WARNING = re.compile(rb":\d{1,7}: \w{1,40}Warning: ")


class Records:
    """The records of one view, each put together once."""

    def __init__(self, view: View, source: str, path_origin: Origin) -> None:
        self._view = view
        self._source = source
        self._path_origin = path_origin
        self._lines: dict[int, _Line] = {}
        # Lines that are known to begin a record, as the one above them was put together.
        self._heads: set[int] = set()
        self._records: dict[int, tuple[int, Record]] = {}

    def at(self, offset: int) -> tuple[int, Record]:
        """Return the record that holds ``offset`` of the view's text, and where it begins."""
        start = self._view.line_start(offset)
        placed = self._records.get(start)
        return self._build(start) if placed is None else placed

    def _line(self, start: int) -> _Line:
        line = self._lines.get(start)
        if line is None:
            end = self._view.line_end(start)
            text = self._view.text[start:end]
            line = _Line(start, end, _classify(text), self._view.prefix(start), text)
            if line.kind is Kind.RAISED and line.prefix is NONE and start:
                # The last line of a traceback may reach us by another way, unprefixed.
                above = self._view.line_start(start - 1)
                if _classify(self._view.text[above : start - 1]) in (Kind.FRAME, Kind.INDENTED):
                    line.prefix = self._view.prefix(above)
            self._lines[start] = line
        return line

    def _build(self, start: int) -> tuple[int, Record]:
        """Group the lines around ``start`` and remember the record for all of them."""
        target = self._line(start)
        lines = _Ahead(chain(self._before(target), (target,), self._after(target)))
        group: _Group | None = None
        for line in lines:
            if group is None or not _continues(group, line, lines.next_solid()):
                if group is not None:
                    if line.kind is not Kind.BLANK:  # which belongs to no process in particular
                        self._heads.add(line.start)
                    if group.last.start >= start:
                        break
                group = _Group(line.kind)
            group.add(line)
        assert group is not None
        placed = (group.lines[0].start, self._record(group))
        for line in group.lines:
            self._records.setdefault(line.start, placed)
        return placed

    def _before(self, target: _Line) -> list[_Line]:
        """Return the lines above that a record with ``target`` could begin in."""
        found: list[_Line] = []
        last = target
        mark = target if target.kind is Kind.LOGGED else None
        at, size, loose = target.start, 0, 0
        for _ in range(MAX_BACK_LINES):
            begins = last.start in self._heads or _begins(last, mark)
            if at == 0 or begins or loose > MAX_LOOSE:
                break
            line = self._line(self._view.line_start(at - 1))
            at = line.start
            size += len(line.text) + 1
            if size > MAX_BYTES:
                break
            if _stream(line) != _stream(target) and line.kind is not Kind.BLANK:
                continue
            found.append(line)
            last = line
            mark = line if mark is None and line.kind is Kind.LOGGED else mark
            loose = loose + 1 if line.kind is Kind.TEXT else 0
        return found[::-1]

    def _after(self, target: _Line) -> Iterator[_Line]:
        """Yield the lines below of the same process, until no record could go on."""
        at, size = target.end + 1, 0
        for _ in range(MAX_LINES):
            if at >= len(self._view.text) or size > MAX_BYTES:
                break
            line = self._line(at)
            at = line.end + 1
            size += len(line.text) + 1
            if _stream(line) == _stream(target) or line.kind is Kind.BLANK:
                yield line

    def _record(self, group: _Group) -> Record:
        while len(group.lines) > 1 and group.lines[-1].kind is Kind.BLANK:
            group.lines.pop()
        first = group.lines[0]
        texts = [first.text]
        head = logged.parse(first.text) if group.kind is Kind.LOGGED else None
        for line in group.lines[1:]:
            again = logged.parse(line.text) if head is not None and head.key else None
            # Dynamo repeats its head on every line of one message.
            same = again is not None and head is not None and again.key == head.key
            texts.append(line.text[again.end :] if same and again is not None else line.text)
        numbers = [self._view.number(line.start) for line in group.lines]
        return _with_fields(
            group,
            b"\n".join(texts),
            source=self._source,
            order=numbers[0],
            lines=tuple(number for number, _ in numbers),
            path_origin=self._path_origin,
        )


def line_at(record: Record, offset: int) -> tuple[int, bytes]:
    """Return the original number and the text of the line at ``offset`` of a record's text."""
    begin = record.text.rfind(b"\n", 0, offset) + 1
    end = record.text.find(b"\n", offset)
    index = record.text.count(b"\n", 0, begin)
    return record.lines[index], record.text[begin : end if end >= 0 else None]


def _classify(text: bytes) -> Kind:
    """Say what a line is; the order matters, as a plog line may quote anything."""
    stripped = text.strip()
    if not stripped:
        return Kind.BLANK
    for kind, test in _TESTS:
        if test(text):
            return kind
    return Kind.INDENTED if text[0] in b" \t" else Kind.TEXT


_TESTS: tuple[tuple[Kind, Callable[[bytes], object]], ...] = (
    (Kind.PLOG, plog.parse),
    (Kind.ERR, torch_npu.parse),
    (Kind.TRACEBACK, python.TRACEBACK.match),
    (Kind.FRAME, python.FRAME.match),
    (Kind.LOGGED, logged.parse),
    (Kind.DETAIL, torch_npu.DETAIL.match),
    (Kind.BLOCK, error_block.parse),
    (Kind.RAISED, python.RAISED.match),
    (Kind.RAISED, torch_npu.RAISED.search),
)


def _stream(line: _Line) -> tuple[object, ...]:
    """Lines with equal streams may belong to one message."""
    prefix = line.prefix
    return (prefix.name, prefix.pid, prefix.rank)


def _begins(line: _Line, mark: _Line | None) -> bool:
    """Say whether no message that goes on below ``line`` can begin above it.

    ``mark`` is the lowest line with a log head so far; equal heads are one message.
    """
    if line.kind is Kind.LOGGED:
        return mark is not None and not _same_message(line, mark)
    return line.kind in (Kind.PLOG, Kind.TRACEBACK)


# What may follow within a message, by what the message began as.
_INNER = frozenset({Kind.INDENTED, Kind.DETAIL, Kind.FRAME})
_REPORT = frozenset({Kind.INDENTED, Kind.DETAIL, Kind.BLOCK, Kind.ERR})


def _continues(group: _Group, line: _Line, following: Kind | None) -> bool:
    """Say whether ``line`` is part of the message in ``group``."""
    kind = line.kind
    last = group.last
    if len(group.lines) >= MAX_LINES or group.size > MAX_BYTES:
        return False
    if kind in (Kind.PLOG, Kind.TRACEBACK):
        return False
    if kind is Kind.LOGGED:
        return group.kind is Kind.LOGGED and _same_message(group.lines[0], line)
    levels = {"", last.prefix.level, line.prefix.level}
    if len(levels) > 2:
        return False
    if group.kind is Kind.PLOG:
        return kind in _INNER or (kind is Kind.TEXT and group.loose < MAX_LOOSE)
    if group.kind in (Kind.TRACEBACK, Kind.FRAME) and not group.raised:
        return _continues_traceback(group, line)
    if kind is Kind.BLANK:
        reports = group.raised or group.kind in (Kind.ERR, Kind.BLOCK, Kind.DETAIL)
        return reports and following in _REPORT
    if kind in _REPORT:
        return group.kind is not Kind.TEXT or kind is Kind.INDENTED
    if kind is Kind.TEXT:
        limit = 3 if group.kind is Kind.BLOCK else MAX_LOOSE
        reports = group.raised or group.kind in (Kind.ERR, Kind.BLOCK, Kind.DETAIL)
        return reports and group.loose < limit and not _has_level(line.text)
    # Dynamo appends the user's stack to its message.
    stack = group.raised and line.text[:1] in (b" ", b"\t")
    return kind is Kind.FRAME and (stack or group.kind is Kind.INDENTED)


def _continues_traceback(group: _Group, line: _Line) -> bool:
    if line.kind in (Kind.FRAME, Kind.INDENTED, Kind.RAISED):
        return True
    if line.kind is Kind.TEXT and python.ENDS.match(line.text) and not _has_level(line.text):
        group.raised = True
        return True
    # IPython writes arrows and line numbers at the margin.
    return line.kind is Kind.TEXT and _MARGIN.match(line.text) is not None


def _same_message(first: _Line, line: _Line) -> bool:
    one, other = logged.parse(first.text), logged.parse(line.text)
    return one is not None and other is not None and one.key != b"" and one.key == other.key


def _has_level(text: bytes) -> bool:
    return _LEVEL_WORD.match(text) is not None


def _with_fields(
    group: _Group,
    text: bytes,
    *,
    source: str,
    order: tuple[int, int],
    lines: tuple[int, ...],
    path_origin: Origin,
) -> Record:
    """Read level, module, time and process off the lines of a record."""
    first = group.lines[0]
    prefix = first.prefix
    level, module, pid = prefix.level, None, prefix.pid
    device: int | None = None
    rank, time = prefix.rank, _iso(prefix.time)
    if (head := plog.parse(first.text)) is not None:
        level, module, pid, time = head.level, head.module, head.pid, head.time
    elif (mark := logged.parse(first.text)) is not None:
        level, pid = mark.level or level, pid if mark.pid is None else mark.pid
    elif (word := _LEVEL_WORD.match(first.text)) is not None and group.kind is Kind.TEXT:
        level = level_name(word[1].decode().upper())
    elif _WARNING.search(first.text):
        level = level or "WARNING"
    for line in group.lines:
        if line.kind is Kind.ERR and (err := torch_npu.parse(line.text)) is not None:
            pid, device = err.pid, err.device
            rank = err.rank if err.rank is not None else rank
            time = time or err.time
        elif line.kind is Kind.BLOCK and (block := error_block.parse(line.text)) is not None:
            pid = block.pid if block.pid is not None and pid is None else pid
            time = time or block.time
    reports = group.raised or group.kind in (Kind.ERR, Kind.BLOCK, Kind.DETAIL)
    if reports and level == "":
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
            node=path_origin.node,
            rank=path_origin.rank if rank is None else rank,
            device=path_origin.device if device is None else device,
            pid=pid,
        ),
        text=text,
        lines=lines,
    )


def _iso(time: str | None) -> str | None:
    """Return a full date and time in the form that sorts; others cannot be compared."""
    if time is None or len(time) < 19 or not time[:4].isdigit():
        return None
    whole = time[:10] + "T" + time[11:19]
    fraction = "".join(c for c in time[20:26] if c.isdigit())
    return f"{whole}.{fraction:0<6}"
