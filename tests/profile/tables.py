"""Tables of a profile for tests: own values, in the columns that profilers write."""

from __future__ import annotations

from collections.abc import Iterable

from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.readers import reader_of


def read(text: str | bytes, path: str = "t.csv", size: int = 7) -> Measures:
    """Return what a file says, read in blocks of a few bytes by the reader that knows it."""
    raw = text.encode() if isinstance(text, str) else text
    reader = reader_of(raw)
    assert reader is not None
    return reader.read(path, (raw[at : at + size] for at in range(0, len(raw), size)))


def lines(*rows: Iterable[str] | str, end: str = "\r\n") -> str:
    """Return a table of these lines, as torch_npu ends them."""
    return end.join([*map(str, rows), ""])


KERNELS = (
    "Step Id,Device_id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
    "Wait Time(us),Block Num,Input Shapes,Input Data Types"
)
OPERATORS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us)"
)
OP_STATISTIC = (
    "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
    "Ratio(%)"
)
API_STATISTIC = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
MEMORY = (
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
    "Device Type"
)
OPERATOR_MEMORY = (
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
    "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
    "Release Total Active(MB),Stream Ptr,Device Type"
)
ITERATIONS = (
    "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
    "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID,"
    "Reduce Start(us),Reduce Duration(us),Reduce Start(us),Reduce Duration(us)"
)
PREPROCESS = (
    "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),"
    "Dispatch_time(us),Total_time(us),Stream ID,Task ID"
)
STEPS = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free"
