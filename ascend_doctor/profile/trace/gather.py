"""What is kept of the events of a trace while they go by, in whatever order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappush, heappushpop
from typing import Any

from ascend_doctor.profile.columns import MAX_DURATION, MAX_MOMENT
from ascend_doctor.profile.model import MAX_STEPS
from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.columns import Spans, Texts
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.stream import Place

# How many events of a role are kept, one by one.
_MANY, _FEW = 1_000_000, 250_000
# How many calls of a role can be shown: the longest, and of steps the first.
_SHOWN = MAX_STEPS
_MAX_NAME = 200
_MAX_NAMES = 1 << 16
_MAX_TEXT = 1000
_MAX_MOMENT = 64  # characters of a time
# Events that were begun and not ended yet, of all threads.
_MAX_OPEN = 1 << 16
# Room for two numbers of texts in one.
SHIFT = 32

_CALLS = {
    *(Role.FETCH, Role.COMPILE, Role.SYNC, Role.COPY, Role.COLLECT, Role.COMPILE_ID),
    *(Role.STEP, Role.ITERATION),
}
_RARE = {*_CALLS, Role.SEED}
_STEPS = {Role.STEP, Role.ITERATION}
_QUEUE = {Role.ENQUEUE, Role.DEQUEUE}
_TASKS = {Role.TASK, Role.KERNEL, Role.COLLECTIVE, Role.TRANSFER}

_Keep = Callable[[Mapping[str, Any], Role, int, float, float], None]


class Gathered:
    """Events by their role.

    Attributes:
        spans: of every role that was seen.
        places: where the longest calls of a role stand, by their number; of tasks, the longest of
            each name, and of operators that of each thread.
        names, keys, notes: the texts of what ``spans`` has numbers for; of tasks, a name is its
            type and the unit that executed it. Keys tell threads and processes.
        base: what was taken off all times.
        labels: what processes are labelled.
        devices: processes that are one, or a part of one.
        backward: threads that autograd runs on.
        untimed: events without a time or with a negative duration.
        unended: events with a begin or an end only.
    """

    def __init__(self, place: Callable[[], Place]) -> None:
        self._place = place
        self._roles: dict[tuple[str, object], tuple[Role, int, _Keep | None]] = {}
        self._tasks: dict[tuple[str, Role, str | None], tuple[Role, int]] = {}
        self._open: dict[int, list[dict[str, Any]]] = {}
        self._num_open = 0
        self.spans: dict[Role, Spans] = {}
        self.places: dict[Role, dict[int, Place]] = {}
        self._longest: dict[Role, list[tuple[float, float, int]]] = {}
        self._records: dict[tuple[Role, int], tuple[float, float]] = {}
        self.names, self.keys = Texts(_MAX_NAMES), Texts(_MAX_NAMES)
        self.notes = Texts(_MAX_NAMES)
        self.base: int | None = None
        self.labels: dict[int, str] = {}
        self.devices: set[int] = set()
        self.backward: set[int] = set()
        self.untimed = self.unended = 0

    def of(self, role: Role) -> Spans:
        """Return the events of a role, which may be none."""
        found = self.spans.get(role)
        if found is None:
            found = self.spans[role] = Spans(_FEW if role in _RARE else _MANY)
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
            role, number, keep = self._roles[name, category]  # type: ignore[index]
        except (KeyError, TypeError):
            if not isinstance(name, str):
                return
            role, number, keep = self._known(name, category)
        if keep is None:
            return
        begin, duration = self._time(event.get("ts")), event.get("dur")
        if type(duration) is not float:
            duration = _number(duration)
        if begin is None or duration is None or not 0 <= duration < MAX_DURATION:
            self.untimed += 1
            return
        keep(event, role, number, begin, duration)

    def finish(self) -> None:
        """Count what was begun and never ended."""
        self.unended += self._num_open

    def range(self) -> tuple[float, float]:
        """Return when the first event began and the last ended; there must be one."""
        kept = [spans for spans in self.spans.values() if len(spans)]
        ends = (b + d for spans in kept for b, d in zip(spans.begin, spans.duration, strict=True))
        return min(min(spans.begin) for spans in kept), max(ends)

    def _known(self, name: str, category: object) -> tuple[Role, int, _Keep | None]:
        shown = name[:_MAX_NAME]
        role = names.role_of(shown, category if isinstance(category, str) else None)
        keep: _Keep | None = self._keep_row
        if role is Role.NONE:
            keep = None
        elif role in _TASKS:
            keep = self._keep_task
        elif role in _CALLS:
            keep = self._keep_call
        elif role in _QUEUE:
            keep = self._keep_queued
        elif role is Role.OPERATOR:
            keep = self._keep_operator
        number = self.names.number(shown) if keep and role is not Role.TASK else 0
        known = role, number, keep
        is_usual = category is None or isinstance(category, str)
        if is_usual and len(name) <= _MAX_NAME and len(self._roles) < _MAX_NAMES:
            self._roles[name, category] = known
        return known

    def _keep_row(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        thread = self.keys.number(_key(event.get("tid")))
        self.of(role).add(begin, duration, thread, number)

    def _keep_call(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        thread = self.keys.number(_key(event.get("tid")))
        note = self._note(event)
        index = self.of(role).add(begin, duration, thread, number, note)
        if index >= 0:
            self._show(role, index, begin, duration)
        if role is Role.SYNC and self.names[number].startswith("aten::"):
            self.of(Role.OPERATOR).add(begin, duration, thread, number, note)
            self._record(Role.OPERATOR, thread, begin, duration)

    def _keep_operator(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        thread = self.keys.number(_key(event.get("tid")))
        self.of(role).add(begin, duration, thread, number, self._note(event))
        self._record(role, thread, begin, duration)
        name = event["name"]
        if name.startswith("autograd::"):
            self.backward.add(thread)
        elif names.is_seed(name):
            self.of(Role.SEED).add(begin, duration, thread, number)

    def _keep_queued(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        arguments = event.get("args")
        told = arguments.get("correlation_id") if isinstance(arguments, dict) else None
        correlation = told if type(told) is int and 0 <= told < 1 << 53 else -1
        thread = self.keys.number(_key(event.get("tid")))
        self.of(role).add(begin, duration, thread, number, correlation)

    def _keep_task(
        self, event: Mapping[str, Any], role: Role, number: int, begin: float, duration: float
    ) -> None:
        """Keep what the device did, by its type and the unit that executed it."""
        kind = None
        if role is Role.TASK:
            arguments = event.get("args")
            kind = arguments.get("Task Type") if isinstance(arguments, dict) else None
            if not isinstance(kind, str):
                return
        key = event["name"], role, kind
        known = self._tasks.get(key)
        if known is None:
            known = self._known_task(*key)
            if len(self._tasks) < _MAX_NAMES and len(key[0]) + len(kind or "") < _MAX_NAME:
                self._tasks[key] = known
        role, number = known
        if role is Role.NONE:
            return
        device = self.keys.number(_key(event.get("pid")))
        self.devices.add(device)
        self.of(role).add(begin, duration, device, number)
        self._record(role, number, begin, duration)

    def _known_task(self, name: str, role: Role, kind: str | None) -> tuple[Role, int]:
        core = None
        if kind is not None:
            role, core = names.task_role(kind[:_MAX_NAME])
        shown = names.operator_of(name[:_MAX_NAME])
        return role, 0 if role is Role.NONE else self.names.number((shown, core))

    def _note(self, event: Mapping[str, Any]) -> int:
        """Return the numbers of the shapes and the stack that an event tells of."""
        arguments = event.get("args")
        if not isinstance(arguments, dict):
            return 0
        shapes, stack = arguments.get("Input Dims"), arguments.get("Call stack")
        note = self.notes.number(str(shapes)[:_MAX_TEXT]) if shapes else 0
        return note | self.notes.number(str(stack)[:_MAX_TEXT]) << SHIFT if stack else note

    def _show(self, role: Role, index: int, begin: float, duration: float) -> None:
        """Remember where a call stands, while it is one of those that can be shown."""
        heap = self._longest.setdefault(role, [])
        places = self.places.setdefault(role, {})
        entry = (0.0 if role in _STEPS else duration, -begin, index)
        if len(heap) < _SHOWN:
            heappush(heap, entry)
        else:
            out = heappushpop(heap, entry)
            if out is entry:
                return
            del places[out[2]]
        places[index] = self._place()

    def _record(self, role: Role, number: int, begin: float, duration: float) -> None:
        """Remember where the longest of a name or thread stands."""
        record = self._records.get((role, number))
        if record is None or (duration, -begin) > record:
            self._records[role, number] = duration, -begin
            self.places.setdefault(role, {})[number] = self._place()

    def _see_half(self, event: Mapping[str, Any], phase: str) -> None:
        """Put the begin and the end of an event together, which stand in their order."""
        begun = self._open.setdefault(self.keys.number(_key(event.get("tid"))), [])
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

    def _label(self, event: Mapping[str, Any]) -> None:
        arguments = event.get("args")
        if event.get("name") != "process_labels" or not isinstance(arguments, dict):
            return
        label = arguments.get("labels")
        if isinstance(label, str):
            self.labels[self.keys.number(_key(event.get("pid")))] = label[:_MAX_NAME]

    def _time(self, value: object) -> float | None:
        """Return a moment less ``base``; of a text, no digit is lost."""
        if type(value) is str and len(value) <= _MAX_MOMENT:
            whole, _, part = value.partition(".")
            try:
                moment = int(whole)
                rest = float(f"0.{part}") if part else 0.0
                if abs(moment) >= MAX_MOMENT:
                    return None
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
    """Return a number that can be true, of a text as well."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < MAX_MOMENT else None


def _key(value: object) -> str | float | None:
    """Return a process or thread as something to tell it by."""
    if type(value) is int:
        return value
    if isinstance(value, str):
        return value[:_MAX_NAME]
    return value if isinstance(value, float) else None
