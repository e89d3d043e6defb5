"""The host is slower than its device: it waits for it too often, or cannot dispatch as fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Kind, Profile, Step, Verdict
from ascend_doctor.profile.verdicts.naming import ident, location, ms, percent, whose
from ascend_doctor.profile.verdicts.spent import by_step, tallies, total, within
from ascend_doctor.profile.verdicts.steady import idle, is_idle, steady

# What the device waits for in ways of its own.
_OTHER_REASONS: tuple[Kind, ...] = ("fetch", "compile")


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the profiles whose host waits for each operator, often, or cannot keep up."""
    for profile in profiles:
        found = (
            _blocking(profile, limits) or _syncing(profile, limits) or _dispatching(profile, limits)
        )
        if found is not None:
            yield found


def _blocking(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of a host that waits behind nearly every operator."""
    syncs, kernels = tallies(profile, "sync"), tallies(profile, "kernel", "ai_cpu")
    waited = sum(tally.count for tally in syncs)
    executed = sum(tally.count for tally in kernels)
    if executed < limits["few-kernels"] or waited < limits["blocking-share"] * executed:
        return None
    share = _idle_for_no_reason(profile, steady(profile, limits).steps, limits)
    if share is not None and share < limits["idle-share"]:
        return None  # operators are so long that it costs nothing
    captures = {
        **whose(profile),
        "syncs": str(waited),
        "kernels": str(executed),
        "share": percent(min(1.0, waited / executed)),
        "limit": percent(limits["blocking-share"]),
    }
    return Verdict("blocking", profile, captures, (syncs[0].longest.proof,), waited)


def _syncing(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of many waits in a step, if the device has nothing to do behind them.

    One wait a step, for a loss that is printed, is long where all is well: the host is ahead.
    """
    found = tallies(profile, "sync")
    days = steady(profile, limits)
    share = _idle_for_no_reason(profile, days.steps, limits)
    steps = [step for step in profile.steps if step.total_us > 0]
    if not found or share is None or share < limits["idle-share"]:
        return None
    each = sum(tally.count for tally in found) / len(steps)
    if each < limits["sync-count"]:
        return None
    kernels = sum(tally.count for tally in tallies(profile, "kernel", "ai_cpu"))
    if kernels > limits["sync-spacing"] * each * len(steps):
        return None
    # Tables of calls have their numbers, those of operators their lines.
    told = [*found, *(tally for tally in profile.tallies if tally.kind == "sync")]
    first = max(told, key=lambda tally: (location(tally.longest) is not None, tally.total_us))
    captures = {
        **whose(profile),
        "count": f"{each:.0f}",
        "idle": percent(idle(days.steps) or 0.0),
        "call": ident(first.name),
        "calls": str(first.count),
        "longest": ms(first.longest.duration_us),
        "limit": f"{limits['sync-count']:g}",
    }
    waited = within(by_step(profile, "sync"), days.steps)
    if waited:
        captures["waits"] = ms(waited / len(days.steps))
    where = location(first.longest)
    if where is not None:
        captures |= {"file": where.file, "line": str(where.line)}
    proofs = tuple(tally.longest.proof for tally in (first, *found[:2]))
    return Verdict("syncing", profile, captures, tuple(dict.fromkeys(proofs)), first.count, where)


def _idle_for_no_reason(
    profile: Profile, steps: Sequence[Step], limits: Mapping[str, float]
) -> float | None:
    """Return the share of time in which the device idled while nothing was fetched or compiled.

    In the worst case, all that was fetched and compiled is within the idle time. What is idle in
    exceptions only counts as busy.
    """
    share, all_ = idle(steps), total(steps)
    if share is None or not all_:
        return None
    if not is_idle(steps, limits["idle-share"]):
        return 0.0
    spent = sum(within(by_step(profile, kind), steps) for kind in _OTHER_REASONS)
    return max(0.0, share - spent / all_)


def _dispatching(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of short operators, a host that is busy dispatching them, and a device that waits."""
    kernels, calls = tallies(profile, "kernel"), tallies(profile, "host")
    days = steady(profile, limits)
    share, all_ = _idle_for_no_reason(profile, days.steps, limits), total(days.steps)
    count = sum(tally.count for tally in kernels)
    steps = [step for step in profile.steps if step.total_us > 0]
    if share is None or share < limits["idle-share"] or count < limits["few-kernels"]:
        return None
    mean = sum(tally.total_us for tally in kernels) / count
    busy = within(by_step(profile, "host"), days.steps) or (
        sum(tally.total_us for tally in calls) * all_ / total(steps)
    )
    if mean >= limits["short-kernel"] or busy < limits["host-share"] * all_:
        return None
    captures = {
        **whose(profile),
        "kernels": f"{count / len(steps):.0f}",
        "mean": f"{mean:.1f}",
        "idle": percent(idle(days.steps) or 0.0),
        "busy": percent(min(1.0, busy / all_)),
        "limit": percent(limits["host-share"]),
    }
    return Verdict("dispatching", profile, captures, (calls[0].longest.proof,), count)
