"""The rows of a table, whatever stands between them: with their lines, in bounded memory."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator

from ascend_doctor.profile.columns import Columns
from ascend_doctor.records import Evidence, Note, Origin

# Bytes of a line that are read, and characters of it that are kept as proof.
_MAX_LINE = 256 << 10
MAX_TEXT = 500
# How often lines are read again that a quote without an end had swallowed.
_MAX_AGAIN = 16


class Table:
    """A table of comma-separated values, as profilers write them.

    Rows that cannot be read (cut off, not a number) are left out and counted. The header may be
    repeated: tables are put behind each other.

    Attributes:
        path: the shown path of the file.
        columns: those that the header names.
        unread: how many rows could not be read; the first of them begins on ``first_unread``.
    """

    def __init__(self, path: str, text: Iterator[bytes]) -> None:
        self.path = path
        self.unread = self.first_unread = 0
        self._lines = _Lines(text)
        self._reader = csv.reader(self._lines)
        self._again = _MAX_AGAIN
        self._header = self._first()
        self.columns = Columns(self._header)

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the cells of each row, as many as the header has."""
        width = len(self._header)
        while (cells := self._next()) is not None:
            if len(cells) > width and not any(map(str.strip, cells[width:])):
                del cells[width:]
            if len(cells) == width:
                if [cell.strip() for cell in cells] != self._header:
                    yield cells
            elif cells:
                self._lines.give_back(self._may_read_again())
                self.skip()

    @property
    def place(self) -> tuple[int, str]:
        """On which line the row begins that was yielded last, and what stands there."""
        return self._lines.begin, self._lines.taken[0].strip()[:MAX_TEXT]

    def proof(self, place: tuple[int, str] | None = None, rank: int | None = None) -> Evidence:
        """Return a row as proof, the one that was yielded last if none is named."""
        line, text = place or self.place
        return Evidence(self.path, line, text.rstrip(), (line, 0), origin=Origin(rank=rank))

    def skip(self) -> None:
        """Count the row that was yielded last as one that cannot be read."""
        self.unread += 1
        self.first_unread = self.first_unread or self._lines.begin

    def notes(self) -> tuple[Note, ...]:
        """Return what is to be said of rows that were left out."""
        if not self.unread:
            return ()
        values = {"count": str(self.unread), "line": str(self.first_unread)}
        return (Note("rows_unread", values),)

    def _first(self) -> list[str]:
        while (cells := self._next()) is not None:
            if any(map(str.strip, cells)):
                return [cell.strip() for cell in cells]
        return []

    def _next(self) -> list[str] | None:
        """Return the next row, empty where there is none to be read; None at the end."""
        self._lines.forget()
        try:
            return next(self._reader, None)
        except csv.Error:
            self._lines.give_back(self._may_read_again())
            self.skip()
            return []

    def _may_read_again(self) -> bool:
        self._again -= len(self._lines.taken) > 1
        return self._again >= 0


class _Lines:
    """Lines of a text; those of the present row can be given back.

    Attributes:
        begin: the number of the first line of the present row.
        taken: its lines.
    """

    def __init__(self, text: Iterator[bytes]) -> None:
        self.begin = 1
        self.taken: list[str] = []
        self._lines = _lines(text)
        self._waiting: deque[str] = deque()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else next(self._lines)
        self.taken.append(line)
        return line

    def forget(self) -> None:
        """Begin a row."""
        self.begin += len(self.taken)
        self.taken = []

    def give_back(self, is_allowed: bool) -> None:
        """Let the lines behind the first one be read as rows of their own."""
        if is_allowed:
            self._waiting.extendleft(reversed(self.taken[1:]))
            del self.taken[1:]


def _lines(text: Iterator[bytes]) -> Iterator[str]:
    rest, is_first = b"", True
    for block in text:
        pieces = block.split(b"\n")
        pieces[0] = rest + pieces[0]
        rest = pieces.pop()[:_MAX_LINE]
        for piece in pieces:
            line = piece[:_MAX_LINE].decode("utf-8", "replace") + "\n"
            yield line.lstrip("\ufeff") if is_first else line
            is_first = False
    if rest:
        line = rest.decode("utf-8", "replace")
        yield line.lstrip("\ufeff") if is_first else line
