"""What is kept of the events of a trace while they go by, in whatever order."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from heapq import heappush, heappushpop
from typing import Any

from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.columns import Spans, Texts
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.stream import Place

# How many events of a role are kept, one by one.
_MANY, _FEW = 1_500_000, 250_000
# How many of the longest calls of a role can be shown.
_SHOWN = 4096
_MAX_NAME = 200
_MAX_NAMES = 1 << 16
_MAX_TEXT = 1000
# Events that were begun and not ended yet, of all threads.
_MAX_OPEN = 1 << 16

_MANY_ROLES = {
    *(Role.OPERATOR, Role.FRAME, Role.KERNEL, Role.COLLECTIVE, Role.TRANSFER),
    *(Role.COMPUTING, Role.COMMUNICATION, Role.EXPOSED, Role.ENQUEUE, Role.DEQUEUE),
}
_SHOWN_ROLES = {
    *(Role.FETCH, Role.COMPILE, Role.SYNC, Role.COPY, Role.COLLECT, Role.STEP, Role.ITERATION),
}
_TASKS = {Role.KERNEL, Role.COLLECTIVE, Role.TRANSFER}
_CALLS = {Role.FETCH, Role.COMPILE, Role.SYNC, Role.COPY, Role.OPERATOR}
# Room for two numbers of texts in one.
SHIFT = 32


class Gathered:
    """Events by their role.

    Attributes:
        spans: of every role that was seen.
        places: where the longest calls of a role stand, by their number; of tasks, the longest of
            each name, and of threads the longest operator.
        names, keys, notes: the texts of what ``spans`` has numbers for; of tasks, a name is its
            type and the unit that executed it. Keys tell threads and processes.
        base: what was taken off all times.
        labels: what processes are labelled.
        backward: threads that autograd runs on.
        untimed: events without a time or with a negative duration.
    """

    def __init__(self, place: Callable[[], Place]) -> None:
        self._place = place
        self._roles: dict[tuple[str, str | None], tuple[Role, int]] = {}
        self._open: dict[int, list[dict[str, Any]]] = {}
        self._num_open = 0
        self.spans: dict[Role, Spans] = {}
        self.places: dict[Role, dict[int, Place]] = {}
        self._longest: dict[Role, list[tuple[float, float, int]]] = {}
        self._records: dict[tuple[Role, int], tuple[float, float]] = {}
        self.names, self.keys = Texts(_MAX_NAMES), Texts(_MAX_NAMES)
        self.notes = Texts(_MAX_NAMES)
        self.base: int | None = None
        self.labels: dict[object, str] = {}
        self.devices: set[int] = set()
        self.backward: set[int] = set()
        self.begin, self.end = math.inf, -math.inf
        self.untimed = self.unended = 0

    def of(self, role: Role) -> Spans:
        """Return the events of a role, which may be none."""
        found = self.spans.get(role)
        if found is None:
            found = self.spans[role] = Spans(_MANY if role in _MANY_ROLES else _FEW)
        return found

    def see(self, event: Mapping[str, Any]) -> None:
        """Keep what is needed of an event."""
        phase = event.get("ph")
        if phase != "X":
            if phase == "M":
                self._label(event)
            elif phase == "B" or phase == "E":
                self._see_half(event, phase)
            return
        name, category = event.get("name"), event.get("cat")
        try:
            role, number = self._roles[name, category]  # type: ignore[index]
        except (KeyError, TypeError):
            if not isinstance(name, str):
                return
            role, number = self._known(name, category)
        if role is Role.NONE:
            return
        begin = self._time(event.get("ts"))
        duration = _number(event.get("dur"))
        if begin is None or duration is None or duration < 0:
            self.untimed += 1
            return
        self._keep(event, role, number, begin, duration)

    def _known(self, name: str, category: object) -> tuple[Role, int]:
        category = category if isinstance(category, str) else None
        shown = name[:_MAX_NAME]
        role = names.role_of(shown, category)
        number = 0 if role in (Role.NONE, Role.TASK) else self.names.number(shown)
        if len(name) <= _MAX_NAME and len(self._roles) < _MAX_NAMES:
            self._roles[name, category] = role, number
        return role, number

    def _keep(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        arguments = event.get("args")
        if not isinstance(arguments, dict):
            arguments = {}
        name: str = event["name"][:_MAX_NAME]
        if role is Role.TASK or role in _TASKS:
            role, number = self._task(role, name, arguments)
            if role is Role.NONE:
                return
            self.devices.add(self.keys.number(_key(event.get("pid"))))
        thread = self.keys.number(_key(event.get("tid")))
        note = 0
        if role in _CALLS:
            note = self._note(arguments)
            if role is Role.OPERATOR and name.startswith("autograd::"):
                self.backward.add(thread)
        elif role is Role.ENQUEUE or role is Role.DEQUEUE:
            correlation = _number(arguments.get("correlation_id"))
            note = -1 if correlation is None or abs(correlation) > 1 << 53 else int(correlation)
        if begin < self.begin:
            self.begin = begin
        if begin + duration > self.end:
            self.end = begin + duration
        index = self.of(role).add(begin, duration, thread, number, note)
        if index < 0:
            return
        if role in _SHOWN_ROLES:
            self._show(role, index, begin, duration)
        elif role in _TASKS:
            self._record(role, number, begin, duration)
        elif role is Role.OPERATOR:
            self._record(role, thread, begin, duration)
        if role is Role.OPERATOR and names.is_seed(name):
            self.of(Role.SEED).add(begin, duration, thread, number)
        if role is Role.SYNC and name.startswith("aten::"):
            self.of(Role.OPERATOR).add(begin, duration, thread, number, note)

    def _task(self, role: Role, name: str, arguments: Mapping[str, Any]) -> tuple[Role, int]:
        """Return the role of what the device did, and the number of its name with its unit."""
        core = None
        if role is Role.TASK:
            kind = arguments.get("Task Type")
            if not isinstance(kind, str):
                return Role.NONE, 0
            role, core = names.task_role(kind[:_MAX_NAME])
            if role is Role.NONE:
                return role, 0
        return role, self.names.number((names.operator_of(name), core))

    def _note(self, arguments: Mapping[str, Any]) -> int:
        shapes, stack = arguments.get("Input Dims"), arguments.get("Call stack")
        note = 0
        if shapes:
            note = self.notes.number(str(shapes)[:_MAX_TEXT])
        if stack:
            note |= self.notes.number(str(stack)[:_MAX_TEXT]) << SHIFT
        return note

    def _show(self, role: Role, index: int, begin: float, duration: float) -> None:
        """Remember where a call stands, while it is one of the longest."""
        heap = self._longest.setdefault(role, [])
        places = self.places.setdefault(role, {})
        entry = (duration, -begin, index)
        if len(heap) < _SHOWN:
            heappush(heap, entry)
        else:
            out = heappushpop(heap, entry)
            if out is entry:
                return
            del places[out[2]]
        places[index] = self._place()

    def _record(self, role: Role, number: int, begin: float, duration: float) -> None:
        """Remember where the longest of a name stands."""
        record = self._records.get((role, number))
        if record is None or (duration, -begin) > record:
            self._records[role, number] = duration, -begin
            self.places.setdefault(role, {})[number] = self._place()

    def _see_half(self, event: Mapping[str, Any], phase: str) -> None:
        """Put the begin and the end of an event together, which stand in their order."""
        thread = self.keys.number(_key(event.get("tid")))
        begun = self._open.setdefault(thread, [])
        if phase == "B":
            if self._num_open < _MAX_OPEN:
                begun.append(dict(event))
                self._num_open += 1
            return
        if not begun:
            self.unended += 1
            return
        whole = begun.pop()
        self._num_open -= 1
        begin, end = self._time(whole.get("ts")), self._time(event.get("ts"))
        duration = None if begin is None or end is None else end - begin
        self.see({**whole, "ph": "X", "dur": duration})

    def finish(self) -> None:
        """Count what was begun and never ended."""
        self.unended += self._num_open

    def _label(self, event: Mapping[str, Any]) -> None:
        arguments = event.get("args")
        if event.get("name") != "process_labels" or not isinstance(arguments, dict):
            return
        label = arguments.get("labels")
        if isinstance(label, str) and len(self.labels) < _MAX_NAMES:
            self.labels[self.keys.number(_key(event.get("pid")))] = label[:_MAX_NAME]

    def _time(self, value: object) -> float | None:
        """Return a moment less ``base``; of a text, no digit is lost."""
        if type(value) is str:
            whole, _, part = value.partition(".")
            try:
                moment = int(whole)
                rest = float(f"0.{part}") if part else 0.0
                if self.base is None:
                    self.base = moment
                return moment - self.base + (rest if moment >= 0 else -rest)
            except (ValueError, OverflowError):
                pass
        number = _number(value)
        if number is None:
            return None
        if self.base is None:
            self.base = int(number)
        return number - self.base


def _number(value: object) -> float | None:
    """Return a finite number, of a text as well."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _key(value: object) -> str | int | float | None:
    """Return a process or thread as something to tell it by."""
    if isinstance(value, (str, int, float)):
        return value[:_MAX_NAME] if isinstance(value, str) else value
    return None
