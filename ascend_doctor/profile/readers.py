"""Every format of a profile: who knows it, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

from msgspec import Struct

from ascend_doctor.profile import heads
from ascend_doctor.profile.kinds import has_columns
from ascend_doctor.profile.trace.head import is_trace

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Measures

Read: TypeAlias = "Callable[[str, Iterator[bytes]], Measures]"


class Reader(Struct, frozen=True):
    """How one format is read.

    Attributes:
        format: what ``Measures.format`` says.
        knows: says whether a file is of the format, by the begin of its text.
        read: takes the shown path and the text in blocks, and returns what the file says. It never
            fails for what is in the file: what it could not read is in ``notes`` or ``broken``.
    """

    format: str
    knows: Callable[[bytes], bool]
    read: Read


def _by(module: str, function: str = "read") -> Read:
    """Return a reader whose module is loaded when there is something for it to read."""

    def read(path: str, text: Iterator[bytes]) -> Measures:
        loaded = import_module(f"ascend_doctor.profile.{module}")
        return cast(Read, getattr(loaded, function))(path, text)

    return read


# Tables of msprof that belong to a profile and say nothing that is judged, by columns of theirs.
_SILENT = (
    ("kernel_name", "kernel_type", "stream_id", "task_id", "task_time"),
    ("Stream Id", "Task Id", "Hit Rate", "Victim Rate"),
    ("Stream Id", "Task Id", "TLB Miss Rate", "TLB Hit Rate"),
    ("Timestamp", "Bandwidth(MB/s)", "rxPacket/s", "txPacket/s"),
    ("Device_id", "Mode", "Max", "Min", "Average"),
    ("Device_id", "Mode", "Min", "Max", "Avg"),
    ("Device_id", "Metric", "Read(MB/s)", "Write(MB/s)"),
    ("Device_id", "Mode", "Task", "Hit Rate(%)", "Throughput(MB/s)"),
    ("Device_id", "Cpu Type", "User(%)", "Sys(%)", "Idle(%)"),
    ("Device_id", "PID", "Name", "CPU(%)"),
    ("Device_id", "PID", "Name", "Size(pages)", "Resident(pages)"),
    ("Device_id", "Memory Total(kB)", "Memory Free(kB)"),
    ("Device_id", "Total Cpu Numbers", "Occupied Cpu Numbers"),
    ("Device_id", "Total Memory", "Peak Used Memory"),
    ("Device_id", "Peak Disk Read(KB/s)", "Peak Disk Write(KB/s)"),
    ("Device_id", "Netcard Speed(KB/s)", "Peak Used Speed(KB/s)"),
    ("Device_id", "Process ID", "Thread ID", "Name", "Count", "Time(%)"),
    ("Device_id", "Timestamp", "Action", "Source", "Cached Buffer Size"),
    ("Device_id", "Node Name", "Start Time", "End Time", "Queue Size"),
    ("Device_id", "Fusion Op", "Original Ops"),
    ("Device_id", "Op Name", "Graph ID", "Node Index Start", "Node Index End"),
    ("Device_id", "Dvpp Id", "Engine Type", "Engine ID"),
    ("Device_id", "Function", "Cycles", "Cycles(%)"),
    ("Device_id", "Event", "Name", "Count"),
    ("pid", "tid", "event_type", "payload_type", "message_type"),
)

READERS = (
    Reader(
        "step_trace",
        has_columns("Computing", "Communication(Not Overlapped)", "Free"),
        _by("step_trace"),
    ),
    Reader(
        "step_trace",
        has_columns("Iteration ID", "Iteration End", "Iteration Time"),
        _by("step_trace", "read_iterations"),
    ),
    Reader(
        "kernel_details",
        has_columns("Name", "Type", "Accelerator Core", "Start Time", "Duration"),
        _by("kernels"),
    ),
    Reader("op_summary", has_columns("Op Name", "OP Type", "Task Duration"), _by("kernels")),
    Reader(
        "operators",
        has_columns("Name", "Host Self Duration", "Host Total Duration"),
        _by("operators"),
    ),
    Reader(
        "op_statistic",
        has_columns("OP Type", "Core Type", "Count", "Total Time"),
        _by("statistics", "read_operators"),
    ),
    Reader(
        "api_statistic",
        has_columns("API Name", "Time", "Count", "Avg"),
        _by("statistics", "read_calls"),
    ),
    Reader(
        "memory",
        has_columns("Component", "Timestamp", "Total Reserved"),
        _by("memory", "read_records"),
    ),
    Reader(
        "memory",
        has_columns("event", "ddr", "hbm", "memory", "timestamp"),
        _by("memory", "read_records"),
    ),
    Reader(
        "operator_memory",
        has_columns("Name", "Size", "Allocation Time", "Allocation Total Reserved"),
        _by("memory", "read_operators"),
    ),
    Reader(
        "data_preprocess",
        has_columns("Node", "Compute_time", "Memcpy_time", "Total_time"),
        _by("preprocess"),
    ),
    Reader("profiler_info", heads.is_info, _by("about", "read_info")),
    Reader("profiler_metadata", heads.is_metadata, _by("about", "read_metadata")),
    Reader("communication", heads.is_communication, _by("communication")),
    Reader("cluster", heads.is_cluster, _by("silent")),
    Reader(
        "communication_statistic",
        has_columns("OP Type", "Count", "Total Time", "Ratio(%)"),
        _by("statistics", "read_operators"),
    ),
    *(Reader("silent", has_columns(*columns), _by("silent")) for columns in _SILENT),
    Reader("trace", is_trace, _by("trace.read")),
)


def reader_of(head: bytes) -> Reader | None:
    """Return the reader of a file that begins with ``head``, None if no one knows it."""
    return next((reader for reader in READERS if reader.knows(head)), None)
