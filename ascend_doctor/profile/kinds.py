"""Which file of a profile this is: by its content, with its name as a hint at most."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

# Folders between a file and the folder of its profile.
_INNER = re.compile(
    r"ASCEND_PROFILER_OUTPUT|mindstudio_profiler_output|PROF_[^/]*|device_\d+|host|FRAMEWORK"
)


def profile_of(path: str) -> str:
    """Return the folder of the profile that a file belongs to, or the file's own path.

    >>> profile_of("run/w1_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv")
    'run/w1_ascend_pt'
    >>> profile_of("run/step_trace_time.csv")
    'run'
    >>> profile_of("p.tar.gz!w1_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv")
    'p.tar.gz!w1_ascend_pt'
    >>> profile_of("step_trace_time.csv")
    'step_trace_time.csv'
    """
    archive, mark, inner = path.rpartition("!")
    folder = PurePosixPath(inner).parent
    while folder.name and _INNER.fullmatch(folder.name):
        folder = folder.parent
    name = "" if str(folder) == "." else str(folder)
    return f"{archive}{mark}{name}" if name else (archive or path)


def header_of(head: bytes) -> tuple[str, ...]:
    """Return the columns that a table begins with, as they are spelt but without blanks."""
    line = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    return tuple(cell.strip().strip('"').strip() for cell in line.split(","))


def has_columns(*columns: str) -> Callable[[bytes], bool]:
    """Return a test for tables that have all of these columns."""
    wanted = frozenset(columns)
    return lambda head: wanted.issubset(header_of(head))
