"""Tables of samples and sums in a profile's database: memory, steps, waits of collectives."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.profile.calls import type_of
from ascend_doctor.profile.columns import MAX_DURATION, RANK_DIGITS, whole
from ascend_doctor.profile.communication import TOTAL
from ascend_doctor.profile.curve import Curves
from ascend_doctor.profile.database_parts import Names, Proof, number, place, shown
from ascend_doctor.profile.model import MAX_STEPS, Sample, Step
from ascend_doctor.profile.sqlite import Database
from ascend_doctor.profile.tally import Event, Tallies

_MEBIBYTE = 1 << 20
# Tables of steps: of one profile, and of the summary of several.
STEP_TABLES = ("StepTraceTime", "ClusterStepTraceTime", "ClusterStepTraceTimeMap")
# Tables of collective operators, in ms.
WAIT_TABLES = ("CommAnalyzerTime",)
_STEP_COLUMNS = (
    *("computing", "communication_not_overlapped", "free"),
    *("overlapped", "bubble", "preparing"),
)


def read_memory(database: Database, names: Names, curves: Curves) -> None:
    """Read the memory of the allocators, of the driver's modules, and of process and device."""
    table = "MEMORY_RECORD"
    if database.has(table, "component", "timestamp", "totalReserved"):
        names.load(table, "component")
        columns = ["component", "timestamp", "totalReserved", "totalAllocated", "totalActive"]
        for row, component, *said, device in database.select(table, [*columns, "deviceId"]):
            _note(curves, table, row, names.of(component), device, said)
    table = "NPU_MODULE_MEM"
    if database.has(table, "moduleId", "timestampNs", "totalReserved"):
        modules = names.enumeration("ENUM_MODULE")
        columns = ["moduleId", "timestampNs", "totalReserved"]
        for row, module, *said, device in database.select(table, [*columns, "deviceId"]):
            _note(curves, table, row, modules.get(module, str(module)), device, said)
    table = "NPU_MEM"
    if database.has(table, "type", "timestampNs", "hbm"):
        names.load(table, "type")
        columns = ["type", "timestampNs", "hbm", "ddr", "deviceId"]
        for row, kind, at, hbm, ddr, device in database.select(table, columns):
            # Chips with HBM have no DDR.
            most = number(hbm) or number(ddr)
            _note(curves, table, row, names.of(kind).upper(), device, [at, most])


def _note(
    curves: Curves, table: str, row: object, component: str, device: object, said: list[object]
) -> None:
    at, *sizes = map(number, said)
    if at is None or not sizes or sizes[0] is None or sizes[0] < 0:
        return
    mebibytes = [None if size is None else size / _MEBIBYTE for size in sizes]
    where = f"NPU:{device}" if device is not None else ""
    curves.add(component, where, Sample(at / 1000, *mebibytes), place(table, row))


def read_waits(database: Database, tallies: Tallies) -> None:
    """Read how long collective operators took, and waited for their peers."""
    for table in WAIT_TABLES:
        if not database.has(table, "hccl_op_name", "elapse_time"):
            continue
        columns = ("hccl_op_name", "elapse_time", "wait_time", "start_timestamp", "step")
        for row, name, elapsed, waited, start, step in database.select(table, columns):
            took, wait = number(elapsed), number(waited)
            if (
                took is None
                or not 0 <= took * 1e3 < MAX_DURATION
                or not isinstance(name, str)
                or name == TOTAL
            ):
                continue
            kind = type_of("", name)
            tallies.add(
                Event(
                    "collective",
                    kind,
                    took * 1e3,
                    place(table, row),
                    number(start),
                    _step_name(step) or None,
                    wait_us=None if wait is None else wait * 1e3,
                    detail={"operator": name},
                )
            )


def step_traces(database: Database, proof: Proof) -> Iterator[Step]:
    """Yield where the time of each step went, of ranks if the table is a summary of several."""
    for table in STEP_TABLES:
        if not database.has(table, "step", *_STEP_COLUMNS[:3]):
            continue
        columns = ("step", "deviceId", "type", "index", *_STEP_COLUMNS)
        for row, step, device, kind, index, *said in database.select(
            table, columns, limit=MAX_STEPS
        ):
            times = [number(value) for value in said]
            known = [time for time in times[:3] if time is not None and 0 <= time < MAX_DURATION]
            # A stage is the sum of rows that are there already.
            if len(known) < 3 or kind not in (None, "rank"):
                continue
            computing, communication, free = known
            overlapped, bubble, preparing = times[3:]
            told = f"computing {computing}, communication {communication}, free {free}"
            yield Step(
                name=_step_name(step),
                proof=shown(proof(place(table, row)), f"step {_step_name(step)}, {told}"),
                total_us=sum(known),
                rank=whole(str(index), RANK_DIGITS),
                device=None if device is None else str(device),
                computing_us=computing,
                communication_us=communication,
                overlapped_us=overlapped,
                free_us=free,
                bubble_us=bubble,
                preparing_us=preparing if preparing is None or preparing >= 0 else None,
            )


def _step_name(step: object) -> str:
    return "" if step is None else str(step).removeprefix("step")[:64]
