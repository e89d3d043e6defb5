"""Which file of a profile this is, and whose: by its content, its folders and its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePosixPath

# A folder that one process wrote: everything in it belongs together.
from ascend_doctor import late

_OWN = late.pattern(r".*_ascend_(?:pt|ms)|PROF_[^/]*")
# Folders between a file and the folder of its profile.
_INNER = late.pattern(
    r"ASCEND_PROFILER_OUTPUT|mindstudio_profiler_output|device_\d+|host|FRAMEWORK|sqlite|summary|data"
)
_RANK = late.pattern(r"(?:^|[/!_.-])rank[-_]?(\d{1,6})(?=$|[/!_.-])")
# Older versions of msprof write a folder for each device.
_DEVICE = late.pattern(r"(?:^|[/!])device_(\d{1,4})/")
# profiler_info_3.json, ascend_pytorch_profiler_3.db
_NUMBERED = late.pattern(r"(?:profiler_info|ascend_(?:pytorch|mindspore)_profiler)_(\d{1,6})\.\w+")
# A column and the unit that it is in.
UNIT = late.pattern(r"(?P<name>.+?)\s*\((?P<unit>[nuμµm]?s|[KMG]?B)\)")
# Bytes in which the first row of a table is looked for.
_FIRST_ROW = 16 << 10


def profile_of(path: str) -> str:
    """Return the folder of the profile that a file belongs to, or the file's own path.

    >>> profile_of("run/w1_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv")
    'run/w1_ascend_pt'
    >>> profile_of("run/w1_ascend_pt/PROF_1_A/mindstudio_profiler_output/op_summary_1.csv")
    'run/w1_ascend_pt'
    >>> profile_of("run/PROF_1_A/mindstudio_profiler_output/op_summary_1.csv")
    'run/PROF_1_A'
    >>> profile_of("run/step_trace_time.csv")
    'run'
    >>> profile_of("p.tar.gz!w1_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv")
    'p.tar.gz!w1_ascend_pt'
    >>> profile_of("step_trace_time.csv")
    'step_trace_time.csv'
    """
    archive, mark, inner = path.rpartition("!")
    folder = PurePosixPath(inner).parent
    own = [parent for parent in (folder, *folder.parents) if _OWN.fullmatch(parent.name)]
    if own:
        # A profile of torch_npu has those of CANN in it.
        folder = own[-1]
    while not own and folder.name and _INNER.fullmatch(folder.name):
        folder = folder.parent
    name = "" if str(folder) == "." else str(folder)
    return f"{archive}{mark}{name}" if name else (archive or path)


def rank_of(path: str) -> int | None:
    """Return the rank that a path names.

    >>> rank_of("run/rank_3/PROF_1/step_trace.csv"), rank_of("w_ascend_pt/profiler_info_12.json")
    (3, 12)
    >>> rank_of("run/step_trace_time.csv") is None
    True
    """
    found = _NUMBERED.fullmatch(PurePosixPath(path.rpartition("!")[2]).name) or _RANK.search(path)
    return int(found[1]) if found else None


def device_of(path: str, said: set[str]) -> str | None:
    """Return the device that all rows of a file name, else the one of its folder.

    >>> device_of("PROF_1/device_2/summary/op_summary_2_1.csv", set())
    '2'
    >>> device_of("op_summary.csv", {"0"}), device_of("op_summary.csv", {"0", "1"})
    ('0', None)
    """
    if said - {""}:
        return next(iter(said)) if len(said) == 1 else None
    found = _DEVICE.search(path)
    return found[1] if found else None


def bare(name: str) -> str:
    """Return the name of a column without its unit, as it is compared.

    >>> bare("Task Duration(us)"), bare("Device_id"), bare("Communication(Not Overlapped)")
    ('task duration', 'device id', 'communication(not overlapped)')
    """
    found = UNIT.fullmatch(name)
    return (found["name"] if found else name).lower().replace("_", " ")


def header_of(head: bytes) -> tuple[str, ...]:
    """Return the columns that a table begins with, as they are spelt but without blanks."""
    line = head[:_FIRST_ROW].lstrip(b"\xef\xbb\xbf\r\n ").split(b"\n", 1)[0]
    if b"," not in line:
        return ()
    cells = line.decode("utf-8", "replace").split(",")
    return tuple(cell.strip().strip('"').strip() for cell in cells)


@lru_cache(maxsize=1)
def _bare_header(head: bytes) -> frozenset[str]:
    return frozenset(map(bare, header_of(head)))


def has_columns(*columns: str) -> Callable[[bytes], bool]:
    """Return a test for tables that have all of these columns, whatever their case and unit."""
    wanted = frozenset(map(bare, columns))
    return lambda head: wanted <= _bare_header(head)
