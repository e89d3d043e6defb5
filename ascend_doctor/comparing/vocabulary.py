"""Lines → wordings: what lines have in common that differ only in what varies between runs."""

from __future__ import annotations

from dataclasses import dataclass

from ascend_doctor.diagnosis.fingerprint import template
from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.formats.lines import LEVEL_WORD
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.prefix import NONE, Prefix, joined, level_name
from ascend_doctor.view.printed import printed

# Shapes that are told apart, of both runs together; and bytes of a line that count.
MAX_SHAPES = 200_000
MAX_LINE = 2000


@dataclass(frozen=True, slots=True)
class Line:
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
    for told, text in printed(raw[: 4 * MAX_LINE], bytes):
        prefix = joined(prefix, told)
        texts.append(text)
    text = b" ".join(texts).strip()
    return Line(prefix, text, plog.parse(text))


@dataclass(frozen=True, slots=True)
class Known:
    """A shape of lines: its wording, and whether such lines name who writes them."""

    wording: int
    is_signed: bool


# What says nothing, and what came when there were too many.
BLANK, OTHER = Known(-1, False), Known(-2, False)


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
        self.shapes: dict[bytes, Known] = {}
        self._max = max_shapes
        self._numbers: dict[tuple[str, str], int] = {}

    def learn(self, shape: bytes, raw: bytes) -> Known:
        """Return what a shape is of which ``raw`` is the first line."""
        if len(self.shapes) >= self._max:
            self.is_full = True
            return OTHER
        line = read(raw)
        if not line.text:
            known = BLANK
        else:
            level = line.level
            told = template(shown(line.text[:MAX_LINE]))
            number = self._numbers.setdefault((told, level), len(self.templates))
            if number == len(self.templates):
                self.templates.append(told)
                self.levels.append(level)
            is_signed = line.prefix.rank is not None or line.prefix.name is not None
            known = Known(number, is_signed)
        self.shapes[shape] = known
        return known
