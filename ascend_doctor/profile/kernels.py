"""``kernel_details.csv`` and ``op_summary_*.csv``: each operator that a device executed.

The columns depend on the level of the profiler and on the version of CANN. The first is
torch_npu's, the second msprof's:

    Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),…
    Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,…,Task Duration(us),…
"""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.profile.calls import kind_of_kernel, type_of
from ascend_doctor.profile.kinds import device_of, profile_of, rank_of
from ascend_doctor.profile.model import MAX_TALLIES, Kind, Measures
from ascend_doctor.profile.table import Table
from ascend_doctor.profile.tally import Event, Tallies


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long operators ran, by their type.

    Rows without a duration are left out and counted: those that were cut off, and those of which
    the profiler says that it lost count.
    """
    table, tallies = Table(path, text), Tallies()
    columns = table.columns
    name, kind = columns.text("Name", "Op Name"), columns.text("Type", "OP Type")
    core, state = columns.text("Accelerator Core", "Task Type"), columns.text("OP State")
    begin = columns.moment("Start Time(us)", "Task Start Time(us)")
    duration = columns.time("Duration(us)", "Task Duration(us)")
    wait = columns.time("Wait Time(us)", "Task Wait Time(us)")
    step, device = columns.text("Step Id"), columns.text("Device_id")
    shapes, dtype = columns.text("Input Shapes"), columns.text("Input Data Types")
    task = columns.text("Task ID")
    devices: set[str] = set()
    # Most rows are of a few types.
    kinds: dict[tuple[str, str], tuple[Kind, str]] = {}
    for cells in table:
        took = duration.of(cells)
        if took is None or took < 0:
            table.skip()
            continue
        unit, named, operator = core.of(cells), name.of(cells), kind.of(cells)
        known = kinds.get((unit, operator)) if operator else None
        if known is None:
            known = kind_of_kernel(unit, operator, named), type_of(operator, named)
            if len(kinds) < MAX_TALLIES:
                kinds[unit, operator] = known
        if len(devices) < 2:
            devices.add(device.of(cells))
        dynamic, shape = state.of(cells), shapes.of(cells)
        detail = {}
        if tallies.is_longest(*known, took):
            detail = {
                "operator": named,
                "shapes": shape.strip('"'),
                "dtype": dtype.of(cells),
                "task": task.of(cells),
            }
        tallies.add(
            Event(
                *known,
                took,
                table.place,
                begin.of(cells),
                step.of(cells) or None,
                wait_us=wait.of(cells),
                core=unit or None,
                shapes=shape or None,
                dynamic=dynamic == "dynamic" if dynamic else None,
                detail=detail,
            )
        )
    return Measures(
        "kernel_details" if columns.text("Accelerator Core") else "op_summary",
        profile_of(path),
        rank=rank_of(path),
        device=device_of(path, devices),
        tallies=tallies.tallies(table.proof),
        notes=table.notes(),
    )
