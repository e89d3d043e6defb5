"""Writes the files of a profile, true to what torch_npu, msprof and torch.profiler write."""

from __future__ import annotations

import json

STEP_TRACE = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,"
    "Bubble,Communication(Not Overlapped and Exclude Receive),Preparing"
)
CLUSTER = STEP_TRACE.replace("Device_id,Step", "Step,Type,Index")
KERNELS = (
    "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
    "Block Num,Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    "Output Data Types,Output Formats"
)
OPERATORS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"
    "Device Total Duration With AICore(us)"
)
STATISTIC = (
    "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
    "Ratio(%)"
)
CALLS = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
MEMORY = (
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
    "Device Type"
)
PREPROCESS = (
    "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),Dispatch_time(us),"
    "Total_time(us),Stream ID,Task ID"
)

# Where clocks of hosts stand.
BEGIN = 1_700_000_000_000_000


def table(header, *rows):
    """Return a table with CRLF, as the profiler writes it."""
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    return "\r\n".join(lines) + "\r\n"


def step(name, *, computing, free, communication=0, overlapped=0, bubble=0, preparing=10, device=0):
    """Return a row of step_trace_time.csv; times in ms."""
    times = [computing, communication, overlapped, communication + overlapped, free]
    stage = computing + communication + free
    rest = [stage, bubble, communication - bubble, preparing]
    return [device, name, *(f"{1000.0 * value}" for value in times + rest)]


def steps(*rows):
    """Return step_trace_time.csv."""
    return table(STEP_TRACE, *rows)


def cluster(*rows):
    """Return cluster_step_trace_time.csv of rows of step_trace_time.csv, whose device is a rank."""
    return table(CLUSTER, *([name, "rank", rank, *rest] for rank, name, *rest in rows))


def kernel(name, core, duration, *, step=10, shapes="8,512", dtype="DT_BF16", at=0.0):
    """Return a row of kernel_details.csv; times in µs."""
    kind = name.rpartition("_")[2]
    quoted = '"""' + shapes + '"""'
    return [
        *(step, 0, name, kind, core, f"{BEGIN + at:.3f}\t", duration, 1.5, 24, 0),
        *(quoted, dtype, "ND", quoted, dtype, "ND"),
    ]


def samples(*values):
    """Return memory_record.csv of pairs of active and reserved memory in MB."""
    rows = (
        ["PTA", f"{BEGIN + 100_000 * number:.3f}\t", active, reserved, active, 1, "NPU:0"]
        for number, (active, reserved) in enumerate(values)
    )
    return table(MEMORY, *rows)


def info(rank):
    """Return profiler_info_N.json."""
    settings = {"common_config": {"with_stack": False}, "experimental_config": {}}
    return json.dumps({"config": settings, "rank_id": rank, "torch_npu_version": "2.6.0"})


class Trace:
    """A trace of a host, one event behind the other; times in ms."""

    def __init__(self):
        self._at = 0.0
        self._events = []

    def step(self, number, length, *parts):
        """Add a step; of its parts, each is a name and how long it took, one behind the other."""
        self.add(f"ProfilerStep#{number}", length, category="user_annotation")
        at = self._at + 0.1
        for name, duration, *more in parts:
            self.add(name, duration, at=at, **(more[0] if more else {}))
            at += duration + 0.05
        self._at += length
        return self

    def add(self, name, duration, *, at=None, category="cpu_op", **arguments):
        """Add an event that does not move the clock."""
        begin = BEGIN + 1000.0 * (self._at if at is None else at)
        self._events.append(
            {
                **{"ph": "X", "cat": category, "name": name, "pid": 7, "tid": 7},
                **{"ts": f"{begin:.3f}", "dur": round(1000.0 * duration, 3), "args": arguments},
            }
        )

    def text(self):
        """Return the file."""
        return "[" + ",\n".join(json.dumps(event) for event in self._events) + "]"


def fetch(duration, *, workers=False):
    """Return the part of a step in which a batch is fetched."""
    kind = "MultiProcessing" if workers else "SingleProcess"
    name = f"enumerate(DataLoader)#_{kind}DataLoaderIter.__next__"
    return name, duration, {"category": "user_annotation"}
