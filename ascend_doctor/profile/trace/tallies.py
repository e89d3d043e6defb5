"""The events of a trace, counted and summed up by kind and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum

from msgspec.structs import replace

from ascend_doctor.profile.model import MAX_TALLIES, OTHERS, Kind, Span, Tally
from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.context import Context, add_stacks, contexts
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.host import Host
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.nesting import Call
from ascend_doctor.profile.trace.steps import Timeline, rounded
from ascend_doctor.records import Evidence

_HOST: Mapping[Role, Kind] = {
    Role.FETCH: "fetch",
    Role.COMPILE: "compile",
    Role.SYNC: "sync",
    Role.COPY: "transfer",
    Role.COLLECT: "gc",
}
_DEVICE: Mapping[Role, Kind] = {
    Role.KERNEL: "kernel",
    Role.COLLECTIVE: "collective",
    Role.TRANSFER: "transfer",
}

_Told = tuple[Call, Context]


class Tallies:
    """The tallies of one trace."""

    def __init__(self, gathered: Gathered, host: Host, timeline: Timeline) -> None:
        self._gathered = gathered
        self._host = host
        self._timeline = timeline

    def __iter__(self) -> Iterator[Tally]:
        """Yield the tallies of each kind, those with most time first."""
        yield from _bounded([*self._calls(), *self._tasks()])
        yield from self._dispatch()

    def _calls(self) -> Iterator[Tally]:
        """Yield those of calls of the host."""
        of = [*self._host.calls, *self._host.collections]
        groups: dict[tuple[Kind, str, str | None], list[_Told]] = {}
        for call, context in zip(of, contexts(self._gathered, of), strict=True):
            name, apart = self._named(call, context)
            groups.setdefault((_HOST[call.role], name, apart), []).append((call, context))
        longest = {key: self._longest(group) for key, group in groups.items()}
        add_stacks(self._gathered, [told for told in longest.values() if told is not None])
        unshown: dict[Role, list[_Told]] = {}
        for (kind, name, _), group, told in zip(
            groups, groups.values(), longest.values(), strict=True
        ):
            if told is None:
                unshown.setdefault(group[0][0].role, []).extend(group)
                continue
            shapes = {context.shapes for _, context in group if context.shapes is not None}
            yield self._tally(
                kind,
                name,
                _rows(group),
                self._span(*told),
                shapes=len(shapes) if shapes and kind == "compile" else None,
            )
        for role, group in unshown.items():
            yield self._tally(_HOST[role], OTHERS, _rows(group), self._any(role))

    def _any(self, role: Role) -> Span:
        """Return the longest of the calls of a role that can be shown."""
        spans, places = self._gathered.of(role), self._gathered.places[role]
        index = max(places, key=lambda index: (spans.duration[index], -spans.begin[index]))
        proof = self._timeline.proof(places[index])
        return self._bare(spans.duration[index], spans.begin[index], proof)

    def _named(self, call: Call, context: Context) -> tuple[str, str | None]:
        """Return the name of a call's tally, and what tells it from others of the name."""
        if call.role is Role.FETCH:
            return call.name, self._host.borders.get(call.index)
        if call.role is Role.COMPILE:
            if context.compile_id is not None:
                return call.name, context.compile_id.partition("/")[0]
            return context.operator or names.operator_of(call.name), None
        return names.operator_of(call.name), context.operator

    def _longest(self, group: Sequence[_Told]) -> _Told | None:
        """Return the longest call that can be shown."""
        places = self._gathered.places
        shown = (told for told in group if told[0].index in places.get(told[0].role, {}))
        return max(shown, key=lambda told: (told[0].duration, -told[0].begin), default=None)

    def _span(self, call: Call, context: Context) -> Span:
        detail = {
            "operator": context.operator,
            "shapes": context.shapes,
            "stack": context.stack,
            "compile_id": context.compile_id,
        }
        if call.role is Role.COMPILE:
            detail["function"] = names.operator_of(call.name)
        if call.role is Role.FETCH and (border := self._host.borders.get(call.index)):
            detail[border] = "yes"
        return Span(
            rounded(call.duration),
            self._timeline.proof(self._gathered.places[call.role][call.index]),
            self._timeline.moment(call.begin),
            self._timeline.step_at(call.begin),
            {name: text for name, text in detail.items() if text},
        )

    def _tasks(self) -> Iterator[Tally]:
        """Yield those of what the device did."""
        for role, usual in _DEVICE.items():
            spans = self._gathered.of(role)
            groups: dict[int, list[tuple[float, float]]] = {}
            for number, begin, duration in zip(
                spans.name, spans.begin, spans.duration, strict=True
            ):
                groups.setdefault(number, []).append((begin, duration))
            for number, rows in groups.items():
                text = self._gathered.names.texts[number]
                name, core = text if isinstance(text, tuple) else (OTHERS, None)
                is_ai_cpu = core is not None and core.upper().replace("_", "") == "AICPU"
                kind: Kind = "ai_cpu" if is_ai_cpu else usual
                duration, earlier = max((long, -begin) for begin, long in rows)
                proof = self._timeline.proof(self._gathered.places[role][number])
                span = self._bare(duration, -earlier, proof)
                yield self._tally(kind, name, rows, span, core=core)

    def _dispatch(self) -> Iterator[Tally]:
        """Yield the time in which operators were dispatched, as one tally.

        It counts those that the program called, not what these call.
        """
        host, spans = self._host, self._gathered.of(Role.OPERATOR)
        if not host.operating.begins:
            return
        duration, earlier, thread, name = max(
            (duration, -begin, thread, name)
            for thread, begin, duration, name in zip(
                spans.thread, spans.begin, spans.duration, spans.name, strict=True
            )
            if thread in host.threads
        )
        by_step = {
            window.name: rounded(host.dispatching.within(window.begin, window.end))
            for window in self._timeline.windows
            if window.name
        }
        proof = self._timeline.proof(self._gathered.places[Role.OPERATOR][thread])
        operator = {"operator": self._gathered.names[name]}
        yield Tally(
            "host",
            "dispatch",
            len(host.operating.begins),
            rounded(host.dispatching.length),
            replace(self._bare(duration, -earlier, proof), detail=operator),
            by_step=by_step,
        )

    def _bare(self, duration: float, begin: float, proof: Evidence) -> Span:
        timeline = self._timeline
        return Span(rounded(duration), proof, timeline.moment(begin), timeline.step_at(begin))

    def _tally(
        self,
        kind: Kind,
        name: str,
        rows: Sequence[tuple[float, float]],
        longest: Span,
        *,
        shapes: int | None = None,
        core: str | None = None,
    ) -> Tally:
        """Put events of a kind and name together, of which begin and duration are given."""
        by_step: dict[str, list[float]] = {}
        for begin, duration in rows:
            if (step := self._timeline.step_at(begin)) is not None:
                by_step.setdefault(step, []).append(duration)
        return Tally(
            kind,
            name,
            len(rows),
            rounded(fsum(duration for _, duration in rows)),
            longest,
            shapes=shapes,
            core=core,
            by_step={step: rounded(fsum(by_step[step])) for step in sorted(by_step)},
        )


def _rows(group: Iterable[_Told]) -> list[tuple[float, float]]:
    return [(call.begin, call.duration) for call, _ in group]


def _bounded(tallies: Iterable[Tally]) -> Iterator[Tally]:
    """Yield the tallies of each kind with most time, and one of all others of it."""
    by_kind: dict[Kind, list[Tally]] = {}
    for tally in tallies:
        by_kind.setdefault(tally.kind, []).append(tally)
    for kind in sorted(by_kind):
        found = sorted(by_kind[kind], key=_rank)
        if len(found) <= MAX_TALLIES:
            yield from found
            continue
        yield from found[: MAX_TALLIES - 1]
        rest = found[MAX_TALLIES - 1 :]
        yield Tally(
            kind,
            OTHERS,
            sum(tally.count for tally in rest),
            rounded(fsum(tally.total_us for tally in rest)),
            max(rest, key=lambda tally: tally.longest.duration_us).longest,
        )


def _rank(tally: Tally) -> tuple[float, str, str, float]:
    operator = tally.longest.detail.get("operator", "")
    return -tally.total_us, tally.name, operator, tally.longest.begin_us or 0.0
