"""What was gathered of a trace → its steps and tallies."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from ascend_doctor.profile.model import MAX_STEPS, MAX_TALLIES, OTHERS, Kind, Span, Step, Tally
from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.context import Context, add_stacks, contexts
from ascend_doctor.profile.trace.cover import Cover
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.nesting import Call, calls, outermost
from ascend_doctor.profile.trace.stream import Place
from ascend_doctor.records import Evidence, Note, Origin

_KINDS: Mapping[Role, Kind] = {
    Role.FETCH: "fetch",
    Role.COMPILE: "compile",
    Role.SYNC: "sync",
    Role.COPY: "transfer",
    Role.COLLECT: "gc",
    Role.KERNEL: "kernel",
    Role.COLLECTIVE: "collective",
    Role.TRANSFER: "transfer",
}
_HOST = (Role.FETCH, Role.COMPILE, Role.SYNC, Role.COPY)
# The loader reads a seed within this time of drawing it.
_SEED_US = 1000.0
_LABEL = re.compile(r"(?:NPU|GPU) ?(\d+)")
# A thousandth of a microsecond is what profilers write.
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch that is told of as a step."""

    name: str
    begin: float
    duration: float
    place: Place


class Measuring:
    """Steps and tallies of one trace."""

    def __init__(self, gathered: Gathered, path: str, rank: int | None) -> None:
        self._gathered = gathered
        self._path = path
        self._origin = Origin(rank=rank)
        self.notes: list[Note] = []

    # The host

    @cached_property
    def _training(self) -> frozenset[int]:
        """The thread of the training loop; without a sign of it, the one with most operators."""
        for role in (Role.STEP, Role.FETCH):
            if threads := frozenset(self._gathered.of(role).thread):
                return threads
        counted = Counter(self._gathered.of(Role.OPERATOR).thread)
        most = max(counted.values(), default=0)
        return frozenset(sorted(t for t, n in counted.items() if n == most)[:1])

    @cached_property
    def _calls(self) -> list[Call]:
        """What the threads of the job did for some reason, each moment of a thread once."""
        job = self._training | self._gathered.backward
        return outermost(
            call
            for role in _HOST
            for call in calls(self._gathered, role)
            if call.thread in job or role is Role.COMPILE
        )

    def _of(self, role: Role) -> list[Call]:
        return [call for call in self._calls if call.role is role]

    @cached_property
    def _collections(self) -> list[Call]:
        return outermost(calls(self._gathered, Role.COLLECT))

    @cached_property
    def _first_fetches(self) -> frozenset[int]:
        """Fetches that an iterator of a loader begins with, by their index.

        When it begins it draws a seed, outside of any other operator, and reads it at once.
        """
        seeds = [*calls(self._gathered, Role.SEED)]
        fetches = [call for call in self._of(Role.FETCH) if call.thread in self._training]
        if not seeds or not fetches:
            return frozenset()
        begins = [call.begin for call in fetches]
        reads = sorted(
            call.begin for call in calls(self._gathered, Role.SYNC) if call.name == "aten::item"
        )
        operators = [
            call for call in calls(self._gathered, Role.OPERATOR) if call.thread in self._training
        ]
        first = set()
        for seed in outermost([*operators, *fetches]):
            if not names.is_seed(seed.name):
                continue
            read = bisect_right(reads, seed.begin)
            fetch = bisect_right(begins, seed.begin)
            if fetch < len(fetches) and read < len(reads) and reads[read] - seed.end < _SEED_US:
                first.add(fetches[fetch].index)
        return frozenset(first)

    @cached_property
    def _fetching(self) -> Cover:
        return _cover(self._of(Role.FETCH))

    @cached_property
    def _compiling(self) -> Cover:
        return _cover(self._of(Role.COMPILE)).minus(self._fetching)

    @cached_property
    def _syncing(self) -> Cover:
        return _cover(self._of(Role.SYNC)).minus(self._fetching).minus(self._compiling)

    @cached_property
    def _dispatching(self) -> Cover:
        """When operators were dispatched, what was fetched and compiled meanwhile left out."""
        job = self._training | self._gathered.backward
        spans = self._gathered.of(Role.OPERATOR)
        rows = [
            (begin, begin + duration)
            for thread, begin, duration in zip(
                spans.thread, spans.begin, spans.duration, strict=True
            )
            if thread in job
        ]
        whole = Cover.of((begin for begin, _ in rows), (end for _, end in rows))
        return whole.minus(self._fetching).minus(self._compiling)

    @property
    def _has_host(self) -> bool:
        return bool(self._gathered.of(Role.OPERATOR)) or bool(self._calls)

    # The device

    @cached_property
    def _device(self) -> tuple[Cover, Cover, Cover] | None:
        """When the device computed, communicated, and did only that; None if it is not told."""
        of = self._gathered.of
        if of(Role.COMPUTING) or of(Role.EXPOSED):
            exposed = of(Role.EXPOSED).cover()
            return of(Role.COMPUTING).cover(), of(Role.COMMUNICATION).cover().plus(exposed), exposed
        if of(Role.KERNEL) or of(Role.COLLECTIVE):
            computing, communication = of(Role.KERNEL).cover(), of(Role.COLLECTIVE).cover()
            return computing, communication, communication.minus(computing)
        return None

    def device(self) -> str | None:
        """Return the number of the device, where it is one and labels say it."""
        labels = {
            found[1]
            for key in self._gathered.devices
            if (found := _LABEL.fullmatch(self._gathered.labels.get(key, "").strip()))
        }
        if len(self._gathered.devices) > 1:
            self.notes.append(Note("devices_as_one", {"count": str(len(self._gathered.devices))}))
            return None
        return labels.pop() if labels else None

    # Steps

    @cached_property
    def _windows(self) -> list[_Window]:
        for role in (Role.STEP, Role.ITERATION):
            spans = self._gathered.of(role)
            places = self._gathered.places.get(role, {})
            found = sorted(
                (
                    _Window(
                        names.step_of(self._gathered.names[spans.name[index]]),
                        spans.begin[index],
                        spans.duration[index],
                        place,
                    )
                    for index, place in places.items()
                ),
                key=lambda window: (window.begin, window.name),
            )
            if len(spans) > MAX_STEPS:
                self.notes.append(
                    Note("steps_longest", {"count": str(len(spans)), "kept": str(MAX_STEPS)})
                )
            if found:
                return found[:MAX_STEPS]
        place = self._longest_place()
        if place is None:
            return []
        begin = self._gathered.begin
        return [_Window("", begin, self._gathered.end - begin, place)]

    def _longest_place(self) -> Place | None:
        """Return where an event stands that is as good as any to show what was recorded."""
        found = (p for places in self._gathered.places.values() for p in places.values())
        return min(found, default=None)

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order of time, or one without a name that is all of the trace."""
        first = sorted(
            call.begin for call in self._of(Role.FETCH) if call.index in self._first_fetches
        )
        has_fetches = bool(self._of(Role.FETCH))
        for window in self._windows:
            begin, end = window.begin, window.begin + window.duration
            step = Step(
                name=window.name,
                proof=self._proof(window.place),
                total_us=round(window.duration, _DIGITS),
                begin_us=self._moment(begin),
                is_border=bisect_right(first, end) > bisect_right(first, begin),
            )
            if self._has_host:
                step = replace(
                    step,
                    fetch_us=_round(self._fetching.within(begin, end)) if has_fetches else None,
                    compile_us=_round(self._compiling.within(begin, end)),
                    sync_us=_round(self._syncing.within(begin, end)),
                )
            if self._device is not None:
                computing, communication, exposed = (
                    cover.within(begin, end) for cover in self._device
                )
                step = replace(
                    step,
                    computing_us=_round(computing),
                    communication_us=_round(exposed),
                    overlapped_us=_round(max(communication - exposed, 0.0)),
                    free_us=_round(max(window.duration - computing - exposed, 0.0)),
                )
            yield step

    # Tallies

    def tallies(self) -> Iterator[Tally]:
        """Yield the tallies of each kind, those with most time first."""
        yield from _bounded(self._host_tallies())
        yield from _bounded(self._device_tallies())
        if dispatch := self._dispatch():
            yield dispatch

    def _host_tallies(self) -> Iterator[Tally]:
        shown = [call for call in self._calls if call.role in _KINDS] + self._collections
        groups: dict[tuple[Kind, str, object], list[tuple[Call, Context]]] = {}
        for call, context in zip(shown, contexts(self._gathered, shown), strict=True):
            name, key = self._named(call, context)
            groups.setdefault((_KINDS[call.role], name, key), []).append((call, context))
        longest = {key: self._longest(group) for key, group in groups.items()}
        add_stacks(self._gathered, [pair for pair in longest.values() if pair is not None])
        for key, group in groups.items():
            kind, name, _ = key
            # Where none of them can be shown, they are few and short.
            if (pair := longest[key]) is None:
                continue
            shapes = {context.shapes for _, context in group if context.shapes is not None}
            yield self._tally(
                (kind, name),
                [(call.begin, call.duration) for call, _ in group],
                self._span(*pair),
                shapes=len(shapes) if shapes and kind == "compile" else None,
            )

    def _named(self, call: Call, context: Context) -> tuple[str, object]:
        """Return the name of a call's tally, and what tells it from others of the name."""
        if call.role is Role.FETCH:
            return call.name, call.index in self._first_fetches
        if call.role is Role.COMPILE:
            if context.compile_id is not None:
                return call.name, context.compile_id.partition("/")[0]
            return context.operator or names.operator_of(call.name), ""
        return names.operator_of(call.name), context.operator

    def _longest(self, group: Sequence[tuple[Call, Context]]) -> tuple[Call, Context] | None:
        """Return the longest call that can be shown."""
        places = self._gathered.places
        shown = (pair for pair in group if pair[0].index in places.get(pair[0].role, {}))
        return max(shown, key=lambda pair: (pair[0].duration, -pair[0].begin), default=None)

    def _span(self, call: Call, context: Context) -> Span:
        detail = {
            "function": names.operator_of(call.name) if call.role is Role.COMPILE else None,
            "operator": context.operator,
            "shapes": context.shapes,
            "stack": context.stack,
            "compile_id": context.compile_id,
            "first": "yes" if call.role is Role.FETCH and call.index in self._first_fetches else "",
        }
        return Span(
            _round(call.duration),
            self._proof(self._gathered.places[call.role][call.index]),
            self._moment(call.begin),
            self._step_at(call.begin),
            {name: text for name, text in detail.items() if text},
        )

    def _device_tallies(self) -> Iterator[Tally]:
        for role in (Role.KERNEL, Role.COLLECTIVE, Role.TRANSFER):
            spans = self._gathered.of(role)
            groups: dict[int, list[tuple[float, float]]] = {}
            for number, begin, duration in zip(
                spans.name, spans.begin, spans.duration, strict=True
            ):
                groups.setdefault(number, []).append((begin, duration))
            for number, rows in groups.items():
                text = self._gathered.names.texts[number]
                name, core = text if isinstance(text, tuple) else (OTHERS, None)
                duration, earliest = max((d, -b) for b, d in rows)
                span = Span(
                    _round(duration),
                    self._proof(self._gathered.places[role][number]),
                    self._moment(-earliest),
                    self._step_at(-earliest),
                )
                is_ai_cpu = core is not None and core.upper().replace("_", "") == "AICPU"
                kind: Kind = "ai_cpu" if is_ai_cpu else _KINDS[role]
                yield self._tally((kind, name), rows, span, core=core)

    def _dispatch(self) -> Tally | None:
        """Return the time in which operators were dispatched, as one tally.

        It counts those that the program called, not what these call.
        """
        whole = self._dispatching
        if not whole.begins:
            return None
        dispatching = whole.minus(self._syncing)
        spans, places = self._gathered.of(Role.OPERATOR), self._gathered.places[Role.OPERATOR]
        job = self._training | self._gathered.backward
        longest = max(
            (duration, -begin, thread, name)
            for thread, begin, duration, name in zip(
                spans.thread, spans.begin, spans.duration, spans.name, strict=True
            )
            if thread in job
        )
        duration, earliest, thread, name = longest
        by_step = {
            window.name: _round(dispatching.within(window.begin, window.begin + window.duration))
            for window in self._windows
            if window.name
        }
        return Tally(
            "host",
            "dispatch",
            len(whole.begins),
            _round(dispatching.length),
            Span(
                _round(duration),
                self._proof(places[thread]),
                self._moment(-earliest),
                self._step_at(-earliest),
                {"operator": self._gathered.names[name]},
            ),
            by_step=by_step,
        )

    def _tally(
        self,
        key: tuple[Kind, str],
        rows: Sequence[tuple[float, float]],
        longest: Span,
        *,
        shapes: int | None = None,
        core: str | None = None,
    ) -> Tally:
        """Put events of a kind and name together, of which begin and duration are given."""
        by_step: dict[str, list[float]] = {}
        for begin, duration in rows:
            step = self._step_at(begin)
            if step is not None:
                by_step.setdefault(step, []).append(duration)
        return Tally(
            *key,
            count=len(rows),
            total_us=_round(fsum(duration for _, duration in rows)),
            longest=longest,
            shapes=shapes,
            core=core,
            by_step={step: _round(fsum(by_step[step])) for step in sorted(by_step)},
        )

    @cached_property
    def _begins(self) -> list[float]:
        return [window.begin for window in self._windows]

    def _step_at(self, moment: float) -> str | None:
        """Return the step that a moment is in, None if it is in none or steps are not told."""
        index = bisect_right(self._begins, moment) - 1
        if index < 0:
            return None
        window = self._windows[index]
        return (window.name or None) if moment <= window.begin + window.duration else None

    def _moment(self, begin: float) -> float:
        return _round(begin + (self._gathered.base or 0))

    def _proof(self, place: Place) -> Evidence:
        line, offset, text = place
        return Evidence(self._path, line, text, (line, offset), origin=self._origin)


def _round(value: float) -> float:
    return round(value, _DIGITS)


def _cover(of: Sequence[Call]) -> Cover:
    return Cover.of((call.begin for call in of), (call.end for call in of))


def _bounded(tallies: Iterable[Tally]) -> Iterator[Tally]:
    """Yield the tallies of each kind with most time, and one of all others of it."""
    by_kind: dict[Kind, list[Tally]] = {}
    for tally in tallies:
        by_kind.setdefault(tally.kind, []).append(tally)
    for kind in sorted(by_kind):
        found = sorted(
            by_kind[kind], key=lambda t: (-t.total_us, t.name, t.longest.begin_us or 0.0)
        )
        yield from found[: MAX_TALLIES - 1] if len(found) > MAX_TALLIES else found
        if len(found) > MAX_TALLIES:
            rest = found[MAX_TALLIES - 1 :]
            yield Tally(
                kind,
                OTHERS,
                sum(tally.count for tally in rest),
                _round(fsum(tally.total_us for tally in rest)),
                max(rest, key=lambda t: t.longest.duration_us).longest,
            )
