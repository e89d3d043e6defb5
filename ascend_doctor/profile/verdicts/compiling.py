"""Time that goes into compiling, tiling and AI CPUs instead of into the model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Profile, Tally, Verdict
from ascend_doctor.profile.verdicts.naming import ident, location, ms, percent, whose
from ascend_doctor.profile.verdicts.spent import by_step, tallies, timed, total, within
from ascend_doctor.profile.verdicts.steady import idle, is_idle, steady

# What torch.compile's own work is called in traces; operators of CANN are compiled by other names.
_GRAPH = re.compile(
    r"dynamo|inductor|fxgraph|aot|torch-compiled|torchair|_compile\b|compile_inner|entire_frame",
    re.IGNORECASE,
)
_TILING = re.compile(r"aclnn\w+GetWorkspaceSize|tiling", re.IGNORECASE)
_WIDE_TYPES = re.compile(r"INT64|DOUBLE|FLOAT64|COMPLEX", re.IGNORECASE)


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the profiles that compile in their steps, compute tilings long, or use AI CPUs."""
    for profile in profiles:
        for one in (_compiling, _tiling, _ai_cpu):
            found = one(profile, limits)
            if found is not None:
                yield found


def _compiling(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of what is compiled behind the warm-up; in it everything is compiled once."""
    found = tallies(profile, "compile")
    times = by_step(profile, "compile")
    if not any(times.values()):
        return _unplaced(profile, found, limits)
    compared = steady(profile, limits)
    behind = compared.behind_warm_up
    spent = within(times, behind)
    hit = [step for step in behind if times.get(step.name, 0.0) > 0]
    is_seldom = len(hit) < limits["compile-steps"] and len(hit) < len(behind)
    if not hit or is_seldom or len(behind) < 2 or spent < limits["compile-share"] * total(behind):
        return None
    free = [step.free_us for step in hit if step.free_us is not None]
    if free and sum(free) < limits["accounted-share"] * spent:
        return None  # the device had enough to do meanwhile
    names = {step.name for step in hit}
    found = tuple(tally for tally in found if names & tally.by_step.keys()) or found
    worst = max(hit, key=lambda step: times[step.name])
    captures = {
        **whose(profile),
        "spent": ms(spent),
        "share": percent(min(1.0, spent / total(behind))),
        "hit": str(len(hit)),
        "steps": str(len(behind)),
        "each": ms(spent / len(hit)),
        "worst": ms(times[worst.name]),
        "worst_step": worst.name,
        "limit": percent(limits["compile-share"]),
    }
    if compared.warm_up:
        captures["left_out"] = str(compared.warm_up)
    captures |= _operators(found)
    spans = [tally.longest for tally in found if tally.longest.step in names]
    proofs = [span.proof for span in spans[:3]] or [worst.proof]
    name = "graph_compiled" if found and _is_graph(found[0]) else "operators_compiled"
    where = location(found[0].longest) if found else None
    return Verdict(name, profile, captures, tuple(proofs), len(hit), where)


def _unplaced(
    profile: Profile, found: Sequence[Tally], limits: Mapping[str, float]
) -> Verdict | None:
    """Tell of much compiling that cannot be told from the warm-up."""
    count, spent = sum(tally.count for tally in found), sum(tally.total_us for tally in found)
    if count < limits["compile-count"] or _is_graph(found[0]):
        return None
    steps = timed(profile)
    if spent < limits["compile-share"] * total(steps):
        return None
    free = idle(steps)
    if free is not None and free * total(steps) < limits["accounted-share"] * spent:
        return None  # the device had enough to do meanwhile
    captures = {
        **whose(profile),
        "count": str(count),
        "spent": ms(spent),
        "limit": f"{limits['compile-count']:g}",
        **_operators(found),
    }
    return Verdict("compiled_unplaced", profile, captures, (found[0].longest.proof,), count)


def _is_graph(tally: Tally) -> bool:
    return _GRAPH.search(tally.name) is not None


def _operators(found: Sequence[Tally]) -> dict[str, str]:
    """Return the captures about what was compiled, as far as it has names."""
    names: dict[str, None] = {}
    for tally in found:
        names[tally.longest.detail.get("operator") or tally.name] = None
    captures = {"operator": ident(next(iter(names), ""))}
    if len(names) > 1:
        captures["operators"] = str(len(names))
    shapes = [tally.shapes for tally in found if tally.shapes]
    if shapes:
        captures["shapes"] = str(max(shapes))
    return captures


def _tiling(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of a host that is slower at preparing operators than the device at executing them."""
    found = [tally for tally in tallies(profile, "api") if _TILING.search(tally.name)]
    steps = timed(profile)
    spent = sum(tally.total_us for tally in found)
    compared = steady(profile, limits).steps
    share = idle(compared)
    if not found or spent < limits["tiling-share"] * total(steps):
        return None
    if share is None or not is_idle(compared, limits["idle-share"]):
        return None
    kernels = tallies(profile, "kernel")
    captures = {
        **whose(profile),
        "operator": ident(found[0].name),
        "count": str(sum(tally.count for tally in found)),
        "spent": ms(spent),
        "share": percent(min(1.0, spent / total(steps))),
        "idle": percent(share),
        "limit": percent(limits["tiling-share"]),
    }
    dynamic = sum(tally.dynamic or 0 for tally in kernels)
    if dynamic:
        captures["dynamic"] = str(dynamic)
    return Verdict("host_tiling", profile, captures, (found[0].longest.proof,))


def _ai_cpu(profile: Profile, limits: Mapping[str, float]) -> Verdict | None:
    """Tell of operators that run on the AI CPUs for a good part of the steps."""
    found = tallies(profile, "ai_cpu")
    steps = timed(profile)
    spent, all_ = sum(tally.total_us for tally in found), total(steps)
    if not all_:
        # Without steps the time of all operators is what there is to compare with.
        all_ = spent + sum(tally.total_us for tally in tallies(profile, "kernel"))
    if not found or not all_ or spent < limits["ai-cpu-share"] * all_:
        return None
    first = found[0]
    captures = {
        **whose(profile),
        "operator": ident(first.name),
        "count": str(first.count),
        "spent": ms(first.total_us),
        "all": ms(spent),
        "share": percent(min(1.0, spent / all_)),
        "longest": ms(first.longest.duration_us),
        "limit": percent(limits["ai-cpu-share"]),
    }
    if len(found) > 1:
        captures["operators"] = str(len(found))
    wide = _WIDE_TYPES.search(first.longest.detail.get("dtype", ""))
    if wide is not None:
        captures["dtype"] = wide[0]
    proofs = tuple(tally.longest.proof for tally in found[:3])
    return Verdict("ai_cpu", profile, captures, proofs, first.count, location(first.longest))
