"""Tables of device memory over time: of the allocator, of the process, and of each module.

memory_record.csv     Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),…
operator_memory.csv   Name,Size(KB),Allocation Time(us),…,Allocation Total Reserved(MB),…
npu_module_mem.csv    Device_id,Component,Timestamp(us),Total Reserved(MB),Device
npu_mem_*.csv         Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)
"""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.profile.columns import Number
from ascend_doctor.profile.curve import Curves
from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import Measures, Sample
from ascend_doctor.profile.table import Table


def read_records(path: str, text: Iterator[bytes]) -> Measures:
    """Return the memory of each component, as the framework or the driver recorded it."""
    table, curves = Table(path, text), Curves()
    columns = table.columns
    component = columns.text("Component", "event")
    device = columns.text("Device Type", "Device", "Device_id")
    time = columns.moment("Timestamp(us)")
    reserved = columns.size("Total Reserved(MB)", "memory(KB)")
    allocated, active = columns.size("Total Allocated(MB)"), columns.size("Total Active(MB)")
    for cells in table:
        at, most = time.of(cells), reserved.of(cells)
        if at is None or most is None:
            table.skip()
            continue
        # Of what was given back and never asked for while it was recorded, it is below zero.
        if most < 0:
            continue
        sample = Sample(at, most, allocated.of(cells), active.of(cells))
        curves.add(component.of(cells), device.of(cells), sample, table.place)
    return _measures("memory", path, table, curves)


def read_operators(path: str, text: Iterator[bytes]) -> Measures:
    """Return the memory of the allocator, as it was when operators asked it for some."""
    table, curves = Table(path, text), Curves()
    columns = table.columns
    device = columns.text("Device Type", "Device")
    # msprof lists what the graph engine holds, torch_npu what its allocator does.
    component = "PTA" if columns.text("Stream Ptr") else "GE"
    moments: list[tuple[Number, Number, Number, Number]] = [
        (
            columns.moment(f"{moment} Time(us)"),
            columns.size(f"{moment} Total Reserved(MB)"),
            columns.size(f"{moment} Total Allocated(MB)"),
            columns.size(f"{moment} Total Active(MB)"),
        )
        for moment in ("Allocation", "Release")
    ]
    for cells in table:
        is_read = False
        for time, reserved, allocated, active in moments:
            at, most = time.of(cells), reserved.of(cells)
            # What is released behind the end of the profile has no time.
            if at is None or most is None or most < 0:
                continue
            is_read = True
            sample = Sample(at, most, allocated.of(cells), active.of(cells))
            curves.add(component, device.of(cells), sample, table.place)
        if not is_read:
            table.skip()
    return _measures("operator_memory", path, table, curves)


def _measures(format: str, path: str, table: Table, curves: Curves) -> Measures:
    return Measures(
        format,
        profile_of(path),
        rank=rank_of(path),
        memory=curves.memory(table.proof),
        notes=(*table.notes(), *curves.notes()),
    )
