r"""``step_trace_time.csv`` and ``cluster_step_trace_time.csv``: where the time of a step went.

torch_npu's profiler writes one row a step and device, msprof-analyze one a step and rank:

    Device_id,Step,Computing,Communication(Not Overlapped),…,Free,Stage,…        (times in µs)
    Step,Type,Index,Computing,Communication(Not Overlapped),…,Free,Stage,…

``Free`` is the time in which the device neither computed nor communicated: the host had
not given it anything to do.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping

from ascend_doctor.profile.kinds import has_columns, profile_of
from ascend_doctor.profile.model import MAX_STEPS, Measures, Step
from ascend_doctor.records import Evidence, Origin

# A step trace has a row a step; more than this is some other table.
MAX_BYTES = 64 << 20

is_step_trace = has_columns("Computing", "Communication(Not Overlapped)", "Free")

# What the csv module counts as the end of a line.
_LINE_END = re.compile(r"\r\n|\r|\n")


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return the steps of a table, at most ``MAX_STEPS``.

    Rows that cannot be read (cut off, not a number) are left out, and counted in a note.
    """
    data = bytearray()
    for block in text:
        data += block
        if len(data) > MAX_BYTES:
            break
    steps: list[Step] = []
    notes: list[str] = []
    rows = _Rows(path, bytes(data[:MAX_BYTES]).decode("utf-8-sig", "replace"))
    for step in rows:
        if len(steps) == MAX_STEPS:
            notes.append(f"only the first {MAX_STEPS} steps were read")
            break
        steps.append(step)
    if rows.unread:
        notes.append(f"{rows.unread} rows could not be read, first line {rows.first_unread}")
    if not steps:
        notes.append("no row of a step could be read")
    return Measures("step_trace", profile_of(path), steps=tuple(steps), notes=tuple(notes))


class _Rows:
    """The readable rows of a table."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._lines = _LINE_END.split(text)
        self.unread = 0
        self.first_unread = 0

    def __iter__(self) -> Iterator[Step]:
        reader = csv.DictReader(io.StringIO(self._text, newline=""))
        try:
            reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
            for row in reader:
                # A stage is the sum of rows that are there already.
                if row.get("Type", "rank") != "rank":
                    continue
                step = self._step(row, reader.line_num)
                if step is None:
                    self.unread += 1
                    self.first_unread = self.first_unread or reader.line_num
                else:
                    yield step
        except csv.Error:  # from here on it is no table
            self.unread += 1
            self.first_unread = self.first_unread or reader.line_num + 1

    def _step(self, row: Mapping[str, str | None], number: int) -> Step | None:
        computing, communication, free = (
            _number(row.get(name))
            for name in ("Computing", "Communication(Not Overlapped)", "Free")
        )
        # A row that is cut off lacks its last cells, and its last number may be half of one.
        if computing is None or communication is None or free is None or None in row.values():
            return None
        index = (row.get("Index") or "").strip()
        rank = int(index) if index.isdecimal() else None
        return Step(
            name=(row.get("Step") or "").strip(),
            proof=Evidence(
                self._path,
                number,
                self._lines[number - 1].strip(),
                (number, 0),
                origin=Origin(rank=rank),
            ),
            total_us=computing + communication + free,
            rank=rank,
            device=(row.get("Device_id") or "").strip() or None,
            computing_us=computing,
            communication_us=communication,
            overlapped_us=_number(row.get("Overlapped")),
            free_us=free,
            bubble_us=_number(row.get("Bubble")),
            preparing_us=_number(row.get("Preparing")),
        )


def _number(cell: str | None) -> float | None:
    """Return a finite number of a cell; the profiler puts a tab behind some."""
    try:
        value = float(cell or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
