"""Which call is within which: a thread's time is counted once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ascend_doctor.profile.trace.columns import Spans
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.names import EXECUTES, Role

# How many pairs of a call and what it is within are looked at.
_MAX_PAIRS = 5_000_000


class Call(Struct, frozen=True):
    """A call of a thread; ``index`` is its number among those of its role."""

    role: Role
    index: int
    thread: int
    begin: float
    duration: float
    name: str

    @property
    def end(self) -> float:
        """When it ended."""
        return self.begin + self.duration

    @property
    def middle(self) -> float:
        """A moment that is within it, however times were rounded."""
        return self.begin + self.duration / 2


def calls(gathered: Gathered, role: Role) -> Iterator[Call]:
    """Yield the calls of a role."""
    spans, texts = gathered.of(role), gathered.names
    columns = zip(spans.thread, spans.begin, spans.duration, spans.name, strict=True)
    for index, (thread, begin, duration, name) in enumerate(columns):
        yield Call(role, index, thread, begin, duration, texts[name])


def outermost(of: Iterable[Call]) -> list[Call]:
    """Return the calls that are in no other of the same thread, in order of thread and time.

    In place of a call that compiles and executes stand those within that only compile.
    """
    kept: list[Call] = []
    outer: Call | None = None
    for call in sorted(of, key=lambda c: (c.thread, c.begin, -c.duration, c.role, c.name)):
        if outer is None or call.thread != outer.thread or call.middle >= outer.end:
            kept.append(call)
            outer = call
        elif (
            call.role is Role.COMPILE is outer.role
            and EXECUTES.fullmatch(outer.name)
            and not EXECUTES.fullmatch(call.name)
        ):
            if kept[-1] is outer:
                kept[-1] = call
            elif call.middle >= kept[-1].end:
                kept.append(call)
    return kept


class Within:
    """Finds what some calls are within; each is known by its number among them."""

    def __init__(self, moments: Iterable[tuple[int, float, float]]) -> None:
        """Take the thread, the middle and the duration of each."""
        self._all = list(moments)
        by_thread: dict[int, list[tuple[float, int]]] = {}
        for number, (thread, middle, _) in enumerate(self._all):
            by_thread.setdefault(thread, []).append((middle, number))
        self._threads = {}
        for thread, pairs in by_thread.items():
            pairs.sort()
            self._threads[thread] = [m for m, _ in pairs], [n for _, n in pairs]

    def around(self, spans: Spans) -> Iterator[tuple[int, int]]:
        """Yield the number of a call and that of an event around it, which lasts as long or more.

        With very many, not all are told.
        """
        pairs = 0
        columns = zip(spans.thread, spans.begin, spans.duration, strict=True)
        for index, (thread, begin, duration) in enumerate(columns):
            known = self._threads.get(thread)
            if known is None:
                continue
            middles, numbers = known
            first = bisect_left(middles, begin)
            last = bisect_right(middles, begin + duration, first)
            for number in numbers[first:last]:
                if self._all[number][2] <= duration:
                    yield number, index
            pairs += last - first
            if pairs > _MAX_PAIRS:
                return
