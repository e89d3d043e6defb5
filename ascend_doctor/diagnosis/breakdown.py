"""Steps of profiles → where their time went, for drawing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ascend_doctor.diagnosis.chains import Chain
from ascend_doctor.diagnosis.claims import Claim
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.profile.model import Profile, Step
from ascend_doctor.records import Severity
from ascend_doctor.report import PARTS, Bar, Breakdown, Part, Place, Track

# Ranks that a report carries, and bars of each; neighbours of more steps share one.
MAX_TRACKS = 64
MAX_BARS = 200

# Positions of the diagnoses about a profile, by the lines that prove them.
_Marks = Mapping[Place, set[int]]


class _Told(NamedTuple):
    """A step with its parts in whole microseconds, which add up to its length."""

    step: Step
    parts: Mapping[Part, int]
    positions: frozenset[int]


def breakdown(
    profiles: Iterable[Profile], groups: Sequence[Sequence[Chain]], knowledge: Knowledge
) -> Breakdown:
    """Return where the time of each profile's steps went.

    Profiles of which only the length of steps is known are left out, unless a diagnosis is about
    them. ``groups`` are the chains of each diagnosis in its position.
    """
    marks = _marks(groups, knowledge)
    alike: dict[tuple[str, int | None], list[Profile]] = defaultdict(list)
    for profile in profiles:
        if any(_whole(step.total_us) for step in profile.steps):
            alike[profile.key, profile.rank].append(profile)
    drawn: list[tuple[Profile, _Marks]] = []
    for owner, same in alike.items():
        for profile in same:
            about = marks.get(owner, {})
            # A claim names a rank; devices of one rank, or of none, are told apart by its proof.
            if len(same) > 1:
                places = {_place(step) for step in profile.steps}
                about = {place: about[place] for place in about.keys() & places}
            if about or any(map(_is_measured, profile.steps)):
                drawn.append((profile, about))
    drawn.sort(key=lambda item: min(_positions(item[1]), default=math.inf))
    tracks = tuple(_track(profile, about) for profile, about in drawn[:MAX_TRACKS])
    return Breakdown(tracks, left_out=len(drawn) - len(tracks))


def split(step: Step) -> dict[Part, int]:
    """Return what a step was spent on, in whole microseconds that add up to its length.

    A part that was not measured is not in it. Where measures overlap, or are more than the step is
    long, what comes first takes its time from those behind it:

    1. computing, then communication that no computing hid;
    2. what the host did is the reason for time in which the device did neither, and so never more
       than that: inside the loader, then compiling, then waiting for the device. Where nothing is
       known of the device, all of the step is such time;
    3. preparing, as far as it is longer than these, which mostly happen before the device is
       given its first task;
    4. what is left of the time in which the device did neither is free, the rest unknown.
    """
    left = _whole(step.total_us) or 0
    told: dict[Part, int] = {}

    def take(part: Part, measured: float | None, room: int) -> int:
        amount = _whole(measured)
        if amount is None:
            return 0
        told[part] = min(amount, room)
        return told[part]

    left -= take("computing", step.computing_us, left)
    left -= take("communication", step.communication_us, left)
    is_device_known = "computing" in told and "communication" in told
    free = _whole(step.free_us)
    is_free_known = free is not None or is_device_known
    idle = left if free is None else min(free, left)
    left -= idle
    before = idle
    idle -= take("fetch", step.fetch_us, idle)
    idle -= take("compile", step.compile_us, idle)
    idle -= take("sync", step.sync_us, idle)
    preparing = _whole(step.preparing_us)
    if preparing is not None:
        idle -= take("preparing", max(0, preparing - (before - idle)), idle)
    if is_free_known:
        if left <= len(told):  # no more than what rounding leaves
            idle, left = idle + left, 0
        told["free"] = idle
    else:
        left += idle
    if left or not told:
        told["unknown"] = left
    return told


def _whole(measured: float | None) -> int | None:
    if measured is None or not math.isfinite(measured):
        return None
    return max(0, round(measured))


def _place(step: Step) -> Place:
    return Place(step.proof.path, step.proof.line)


def _marks(
    groups: Sequence[Sequence[Chain]], knowledge: Knowledge
) -> dict[tuple[str, int | None], _Marks]:
    """Return the lines that prove what is wrong with each profile, and the diagnoses they are of.

    Remarks mark nothing: who has one is not guilty of anything.
    """
    marks: dict[tuple[str, int | None], dict[Place, set[int]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for position, group in enumerate(groups, start=1):
        for claim in (c for chain in group for c in (chain.claim, *chain.followed)):
            if not _is_of_profile(claim, knowledge) or claim.severity < Severity.WARNING:
                continue
            rank = None if claim.process.rank < 0 else claim.process.rank
            for proof in (e for sighting in claim.sightings for e in sighting.evidence):
                marks[claim.process.source, rank][Place(proof.path, proof.line)].add(position)
    return {owner: dict(places) for owner, places in marks.items()}


def _is_of_profile(claim: Claim, knowledge: Knowledge) -> bool:
    rule = knowledge.rules.get(claim.rule)
    return rule is not None and rule.reader == "profile"


def _positions(marks: _Marks) -> set[int]:
    return {position for found in marks.values() for position in found}


def _is_measured(step: Step) -> bool:
    """Say whether more is known of a step than how long it took."""
    device = (step.computing_us, step.communication_us, step.free_us)
    host = (step.fetch_us, step.compile_us, step.sync_us, step.preparing_us)
    return any(measured is not None for measured in (*device, *host))


def _track(profile: Profile, marks: _Marks) -> Track:
    told = [
        _Told(step, split(step), frozenset(marks.get(_place(step), ())))
        for step in profile.steps
        if _whole(step.total_us)
    ]
    parts, total = _sum(told)
    return Track(
        profile=profile.key,
        rank=profile.rank,
        device=profile.device,
        steps=sum(item.step.count for item in told),
        total_ms=total,
        parts=parts,
        bars=tuple(_bar(group) for group in _grouped(told)),
        positions=tuple(sorted(_positions(marks))),
        is_average=any(item.step.is_average for item in told),
    )


def _grouped(told: Sequence[_Told]) -> Iterator[list[_Told]]:
    """Yield steps that share a bar: neighbours, as evenly many as can be."""
    bars = min(MAX_BARS, len(told))
    for _, group in groupby(range(len(told)), key=lambda number: number * bars // len(told)):
        yield [told[number] for number in group]


def _bar(told: Sequence[_Told]) -> Bar:
    parts, total = _sum(told)
    proof = max(told, key=lambda item: (bool(item.positions), item.step.total_us)).step
    return Bar(
        first=told[0].step.name,
        last=told[-1].step.name if told[-1].step.count == 1 else "",
        steps=sum(item.step.count for item in told),
        total_ms=total,
        parts=parts,
        proof=_place(proof),
        positions=tuple(sorted(frozenset().union(*(item.positions for item in told)))),
    )


def _sum(told: Sequence[_Told]) -> tuple[dict[Part, float], float]:
    """Return what each part took in milliseconds, and all of them."""
    names = {part for item in told for part in item.parts}
    parts = {
        part: sum(item.parts.get(part, 0) * item.step.count for item in told)
        for part in PARTS
        if part in names
    }
    return {part: us / 1000 for part, us in parts.items()}, sum(parts.values()) / 1000
