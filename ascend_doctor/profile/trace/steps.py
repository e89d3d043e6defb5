"""The steps of a trace, and what each was spent on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.profile.model import MAX_STEPS, Step
from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.device import busy
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.host import Host
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.stream import Place
from ascend_doctor.records import Evidence, Origin

# What profilers write: nanoseconds.
_DIGITS = 3


def rounded(value: float) -> float:
    """Return a time without what floating point adds to it."""
    return round(value, _DIGITS)


class Window(Struct, frozen=True):
    """A stretch that is told of as a step."""

    name: str
    begin: float
    end: float
    place: Place


class Timeline:
    """The steps in order of time; one without a name, if the trace has none.

    Attributes:
        is_cut: there are more, of which nothing is told.
    """

    def __init__(self, gathered: Gathered, path: str, rank: int | None) -> None:
        self._base = gathered.base or 0
        self._path = path
        self._origin = Origin(rank=rank)
        found = _windows(gathered, Role.STEP) or _windows(gathered, Role.ITERATION)
        self.windows = found[:MAX_STEPS] or list(_whole(gathered))
        steps = gathered.of(Role.STEP) or gathered.of(Role.ITERATION)
        self.is_cut = len(steps) > MAX_STEPS
        self._begins = [window.begin for window in self.windows]

    def step_at(self, moment: float) -> str | None:
        """Return the step that a moment is in, None if it is in none or steps are not told."""
        index = bisect_right(self._begins, moment) - 1
        if index < 0 or moment > self.windows[index].end:
            return None
        return self.windows[index].name or None

    def moment(self, begin: float) -> float:
        """Return a moment on the clock of the file."""
        return rounded(begin + self._base)

    def proof(self, place: Place) -> Evidence:
        """Return an event as proof."""
        line, offset, text = place
        return Evidence(self._path, line, text, (line, offset), origin=self._origin)


def _windows(gathered: Gathered, role: Role) -> list[Window]:
    spans = gathered.of(role)
    found = []
    for index, place in gathered.places.get(role, {}).items():
        name, begin = names.step_of(gathered.names[spans.name[index]]), spans.begin[index]
        found.append(Window(name, begin, begin + spans.duration[index], place))
    return sorted(found, key=lambda window: (window.begin, window.name, window.end))


def _whole(gathered: Gathered) -> Iterator[Window]:
    """Yield all of the trace as one window, with any event of it that can be shown."""
    places = (p for by_number in gathered.places.values() for p in by_number.values())
    place = min(places, default=None)
    if place is not None:
        yield Window("", *gathered.range(), place)


def steps(
    gathered: Gathered, host: Host, timeline: Timeline, *, is_cut: bool = False
) -> Iterator[Step]:
    """Yield the steps in order of time.

    Of a trace that is cut off, nothing is known of the device: what is not in it looks idle.
    """
    fetches = host.of(Role.FETCH)
    first = sorted(call.begin for call in fetches if host.borders.get(call.index) == "first")
    device = None if is_cut else busy(gathered)
    for window in timeline.windows:
        begin, end = window.begin, window.end
        step = Step(
            name=window.name,
            proof=timeline.proof(window.place),
            total_us=rounded(end - begin),
            begin_us=timeline.moment(begin),
            is_border=bisect_right(first, end) > bisect_right(first, begin),
        )
        if host.is_known:
            step = replace(
                step,
                # A loader that is not torch's leaves no trace.
                fetch_us=rounded(host.fetching.within(begin, end)) if fetches else None,
                compile_us=rounded(host.compiling.within(begin, end)),
                sync_us=rounded(host.syncing.within(begin, end)),
            )
        if device is not None:
            computing = device.computing.within(begin, end)
            exposed = device.exposed.within(begin, end)
            communicating = device.communicating.within(begin, end)
            step = replace(
                step,
                computing_us=rounded(computing),
                communication_us=rounded(exposed),
                overlapped_us=rounded(max(communicating - exposed, 0.0)),
                free_us=rounded(max(end - begin - computing - exposed, 0.0)),
            )
        yield step
