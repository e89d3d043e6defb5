"""A trace file → ``Measures``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import MAX_STEPS, Measures
from ascend_doctor.profile.trace.device import devices, number_of
from ascend_doctor.profile.trace.gather import SHIFT, Gathered
from ascend_doctor.profile.trace.host import Host
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.steps import Timeline, steps
from ascend_doctor.profile.trace.stream import Events
from ascend_doctor.profile.trace.tallies import Tallies
from ascend_doctor.records import Note

# Files that stand in the folder of a profile with others; any other is a profile by itself.
_MEMBER = re.compile(r"trace_view.*\.json|msprof.*\.json")


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return what the events of a trace say, in bounded memory and whatever their order."""
    events = Events(text)
    gathered = Gathered(events.place)
    see = gathered.see
    for event in events:
        see(event)
    gathered.finish()
    rank, world = _distributed(events.head.get("distributedInfo"))
    rank = rank_of(path) if rank is None else rank
    host, timeline = Host(gathered), Timeline(gathered, path, rank)
    facts = _facts(gathered, is_object=events.is_object)
    if world is not None:
        facts["world_size"] = str(world)
    name = PurePosixPath(path.rpartition("!")[2]).name
    return Measures(
        "trace",
        profile_of(path) if _MEMBER.fullmatch(name) else path,
        rank=rank,
        device=number_of(gathered),
        steps=tuple(steps(gathered, host, timeline, is_cut=events.is_cut)),
        tallies=tuple(Tallies(gathered, host, timeline)),
        facts=facts,
        broken=events.broken,
        notes=tuple(_notes(events, gathered, timeline)),
    )


def _distributed(told: object) -> tuple[int | None, int | None]:
    """Return rank and number of ranks, as torch's profiler notes them."""
    if not isinstance(told, dict):
        return None, None
    rank, world = (
        value if type(value := told.get(key)) is int and 0 <= value < 1 << 31 else None
        for key in ("rank", "world_size")
    )
    return rank, world


def _facts(gathered: Gathered, *, is_object: bool) -> dict[str, str]:
    """Return what a trace says of how it was recorded."""
    facts = {}
    of = gathered.of
    if is_object:
        facts["profiler"] = "torch"
    elif of(Role.OPERATOR) or of(Role.STEP):
        facts["profiler"] = "torch_npu"
    elif of(Role.KERNEL) or of(Role.COMPUTING):
        facts["profiler"] = "msprof"
    loaders = {gathered.names[name] for name in of(Role.FETCH).name}
    is_single = any("_SingleProcess" in name for name in loaders)
    is_multi = any("_MultiProcess" in name for name in loaders)
    if is_single != is_multi:
        facts["loader"] = "single process" if is_single else "worker processes"
    if is_single and not is_multi:
        facts["workers"] = "0"
    notes = of(Role.OPERATOR).note
    if of(Role.FRAME) or any(note >> SHIFT for note in notes):
        facts["with_stack"] = "true"
    if any(note & (1 << SHIFT) - 1 for note in notes):
        facts["record_shapes"] = "true"
    return facts


def _notes(events: Events, gathered: Gathered, timeline: Timeline) -> Iterator[Note]:
    if events.unread:
        values = {"count": str(events.unread), "line": str(events.first_unread)}
        yield Note("events_unread", values)
    if gathered.untimed:
        yield Note("events_untimed", {"count": str(gathered.untimed)})
    if gathered.unended:
        yield Note("events_unpaired", {"count": str(gathered.unended)})
    if dropped := sum(spans.dropped for spans in gathered.spans.values()):
        yield Note("events_left_out", {"count": str(dropped)})
    if timeline.is_cut:
        yield Note("steps_left_out", {"count": str(MAX_STEPS)})
    if (count := len(devices(gathered))) > 1:
        yield Note("devices_as_one", {"count": str(count)})
    if not any(map(len, gathered.spans.values())):
        yield Note("no_events")
