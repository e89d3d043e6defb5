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
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

# A step trace has a row a step; more than this is some other table.
MAX_BYTES = 64 << 20

# An idle share that well-fed training never showed in the profiles that were read.
IDLE_SHARE = 0.30

# What the csv module counts as the end of a line.
_LINE_END = re.compile(r"\r\n|\r|\n")
_NEEDED = ("Computing", "Communication(Not Overlapped)", "Free")


@dataclass(frozen=True, slots=True)
class Idle:
    """The device, or rank, that waited most for its host."""

    name: str
    line: int
    text: str
    idle_ms: float
    step_ms: float

    @property
    def share(self) -> float:
        """Idle time as a part of step time."""
        return self.idle_ms / self.step_ms if self.step_ms else 0.0


def is_step_trace(head: bytes) -> bool:
    """Say whether a file begins with the header of a step trace."""
    header = head.split(b"\n", 1)[0].decode("utf-8", "replace").lstrip("\ufeff")
    cells = {cell.strip() for cell in header.split(",")}
    return cells.issuperset(_NEEDED)


def most_idle(text: str) -> Idle | None:
    """Return the device or rank whose idle share of all its steps is largest.

    Rows that cannot be read (cut off, not a number) are left out.
    """
    sums: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    worst: dict[str, tuple[float, int, str]] = {}
    lines = _LINE_END.split(text)
    for number, name, idle, total in _rows(text):
        before = sums[name]
        sums[name] = (before[0] + idle, before[1] + total)
        if name not in worst or idle > worst[name][0]:
            worst[name] = (idle, number, lines[number - 1])
    found = [
        Idle(name, worst[name][1], worst[name][2], idle / 1000, total / 1000)
        for name, (idle, total) in sorted(sums.items())
    ]
    return max(found, key=lambda item: item.share, default=None)


def _rows(text: str) -> Iterator[tuple[int, str, float, float]]:
    """Yield line, owner, idle and step time in µs of each readable row."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        for row in reader:
            # A stage is the sum of rows that are there already; a row cut off lacks cells.
            if row.get("Type", "rank") != "rank" or None in row.values():
                continue
            try:
                busy = sum(float(row[name]) for name in _NEEDED[:2])
                idle = float(row["Free"])
            except (KeyError, ValueError):
                continue
            if math.isfinite(busy) and math.isfinite(idle):
                owner = row.get("Index") or row.get("Device_id") or "?"
                yield reader.line_num, owner.strip(), idle, busy + idle
    except csv.Error:
        return  # from here on it is no table
