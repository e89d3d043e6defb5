"""What the threads of a job did, and when."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.cover import Cover
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.nesting import Call, Within, calls, outermost

_CALLS = (Role.FETCH, Role.COMPILE, Role.SYNC, Role.COPY)
# The loader reads a seed within this time of drawing it.
_SEED_US = 1000.0


class Host:
    """The training loop, and the threads that work for it."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered

    @cached_property
    def training(self) -> frozenset[int]:
        """The thread of the training loop; without a sign of it, the one with most operators."""
        for role in (Role.STEP, Role.FETCH):
            if threads := frozenset(self._gathered.of(role).thread):
                return threads
        counted = Counter(self._gathered.of(Role.OPERATOR).thread)
        most = max(counted.values(), default=0)
        return frozenset(sorted(t for t, n in counted.items() if n == most)[:1])

    @cached_property
    def threads(self) -> frozenset[int]:
        """The thread of the training loop, and those that run its backward passes."""
        return self.training | self._gathered.backward

    @cached_property
    def calls(self) -> list[Call]:
        """What the threads spent their time in for a reason, each moment of a thread once.

        Whatever thread compiles: it is a queue's, which feeds the device.
        """
        return outermost(
            call
            for role in _CALLS
            for call in calls(self._gathered, role)
            if role is Role.COMPILE or call.thread in self.threads
        )

    def of(self, role: Role) -> list[Call]:
        """Return those of one role, in order of thread and time."""
        return [call for call in self.calls if call.role is role]

    @cached_property
    def collections(self) -> list[Call]:
        """When Python collected garbage, which may be while any call is made."""
        return outermost(calls(self._gathered, Role.COLLECT))

    @property
    def is_known(self) -> bool:
        """True if the trace has anything of the host."""
        return bool(self._gathered.of(Role.OPERATOR)) or bool(self.calls)

    @cached_property
    def borders(self) -> Mapping[int, str]:
        """Fetches that an iterator of a loader has ``first`` or ``last``, by their index.

        When it begins it draws a seed, outside of any other operator, and reads it at once. If
        nothing was done since the fetch before, that one found the end of the data.
        """
        of = (call for call in self.of(Role.FETCH) if call.thread in self.training)
        fetches = sorted(of, key=lambda call: call.begin)
        begins = [call.begin for call in fetches]
        borders: dict[int, str] = {}
        # Where each fetch is followed by a seed: that one's begin.
        gaps: dict[int, float] = {}
        for seed in self._seeds() if fetches else ():
            index = bisect_right(begins, seed.begin)
            if index < len(fetches):
                borders[fetches[index].index] = "first"
                gaps[index - 1] = min(seed.begin, gaps.get(index - 1, seed.begin))
        gaps.pop(-1, None)
        for index in self._idle([(fetches[at].end, gaps[at], at) for at in sorted(gaps)]):
            borders[fetches[index].index] = "last"
        return borders

    def _seeds(self) -> list[Call]:
        """Return when loaders drew their seeds, in order of thread and time."""
        drawn = [call for call in calls(self._gathered, Role.SEED) if call.thread in self.training]
        operators = self._gathered.of(Role.OPERATOR)
        within = Within((call.thread, call.middle, call.duration) for call in drawn)
        inner = {
            number
            for role in (Role.OPERATOR, Role.FETCH)
            for number, index in within.around(self._gathered.of(role))
            if role is Role.FETCH or operators.duration[index] > drawn[number].duration
        }
        reads = sorted(
            call.begin for call in calls(self._gathered, Role.SYNC) if call.name == "aten::item"
        )
        found = []
        for number, seed in enumerate(drawn):
            read = bisect_right(reads, seed.begin)
            is_read = read < len(reads) and reads[read] - seed.end < _SEED_US
            if is_read and number not in inner:
                found.append(seed)
        return found

    def _idle(self, gaps: list[tuple[float, float, int]]) -> Iterator[int]:
        """Yield the number of each gap in which nothing was called but what draws the seed."""
        gaps.sort()
        begins = [begin for begin, _, _ in gaps]
        spans, busy = self._gathered.of(Role.OPERATOR), set[int]()
        for thread, begin, name in zip(spans.thread, spans.begin, spans.name, strict=True):
            gap = bisect_right(begins, begin) - 1
            if gap < 0 or thread not in self.training or begin >= gaps[gap][1]:
                continue
            if not names.prepares_seed(self._gathered.names[name]):
                busy.add(gap)
        yield from (number for gap, (_, _, number) in enumerate(gaps) if gap not in busy)

    @cached_property
    def fetching(self) -> Cover:
        """When the training loop was in its loader."""
        return _cover(self.of(Role.FETCH))

    @cached_property
    def compiling(self) -> Cover:
        """When something was compiled, and it was not in its loader."""
        return _cover(self.of(Role.COMPILE)).minus(self.fetching)

    @cached_property
    def syncing(self) -> Cover:
        """When it waited for the device, and nothing was fetched or compiled."""
        return _cover(self.of(Role.SYNC)).minus(self.fetching).minus(self.compiling)

    @cached_property
    def operating(self) -> Cover:
        """When operators were called, and nothing was fetched or compiled."""
        whole = self._gathered.of(Role.OPERATOR).cover(self.threads)
        return whole.minus(self.fetching).minus(self.compiling)

    @cached_property
    def dispatching(self) -> Cover:
        """When operators were dispatched: called, without waiting for the device."""
        return self.operating.minus(self.syncing)


def _cover(of: Iterable[Call]) -> Cover:
    rows = [(call.begin, call.end) for call in of]
    return Cover.of((begin for begin, _ in rows), (end for _, end in rows))
