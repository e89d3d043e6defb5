"""What a single line of a view is, judged by how it begins."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.view.prefix import NONE, Prefix, joined, may_begin
from ascend_doctor.view.view import View

Head = plog.Head | torch_npu.Head | logged.Head | error_block.Head
# Name, process id and rank of who wrote a line, each as far as its prefix says.
Stream = tuple[str | None, int | None, int | None]


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


class Line(Struct):
    """The line at ``start`` of a view.

    ``head`` holds the fields of its log header, ERR line or error block, if it begins with one.
    ``is_apart`` is set where messages of others were passed over between it and the line above.
    ``stream`` says who wrote it; only lines with equal streams may belong to one message.
    ``is_quiet`` says that it is a plog message below error level.
    """

    start: int
    kind: Kind
    prefix: Prefix
    text: bytes
    head: Head | None
    stream: Stream
    is_quiet: bool
    is_apart: bool = False

    @property
    def is_anonymous(self) -> bool:
        """True if its prefix does not say who wrote it."""
        return self.stream == _ANONYMOUS

    @property
    def has_level(self) -> bool:
        """True if it begins with the name of a level, as no continuation does."""
        return LEVEL_WORD.match(self.text) is not None

    @property
    def is_remark(self) -> bool:
        """True if it is a plog message below warning: what stands below is more likely a program's.

        With them switched on, plog and the program's own output share a stream; taken for more of
        a remark, the error that a program prints would count for nothing.
        """
        return isinstance(self.head, plog.Head) and self.head.level in plog.REMARKS

    def may_continue_plog(self, header: Line) -> bool:
        """Say whether it can be a further line of the message that begins in ``header``.

        What a program prints line by line goes with an error above it, as most likely it is
        about that; with other messages it has nothing to do.
        """
        if self.stream != header.stream or (self.prefix.time and not header.prefix.time):
            return False
        is_text = self.kind is Kind.TEXT
        return not (is_text and header.is_quiet and _ANNOUNCED.match(self.text))

    def is_same_message(self, other: Line) -> bool:
        """Say whether both have one log head; Dynamo repeats it on every line of a message."""
        one, two = self.head, other.head
        if not (isinstance(one, logged.Head) and isinstance(two, logged.Head)):
            return False
        return one.key != b"" and one.key == two.key


LEVEL_WORD = re.compile(
    rb"\s{0,16}[\[(<]{0,2}(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|Warning|Error)[\])>:]"
)

# What programs print line by line: a level in capitals, the states that GoogleTest and pytest name.
_ANNOUNCED = re.compile(
    rb"[\[(<]{0,2}(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)[\])>:]"
    rb"|\[[ =A-Z-]{10}\] |={4,80} |_{4,80} |(?:PASSED|FAILED) [\w./-]{1,300}::"
)

# Kinds of lines that one report of an error is made of, and how many of them may follow
# the last line with a prefix.
_REPORT = frozenset({Kind.FRAME, Kind.RAISED, Kind.ERR, Kind.DETAIL, Kind.BLOCK, Kind.INDENTED})
_STACK = frozenset({Kind.FRAME, Kind.INDENTED})
MAX_UNPREFIXED = 40
# How far above a quiet plog line a report may begin that goes on below it, how many of those
# lines may stand together, and how many unindented lines the report may have there.
MAX_REACH = 60
MAX_GAP = 16
MAX_LOOSE = 12


_ANONYMOUS: Stream = (None, None, None)


class Lines:
    """The lines of one view, each classified once.

    Where many writers take turns, records are looked for across hundreds of lines of others: so
    it is remembered which lines follow each other.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        # As they stand, and with the prefixes that they inherit.
        self._plain: dict[int, Line] = {}
        self._lines: dict[int, Line] = {}
        self._whole: dict[int, bool] = {}
        self._above: dict[int, Line | None] = {}
        self._below: dict[int, Line | None] = {}

    def at(self, start: int) -> Line:
        """Return the line that begins at ``start``."""
        line = self._lines.get(start)
        if line is None:
            line = self._read(start)
            if line.kind in _REPORT and line.is_anonymous:
                prefix = joined(self._inherited(line), line.prefix)
                line = replace(line, prefix=prefix, stream=_stream(prefix))
            self._lines[start] = line
        return line

    def _inherited(self, line: Line) -> Prefix:
        """Return the prefix of the report that ``line`` goes on with, if that has one.

        A launcher may put its prefix before the first line of an exception only. An exception
        goes on with the frames above it, never with another exception.
        """
        allowed = _STACK if line.kind is Kind.RAISED else _REPORT
        for _ in range(MAX_UNPREFIXED):
            above = self._view.above(line.start)
            if above is None:
                break
            line = self._read(above)
            if line.kind not in allowed:
                break
            if not line.is_anonymous:
                return line.prefix
        return NONE

    def _read(self, start: int) -> Line:
        line = self._plain.get(start)
        if line is None:
            prefix, text = self._view.line(start)
            kind, head = _classify(text)
            is_quiet = isinstance(head, plog.Head) and head.is_quiet
            line = Line(start, kind, prefix, text, head, _stream(prefix), is_quiet)
            self._plain[start] = line
        return line

    def is_whole(self, line: Line) -> bool:
        """Say whether ``line`` is a quiet plog message that no line below belongs to.

        Such messages stand between the lines of what another process, or another thread,
        prints without headers: of a traceback, an error block, a test's output. A line
        below without a header is taken for more of the message only if no such report is
        going on.
        """
        if not line.is_quiet:
            return False
        known = self._whole.get(line.start)
        if known is None:
            below = self.below(line)
            known = (
                below is None
                or line.is_remark
                or below.kind not in (Kind.TEXT, Kind.INDENTED)
                or not below.may_continue_plog(line)
                or self._is_within_report(line)
            )
            self._whole[line.start] = known
        return known

    def _is_within_report(self, line: Line) -> bool:
        """Say whether a report above ``line`` can go on below it."""
        stream, loose = line.stream, 0
        for _ in range(MAX_REACH):
            above = self.above(line)
            if above is None:
                break
            line = above
            if line.is_quiet or line.kind is Kind.INDENTED or line.stream != stream:
                continue
            if line.kind is not Kind.TEXT:
                return line.kind in _REPORT or line.kind is Kind.TRACEBACK
            loose += 1
            if loose > MAX_LOOSE or line.has_level:
                break
        return False

    def above(self, line: Line) -> Line | None:
        """Return the line before ``line``, None at the top."""
        known = self._above.get(line.start, line)
        if known is line:  # which is above no line but others
            start = self._view.above(line.start)
            known = self._above[line.start] = None if start is None else self.at(start)
        return known

    def below(self, line: Line) -> Line | None:
        """Return the line after ``line``, None at the end."""
        known = self._below.get(line.start, line)
        if known is line:
            start = self._view.below(line.start)
            known = self._below[line.start] = None if start is None else self.at(start)
        return known


def _stream(prefix: Prefix) -> Stream:
    return _ANONYMOUS if prefix is NONE else (prefix.name, prefix.pid, prefix.rank)


def _classify(text: bytes) -> tuple[Kind, Head | None]:
    """Say what a line is; the order matters, as a plog line may quote anything."""
    if not text or text.isspace():
        return Kind.BLANK, None
    for kind, test in _tests_of(text[:_START]):
        found = test(text)
        if found is not None:
            return kind, None if isinstance(found, re.Match) else found
    if torch_npu.raises(text):
        return Kind.RAISED, None
    return (Kind.INDENTED if text[0] in b" \t" else Kind.TEXT), None


_Test = Callable[[bytes], Head | re.Match[bytes] | None]
# How lines of a kind may begin, and what says for certain that one is of it.
_TESTS: tuple[tuple[Kind, tuple[re.Pattern[bytes], ...], _Test], ...] = (
    (Kind.PLOG, (plog.HEAD,), plog.parse),
    (Kind.ERR, (torch_npu.HEAD,), torch_npu.parse),
    (Kind.TRACEBACK, (python.TRACEBACK,), python.TRACEBACK.match),
    (Kind.FRAME, (python.FRAME,), python.FRAME.match),
    (Kind.LOGGED, logged.HEADS, logged.parse),
    (Kind.DETAIL, (torch_npu.DETAIL,), torch_npu.DETAIL.match),
    (Kind.DETAIL, (python.STACK,), python.STACK.match),
    (Kind.DETAIL, (python.USER_STACK,), python.USER_STACK.match),
    (Kind.DETAIL, (error_block.TRACE,), error_block.TRACE.match),
    (Kind.BLOCK, (error_block.HEAD,), error_block.parse),
    (Kind.RAISED, (python.RAISED,), python.RAISED.match),
)
# So many bytes of a line rule most kinds out.
_START = 3


@lru_cache(maxsize=4096)
def _tests_of(start: bytes) -> tuple[tuple[Kind, _Test], ...]:
    """Return the tests for a line that begins with ``start``."""
    return tuple(
        (kind, test)
        for kind, heads, test in _TESTS
        if any(may_begin(head, start) for head in heads)
    )
