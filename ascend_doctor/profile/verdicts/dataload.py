"""The training thread waits for its loader: how long, why, and what would help.

A fetch costs nothing while the device still works on what it was given before. So where a profile
says how long the device was idle, that has to cover a good part of the fetches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.profile.columns import whole
from ascend_doctor.profile.model import Profile, Step, Tally, Verdict
from ascend_doctor.profile.verdicts.naming import counted, ms, percent, whose
from ascend_doctor.profile.verdicts.spent import by_step, tallies, timed, total, within
from ascend_doctor.profile.verdicts.steady import Steady, idle, is_idle, is_usual, steady
from ascend_doctor.records import Evidence

# Of fewer fetches it cannot be told which is the slow one.
_FEW = 3

_SINGLE, _MULTIPLE = "SingleProcess", "MultiProcessing"


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the profiles whose steps wait for data, and those with one slow fetch."""
    for profile in profiles:
        found = _waiting(profile, limits) or _slow_fetch(profile, limits)
        if found is not None:
            yield found
        yield from _preprocessing(profile, limits)


class _Fetches(Struct, frozen=True):
    """Fetches of the steps that can be compared; times in µs."""

    compared: Steady
    times: Mapping[str, float]
    worst: Step
    first: float

    @property
    def data(self) -> float:
        """Time in fetches a step."""
        spent = within(self.times, self.compared.steps) - self.first
        return max(0.0, spent) / len(self.compared.steps)

    @property
    def step(self) -> float:
        """Time of a step."""
        return max(1e-9, total(self.compared.steps) - self.first) / len(self.compared.steps)

    @property
    def compute(self) -> float:
        """Time of a step without its fetches."""
        return max(0.0, self.step - self.data)

    @property
    def share(self) -> float:
        """Share of the steps that is spent in fetches."""
        return self.data / self.step

    @property
    def shares(self) -> tuple[float, ...]:
        """The same of each step by itself, long ones among them."""
        steps = self.compared.behind_warm_up or self.compared.steps
        return tuple(self.times.get(step.name, 0.0) / step.total_us for step in steps)


def _fetches(profile: Profile, limits: Mapping[str, float]) -> _Fetches | None:
    times = by_step(profile, "fetch")
    compared = steady(profile, limits)
    whole = _whole(profile)
    first = 0.0
    if whole is not None:
        # Without steps the first fetch, in which a loader begins, cannot be told by its place.
        counts = tallies(profile, "fetch")
        if not counts or sum(tally.count for tally in counts) < limits["few-steps"]:
            return None
        times = {whole.name: sum(tally.total_us for tally in counts)}
        first = max(tally.longest.duration_us for tally in counts)
        compared = Steady((whole,))
    else:
        compared = replace(
            compared, steps=tuple(step for step in compared.steps if step.name in times)
        )
    if not compared.steps:
        return None
    worst = max(compared.steps, key=lambda step: times[step.name])
    return _Fetches(compared, times, worst, first)


def _whole(profile: Profile) -> Step | None:
    """Return the row about all of a profile that has no steps."""
    steps = timed(profile)
    return steps[0] if len(steps) == 1 and not steps[0].name else None


def _waiting(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    found = _fetches(profile, limits)
    if found is None or found.share < limits["fetch-share"]:
        return None
    if not is_usual(found.shares, limits["fetch-share"]):
        return None
    free = [step.free_us for step in found.compared.steps if step.free_us is not None]
    if free and sum(free) / len(free) < limits["accounted-share"] * found.data:
        return None  # the device had enough to do meanwhile
    is_sure = len(found.compared.steps) >= limits["few-steps"] and not any(
        step.is_average for step in found.compared.steps
    )
    kind, workers = _loader(profile)
    captures = {
        **whose(profile),
        **counted(found.compared),
        "share": percent(found.share),
        "data": ms(found.data),
        "step": ms(found.step),
        "compute": ms(found.compute),
        "worst": ms(found.times[found.worst.name]),
        "limit": percent(limits["fetch-share"]),
    }
    if found.worst.name:
        captures["worst_step"] = found.worst.name
    name = "loader_waits"
    if is_sure and kind == _SINGLE:
        is_hidden = found.data <= found.compute
        name = "loader_serial" if is_hidden else "loader_serial_slow"
        if not is_hidden and found.compute > 0:
            captures["wanted"] = str(math.ceil(found.data / found.compute))
    elif is_sure and kind == _MULTIPLE:
        name = "loader_behind"
        if found.compute > 0:
            captures["times"] = f"{found.step / found.compute:.1f}"
        if workers and found.compute > 0:
            captures["workers"] = str(workers)
            captures["wanted"] = str(math.ceil(workers * found.step / found.compute))
    proofs = (_proof(profile, found), found.worst.proof)
    return Verdict(name, profile, captures, tuple(dict.fromkeys(proofs)), len(found.compared.steps))


def _proof(profile: Profile, found: _Fetches) -> Evidence:
    """Return the fetch that says it best: the longest one of the worst step, if it is told."""
    spans = (tally.longest for tally in tallies(profile, "fetch"))
    fits = [span for span in spans if span.step is None or span.step == found.worst.name]
    return max(fits, key=lambda span: span.duration_us).proof if fits else found.worst.proof


def _loader(profile: Profile) -> tuple[str | None, int | None]:
    """Return what kind of loader fetches, and how many workers it has."""
    workers = whole(profile.facts.get("workers", ""))
    names = " ".join([profile.facts.get("loader", ""), *(t.name for t in _by_time(profile))])
    kinds = [kind for kind in (_SINGLE, _MULTIPLE) if kind.lower() in names.lower()]
    if workers == 0 or kinds == [_SINGLE]:
        return _SINGLE, 0
    return (_MULTIPLE if workers or kinds == [_MULTIPLE] else None), workers


def _by_time(profile: Profile) -> tuple[Tally, ...]:
    """Return the iterators that take most of the fetching."""
    found = tallies(profile, "fetch")
    most = sum(tally.total_us for tally in found) / 2
    return tuple(tally for tally in found if tally.total_us >= most)


def _slow_fetch(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of one fetch that was far longer than others; it costs little, and may be a sign."""
    times = by_step(profile, "fetch")
    compared = steady(profile, limits)
    known = [step for step in compared.behind_warm_up if step.name in times and not step.is_average]
    if len(known) < _FEW:
        return None
    worst = max(known, key=lambda step: times[step.name])
    usual = median(times[step.name] for step in known)
    longest = times[worst.name]
    if longest < max(limits["long-step"] * usual, limits["slow-fetch"] * 1000):
        return None
    if worst.free_us is not None and worst.free_us < limits["accounted-share"] * longest:
        return None  # the device had enough to do meanwhile
    captures = {
        **whose(profile),
        "worst": ms(longest),
        "worst_step": worst.name,
        "usual": ms(usual),
        "steps": str(len(known)),
    }
    spans = [t.longest for t in tallies(profile, "fetch") if t.longest.step == worst.name]
    return Verdict("slow_fetch", profile, captures, (spans[0].proof if spans else worst.proof,))


def _preprocessing(profile: Profile, limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield if operators of the data pipeline take much of the device's AI CPUs.

    AI CPUs work beside the cores that compute, so this costs something only where the device idles.
    """
    found = tallies(profile, "preprocess")
    steps = timed(profile)
    spent, all_ = sum(tally.total_us for tally in found), total(steps)
    if not found or not all_ or spent < limits["preprocess-share"] * all_:
        return
    compared = steady(profile, limits).steps
    free = idle(compared)
    if free is not None and not is_idle(compared, limits["idle-share"]):
        return
    captures = {
        **whose(profile),
        "operator": found[0].name,
        "count": str(sum(tally.count for tally in found)),
        "spent": ms(spent),
        "share": percent(min(1.0, spent / all_)),
        "limit": percent(limits["preprocess-share"]),
    }
    if free is not None:
        captures["idle"] = percent(free)
    accounts = free is not None and spent >= limits["accounted-share"] * free * all_
    name = "preprocessing" if accounts else "preprocessing_beside"
    yield Verdict(name, profile, captures, (found[0].longest.proof,))
