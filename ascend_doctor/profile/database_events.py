"""Tables of events in a profile's database → tallies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ascend_doctor.profile.calls import kind_of_kernel, kind_of_operator, outer_waits, type_of
from ascend_doctor.profile.database_parts import (
    STACK,
    Names,
    Steps,
    duration_of,
    moment,
    number,
    place,
)
from ascend_doctor.profile.model import MAX_TALLIES, Kind
from ascend_doctor.profile.sqlite import Database
from ascend_doctor.profile.statistics import sorted_out
from ascend_doctor.profile.tally import Event, Tallies

# Where the training thread is while it waits for its loader.
_FETCH = "enumerate(DataLoader)#"


class Events:
    """Reads the tables of events of one database.

    Attributes:
        devices: those that executed something.
    """

    def __init__(self, database: Database, names: Names, steps: Steps, tallies: Tallies) -> None:
        self._database, self._names, self._steps = database, names, steps
        self._tallies = tallies
        self.devices: set[str] = set()

    def read_kernels(self) -> None:
        """Read what the device computed."""
        table, info = "TASK", "COMPUTE_TASK_INFO"
        if not self._has(table, info, "globalTaskId"):
            return
        names = self._names
        names.load(info, "opType", "taskType", "opState")
        rows = self._database.select(
            table,
            ("startNs", "endNs", "deviceId"),
            inner=(
                info,
                "globalTaskId",
                ("name", "opType", "taskType", "opState", "inputShapes", "inputDataTypes"),
            ),
        )
        absent = names.absent()
        kinds: dict[tuple[object, object], tuple[Kind, str, str | None]] = {}
        for row, start, end, device, name, operator, core, state, shapes, dtypes in rows:
            kind, type_name, unit = kinds.get((operator, core)) or self._kind(kinds, operator, core)
            took = duration_of(start, end)
            if took is None:
                continue
            self._note_device(device)
            detail = {}
            if self._tallies.is_longest(kind, type_name, took):
                marks = zip(("operator", "shapes", "dtype"), (name, shapes, dtypes), strict=True)
                detail = {key: names.later(value) for key, value in marks}
            dynamic = names.of(state)
            self._add(
                (kind, type_name, took, table, row, start),
                core=unit,
                shapes=None if shapes in absent else shapes,
                dynamic=dynamic == "dynamic" if dynamic else None,
                detail=detail,
            )

    def _kind(
        self,
        kinds: dict[tuple[object, object], tuple[Kind, str, str | None]],
        operator: object,
        core: object,
    ) -> tuple[Kind, str, str | None]:
        """Return what operators of a type on a unit are, and note it."""
        unit, named = self._names.of(core), self._names.of(operator)
        found = kind_of_kernel(unit, named), type_of(named, "?"), unit or None
        if len(kinds) < MAX_TALLIES:
            kinds[operator, core] = found
        return found

    def read_collectives(self) -> None:
        """Read the collective operators."""
        table = "COMMUNICATION_OP"
        if not self._has(table):
            return
        self._names.load(table, "opType")
        rows = self._database.select(table, ("startNs", "endNs", "deviceId", "opName", "opType"))
        for row, start, end, device, name, operator in rows:
            took = duration_of(start, end)
            if took is not None:
                self._note_device(device)
                kind = type_of(self._names.of(operator), "collective")
                detail = {"operator": self._names.later(name)}
                self._add(("collective", kind, took, table, row, start), detail=detail)

    def read_copies(self) -> None:
        """Read copies of memory."""
        table, info = "TASK", "MEMCPY_INFO"
        if not self._has(table, info, "globalTaskId"):
            return
        directions = self._names.enumeration("ENUM_MEMCPY_OPERATION")
        rows = self._database.select(
            table, ("startNs", "endNs"), inner=(info, "globalTaskId", ("memcpyOperation",))
        )
        for row, start, end, direction in rows:
            if (took := duration_of(start, end)) is not None:
                name = directions.get(direction, "memcpy")
                self._add(("transfer", name, took, table, row, start))

    def read_garbage(self) -> None:
        """Read how long Python collected garbage."""
        table = "GC_RECORD"
        if self._has(table):
            for row, start, end in self._database.select(table, ("startNs", "endNs")):
                if (took := duration_of(start, end)) is not None:
                    self._add(("gc", "gc", took, table, row, start))

    def read_calls(self) -> None:
        """Read calls of CANN: most are summed up, those that wait or compile told step by step."""
        table = "CANN_API"
        if not self._has(table):
            return
        waits: dict[object, Event] = {}
        sums = list(self._sums(table))
        named = sorted_out([event for _, event in sums])
        for (value, _), event in zip(sums, named, strict=True):
            if event.kind == "api":
                self._tallies.add(event)
            else:
                waits[value] = event
        self._read_each(table, waits)

    def read_operators(self) -> dict[str, float] | None:
        """Read the operators that wait, and what the training thread fetched.

        Returns:
            the time in which it fetched, by step; None if that was not recorded.
        """
        table = "PYTORCH_API"
        if not self._has(table):
            return None
        sums = list(self._sums(table))
        outer = outer_waits({event.name for _, event in sums})
        told: dict[object, Event] = {}
        for value, event in sums:
            kind: Kind = "fetch" if event.name.startswith(_FETCH) else kind_of_operator(event.name)
            if kind == "host" or event.name in outer:
                continue
            name = event.name.removeprefix(_FETCH) if kind == "fetch" else event.name
            told[value] = replace(event, kind=kind, name=name)
        fetched: dict[str, float] = defaultdict(float)
        for event in self._read_each(table, told):
            if event.kind == "fetch" and event.step is not None:
                fetched[event.step] += event.duration_us
        is_known = any(event.kind == "fetch" for event in told.values())
        return fetched if is_known else None

    def _has(self, table: str, inner: str | None = None, key: str = "name") -> bool:
        times = ("startNs", "endNs")
        if inner is None:
            return self._database.has(table, *times)
        return self._database.has(table, key, *times) and self._database.has(inner, key)

    def _add(self, told: tuple[Kind, str, float, str, object, object], **more: Any) -> Event:
        """Count an event: its kind, name, duration, table, row and begin, and what is beside."""
        kind, name, took, table, row, start = told
        began = moment(start)
        begin = None if began is None else began / 1000
        event = Event(kind, name, took, place(table, row), begin, self._steps.at(begin), **more)
        self._tallies.add(event)
        return event

    def _sums(self, table: str) -> Iterator[tuple[object, Event]]:
        """Yield a sum of all rows of each name, with what stands for the name."""
        if not self._database.has(table, "name"):
            return
        self._names.load(table, "name")
        for row, value, count, total, longest, start in self._database.sums(
            table, "name", "startNs", "endNs"
        ):
            name, took, most = self._names.of(value), number(total), number(longest)
            if not name or took is None or most is None:
                continue
            began = number(start)
            yield (
                value,
                Event(
                    "api",
                    name,
                    took / 1000,
                    place(table, row),
                    None if began is None else began / 1000,
                    count=int(count),
                    longest_us=most / 1000,
                ),
            )

    def _read_each(self, table: str, told: Mapping[object, Event]) -> list[Event]:
        """Count each row of some names, and return them summed up by step.

        Args:
            table: has them.
            told: what rows of a name are about, by what stands for the name.
        """
        by_step: dict[tuple[Kind, str | None], Event] = {}
        if not told:
            return []
        rows = self._database.select(
            table,
            ("startNs", "endNs", "name", "callchainId"),
            where=("name", tuple(told)),
        )
        for row, start, end, value, chain in rows:
            about, took = told[value], duration_of(start, end)
            if took is None:
                continue
            detail = {"stack": f"{STACK}{chain}"} if isinstance(chain, int) else {}
            event = self._add((about.kind, about.name, took, table, row, start), detail=detail)
            known = by_step.get((event.kind, event.step))
            total = took + (known.duration_us if known else 0.0)
            by_step[event.kind, event.step] = replace(event, duration_us=total)
        return list(by_step.values())

    def _note_device(self, device: object) -> None:
        if isinstance(device, (int, str)) and len(self.devices) < 2:
            self.devices.add(str(device))
