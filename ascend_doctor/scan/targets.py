"""From hits in bytes to lines that are to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ascend_doctor.formats import plog
from ascend_doctor.scan.judge import ERRORS
from ascend_doctor.scan.literals import Hit, Literals
from ascend_doctor.scan.meanings import Meaning
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed

# Where a line begins, and why it is looked at.
Target = tuple[int, Meaning]

_ALARM = Meaning(is_alarm=True)
_NEWLINE = b"\n"


class Targets:
    """Tells which lines of a view are hit, and by what; literals beyond ``meanings`` are asides."""

    def __init__(self, literals: Literals, meanings: Sequence[Meaning]) -> None:
        self._literals = literals
        self._meanings = meanings

    def of(self, view: Printed | Raw, hits: Iterable[Hit]) -> Iterator[Target]:
        """Yield the lines that literals stand in, and those whose prefix names an error."""
        if isinstance(view, Raw):
            return self._in_raw(view, hits)
        return self._in_printed(view, hits)

    def _in_printed(self, view: Printed, hits: Iterable[Hit]) -> Iterator[Target]:
        text = view.text
        for offset, number in hits:
            if number >= len(self._meanings):
                continue
            meaning = self._meanings[number]
            at = offset + (text[offset : offset + 1] == _NEWLINE)
            start = view.line_start(at)
            if meaning.is_level or (meaning.is_head and start != offset + 1):
                continue
            if view.owns(at):
                yield start, meaning
        for start in view.starts_of(ERRORS):
            yield start, _ALARM

    def _in_raw(self, view: Raw, hits: Iterable[Hit]) -> Iterator[Target]:
        data = view.data
        start = end = -1
        text_from: int | None = None
        is_error = is_remark = False
        for offset, number in hits:
            if number >= len(self._meanings):
                continue
            meaning = self._meanings[number]
            at = offset + (data[offset : offset + 1] == _NEWLINE)
            if not start <= at < end:
                start, end = view.bounds(at)
                text_from = view.text_from(start)
                if text_from is None:
                    yield from self._in_quoted(view, start)
                else:
                    is_error = view.line(start)[0].level in ERRORS
                    is_remark = plog.is_remark(data, text_from)
            if text_from is None or (is_remark and meaning.is_for_errors):
                continue
            if at < text_from:
                # What names its level in a prefix has lost the word to the view.
                if is_error and (meaning.is_alarm or meaning.is_level):
                    yield start, _ALARM
                if meaning.is_head and offset + 1 == text_from:
                    yield start, _ALARM
            elif not meaning.is_level and (not meaning.is_head or offset + 1 == text_from):
                yield start, meaning

    def _in_quoted(self, view: Raw, start: int) -> Iterator[Target]:
        """Yield the targets in a line whose bytes are not shown as they are."""
        for place, (prefix, text) in enumerate(view.shown(start), start=start):
            if prefix.level in ERRORS:
                yield place, _ALARM
            for offset, number in self._literals.hits(_NEWLINE + text + _NEWLINE):
                if number < len(self._meanings):
                    meaning = self._meanings[number]
                    if not meaning.is_level and (not meaning.is_head or offset == 0):
                        yield place, meaning
