"""Lines → wordings: what lines have in common that differ only in what varies between runs."""

from __future__ import annotations

import re

from msgspec import Struct

from ascend_doctor.diagnosis.fingerprint import template
from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.formats.lines import LEVEL_WORD
from ascend_doctor.scan.template import masked
from ascend_doctor.view.digits import ZEROS
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.prefix import NONE, Prefix, joined, level_name
from ascend_doctor.view.printed import printed

# Shapes that are told apart, of both runs together; and bytes of a line that count.
MAX_SHAPES = 30_000
MAX_LINE = 2000

# Error codes are names, however many digits they have.
_CODE = re.compile(rb"[EW](?:RR0|[A-Z0])0000(?![A-Za-z0-9])")
_ADDRESS = re.compile(rb"0x[0-9a-fA-F]+")
# How far something is, drawn.
_BAR = re.compile("\\|[#=>.\u2588-\u258f -]{2,400}\\|")
# One after the other they make one digit of a number of any usual length.
_RUNS = tuple(b"0" * length for length in (16, 8, 4, 3, 2, 2))


class Line(Struct, frozen=True):
    """What one line shows: who wrote it, and its text."""

    prefix: Prefix
    text: bytes
    head: plog.Head | None

    @property
    def level(self) -> str:
        """How bad it says it is, empty if it does not."""
        if self.head is not None:
            return self.head.level
        other = logged.parse(self.text)
        if other is not None and other.level:
            return other.level
        is_error = (
            torch_npu.parse(self.text)
            or python.TRACEBACK.match(self.text)
            or python.RAISED.match(self.text)
            or torch_npu.raises(self.text)
            or error_block.parse(self.text)
        )
        if is_error:
            return "ERROR"
        word = LEVEL_WORD.match(self.text)
        return self.prefix.level or (level_name(word[1].decode().upper()) if word else "")

    @property
    def time(self) -> str | None:
        """When it was written, as the line says."""
        return self.prefix.time if self.head is None else self.head.time


def read(raw: bytes) -> Line:
    """Return what a line shows; of a message that was quoted into it, all lines as one."""
    prefix, texts = NONE, []
    # Of a line that is written over and over, a terminal shows the last state.
    raw = raw.rstrip(b"\r").rpartition(b"\r")[2]
    for told, text in printed(raw[: 4 * MAX_LINE], bytes):
        prefix = joined(prefix, told)
        texts.append(text)
    text = b" ".join(texts).rstrip()
    return Line(prefix, text, plog.parse(text))


class Known(Struct, frozen=True):
    """A shape of lines: its wording, and whether such lines name who writes them."""

    wording: int
    is_signed: bool


# What says nothing, and what came when there were too many.
BLANK, OTHER = Known(-1, False), Known(-2, False)


def shapes_of(text: bytes) -> list[bytes]:
    """Return what lines look like with one digit in place of each number.

    Lines of one shape have one wording; that of a line costs a hundred times as much.

    >>> shapes_of(b"step 120 at 0x1f\\nport 60001 is taken, EI0006")
    [b'step 0 at 0x', b'port 0 is taken, EI0\\nEI0006']
    """
    shapes = same = text.translate(ZEROS)
    for run in _RUNS:
        shapes = shapes.replace(run, b"0")
    if b"0x" in shapes:
        shapes = _ADDRESS.sub(b"0x", shapes)
    found = shapes.split(b"\n")
    for code in _CODE.finditer(same):
        start, end = code.span()
        if not text[start - 1 : start].isalnum():
            found[text.count(b"\n", 0, start)] += b"\n" + text[start:end]
    return found


class Vocabulary:
    """Numbers the wordings of two runs.

    Attributes:
        templates: by number, what lines have in common.
        levels: by number, how bad they say they are.
        is_full: there were more shapes than are told apart.
    """

    def __init__(self, max_shapes: int = MAX_SHAPES) -> None:
        self.templates: list[str] = []
        self.levels: list[str] = []
        self.is_full = False
        self._max = max_shapes
        self._numbers: dict[tuple[str, str], int] = {}
        self._shapes: dict[bytes, Known] = {}
        # Shapes with other words for the same: letters of hexadecimal numbers, above all.
        self._masked: dict[bytes, Known] = {}

    def known(self, lines: list[bytes], shapes: list[bytes]) -> list[Known]:
        """Return what each of some lines is."""
        get = self._shapes.get
        return [
            get(shape) or self._look(shape, line) for shape, line in zip(shapes, lines, strict=True)
        ]

    def _look(self, shape: bytes, line: bytes) -> Known:
        key = masked(line[: 4 * MAX_LINE])[:MAX_LINE] + shape.partition(b"\n")[2]
        known = self._masked.get(key)
        if known is None:
            if len(self._masked) >= self._max:
                self.is_full = True
                return OTHER
            known = self._masked[key] = self._learn(line)
        if len(self._shapes) >= self._max:
            self._shapes.clear()
        if len(shape) <= MAX_LINE:
            self._shapes[shape] = known
        return known

    def _learn(self, raw: bytes) -> Known:
        line = read(raw)
        if not line.text:
            return BLANK
        level = line.level
        told = template(_BAR.sub("||", shown(line.text[:MAX_LINE])))
        number = self._numbers.setdefault((told, level), len(self.templates))
        if number == len(self.templates):
            self.templates.append(told)
            self.levels.append(level)
        return Known(number, line.prefix.rank is not None or line.prefix.name is not None)
