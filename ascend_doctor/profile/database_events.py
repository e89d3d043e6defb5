"""Tables of events in a profile's database → tallies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ascend_doctor.profile.calls import kind_of_kernel, kind_of_operator, type_of
from ascend_doctor.profile.database_parts import STACK, Names, Steps, moment, number, place
from ascend_doctor.profile.model import Kind
from ascend_doctor.profile.sqlite import Database
from ascend_doctor.profile.statistics import sorted_out
from ascend_doctor.profile.tally import Event, Tallies

# Where the training thread is while it waits for its loader.
_FETCH = "enumerate(DataLoader)#"
# This one is within the others, and it is the one that waits.
_INNER_FETCH = "aten::_local_scalar_dense"
_OUTER_FETCHES = ("aten::item", "aten::is_nonzero")


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
        for row, start, end, device, name, operator, core, state, shapes, dtypes in rows:
            unit, kind = names.of(core), names.of(operator)
            dynamic = names.of(state)
            event = self._timed(
                kind_of_kernel(unit, kind), type_of(kind, "?"), table, row, start, end
            )
            if event is None:
                continue
            self._note_device(device)
            self._tallies.add(
                replace(
                    event,
                    core=unit or None,
                    shapes=shapes,
                    dynamic=dynamic == "dynamic" if dynamic else None,
                    detail={
                        "operator": names.later(name),
                        "shapes": names.later(shapes),
                        "dtype": names.later(dtypes),
                    },
                )
            )

    def read_collectives(self) -> None:
        """Read the collective operators."""
        table = "COMMUNICATION_OP"
        if not self._has(table):
            return
        self._names.load(table, "opType")
        rows = self._database.select(table, ("startNs", "endNs", "deviceId", "opName", "opType"))
        for row, start, end, device, name, operator in rows:
            kind = type_of(self._names.of(operator), "collective")
            event = self._timed("collective", kind, table, row, start, end)
            if event is not None:
                self._note_device(device)
                self._tallies.add(replace(event, detail={"operator": self._names.later(name)}))

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
            name = directions.get(direction, "memcpy")
            if (event := self._timed("transfer", name, table, row, start, end)) is not None:
                self._tallies.add(event)

    def read_garbage(self) -> None:
        """Read how long Python collected garbage."""
        table = "GC_RECORD"
        if self._has(table):
            for row, start, end in self._database.select(table, ("startNs", "endNs")):
                if (event := self._timed("gc", "gc", table, row, start, end)) is not None:
                    self._tallies.add(event)

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
        is_inner = any(event.name == _INNER_FETCH for _, event in sums)
        told: dict[object, Event] = {}
        for value, event in sums:
            kind: Kind = "fetch" if event.name.startswith(_FETCH) else kind_of_operator(event.name)
            if kind == "host" or (is_inner and event.name in _OUTER_FETCHES):
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

    def _timed(
        self, kind: Kind, name: str, table: str, row: object, start: object, end: object
    ) -> Event | None:
        begin, until = moment(start), moment(end)
        if begin is None or until is None or until < begin:
            return None
        # The difference of integers is exact, which that of two floats is not.
        took, begin_us = (until - begin) / 1e3, begin / 1e3
        told = place(table, row, f"{name}, {took:.1f} us")
        return Event(kind, name, took, told, begin_us, self._steps.at(begin_us))

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
                    took / 1e3,
                    place(table, row, f"{name}, {most / 1e3:.1f} us"),
                    None if began is None else began / 1e3,
                    count=int(count),
                    longest_us=most / 1e3,
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
            about = told[value]
            event = self._timed(about.kind, about.name, table, row, start, end)
            if event is None:
                continue
            if isinstance(chain, int):
                event = replace(event, detail={"stack": f"{STACK}{chain}"})
            self._tallies.add(event)
            known = by_step.get((event.kind, event.step))
            total = event.duration_us + (known.duration_us if known else 0.0)
            by_step[event.kind, event.step] = replace(event, duration_us=total)
        return list(by_step.values())

    def _note_device(self, device: object) -> None:
        if isinstance(device, (int, str)) and len(self.devices) < 2:
            self.devices.add(str(device))
