"""``op_statistic.csv``, ``communication_statistic.csv`` and ``api_statistic.csv``: sums by type.

Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ascend_doctor.profile.calls import (
    is_compile_itself,
    is_inner_wait,
    kind_of_call,
    kind_of_kernel,
    type_of,
)
from ascend_doctor.profile.columns import Cells, Number
from ascend_doctor.profile.kinds import device_of, profile_of, rank_of
from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.table import Table
from ascend_doctor.profile.tally import Event, Tallies

# Rows that are kept to see what calls what; a library has some hundred functions.
_MAX_CALLS = 8192


def read_operators(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long operators of each type ran on the device."""
    table, tallies = Table(path, text), Tallies()
    columns = table.columns
    operator, core = columns.text("OP Type"), columns.text("Core Type")
    device = columns.text("Device_id")
    sums = _Sums(table, columns.time("Total Time(us)"), columns.time("Max Time(us)"))
    devices: set[str] = set()
    for cells in table:
        named, unit = operator.of(cells), core.of(cells)
        devices.add(device.of(cells))
        event = sums.event(cells, type_of(named, ""))
        if event is not None:
            tallies.add(replace(event, kind=kind_of_kernel(unit, named), core=unit or None))
    return Measures(
        "op_statistic" if core else "communication_statistic",
        profile_of(path),
        rank=rank_of(path),
        device=device_of(path, devices),
        tallies=tallies.tallies(table.proof),
        notes=table.notes(),
    )


def read_calls(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long calls of CANN took, by function."""
    table, tallies = Table(path, text), Tallies()
    name = table.columns.text("API Name")
    sums = _Sums(table, table.columns.time("Time(us)"), table.columns.time("Max(us)"))
    calls: list[Event] = []
    for cells in table:
        event = sums.event(cells, name.of(cells))
        if event is not None and len(calls) < _MAX_CALLS:
            calls.append(event)
    for call in sorted_out(calls):
        tallies.add(call)
    return Measures(
        "api_statistic",
        profile_of(path),
        rank=rank_of(path),
        tallies=tallies.tallies(table.proof),
        notes=table.notes(),
    )


def sorted_out(calls: list[Event]) -> Iterator[Event]:
    """Yield calls with what they are about, so that the time of one within another counts once.

    The runtime's own waits count only where those of AscendCL are not listed, and
    ``aclopCompileAndExecute`` only where no compiling is listed by itself.
    """
    has_waits = any(kind_of_call(call.name) == "sync" for call in calls)
    has_compiles = any(is_compile_itself(call.name) for call in calls)
    for call in calls:
        kind = kind_of_call(call.name)
        if not has_waits and is_inner_wait(call.name):
            kind = "sync"
        elif has_compiles and kind == "compile" and not is_compile_itself(call.name):
            kind = "api"
        yield replace(call, kind=kind)


class _Sums:
    """Rows that sum up calls: how many, how long in all, and the longest."""

    def __init__(self, table: Table, total: Number, longest: Number) -> None:
        self._table, self._total, self._longest = table, total, longest
        self._count = table.columns.count("Count")

    def event(self, cells: Cells, name: str) -> Event | None:
        """Return a row as an event, None if it has no name or no numbers."""
        total, count = self._total.of(cells), self._count.of(cells)
        if not name or total is None or total < 0 or count is None or not 0 <= count < 1e15:
            self._table.skip()
            return None
        longest = self._longest.of(cells)
        # What is not said is no more than all of it, and no less than the average.
        longest = total / max(1.0, count) if longest is None or longest < 0 else longest
        return Event("api", name, total, self._table.place, count=int(count), longest_us=longest)
