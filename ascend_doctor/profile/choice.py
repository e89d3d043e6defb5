"""Which of several files of a profile is believed, where they tell of the same.

torch_npu writes tables, a trace and a database from one recording, and leaves those of CANN beside
them: summed up, everything would count twice or more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

from msgspec.structs import replace

from ascend_doctor.profile.columns import whole
from ascend_doctor.profile.model import Kind, Measures, Memory, Step, Tally
from ascend_doctor.records import Evidence

# From the most exact on. What is not listed (traces, logs) comes behind.
_EXACTEST: tuple[str, ...] = (
    *("communication", "step_trace", "kernel_details", "op_summary", "operators"),
    *("op_statistic", "communication_statistic", "api_statistic", "data_preprocess"),
    *("memory", "operator_memory", "analysis", "database"),
)
# Operators that wait are told rather than the calls by which they do if those explain so much
# of these: an operator has a line of code.
_EXPLAINED = 0.5

# msprof names what it exports by the time; large tables are cut, and all parts have one time.
_EXPORTED = re.compile(r"_(\d{14,20})\.\w+$")

_Told = TypeVar("_Told")
# How exact a file is, whether it lies in a recording within another, its folder, and of what is
# exported there several times, the last one.
_Rank = tuple[int, bool, str, str]


def tallies_of(parts: Sequence[Measures]) -> tuple[Tally, ...]:
    """Return the tallies of the files of one profile, each event once."""
    of_kind: dict[tuple[Kind, bool], list[tuple[_Rank, Tally]]] = defaultdict(list)
    for part in parts:
        for tally in part.tallies:
            group = tally.kind, tally.kind == "sync" and _is_operator(tally)
            of_kind[group].append((_rank_of(part, tally.longest.proof), tally))
    chosen = {group: _best(told) for group, told in of_kind.items()}
    waits = chosen.get(("sync", True), []), chosen.get(("sync", False), [])
    if all(waits):
        total = [sum(tally.total_us for tally in group) for group in waits]
        chosen.pop(("sync", total[0] < _EXPLAINED * total[1]))
    return tuple(tally for group in sorted(chosen) for tally in chosen[group])


def memory_of(parts: Sequence[Measures]) -> tuple[Memory, ...]:
    """Return the memory of each component as the most exact file tells it."""
    of_component: dict[tuple[str, str], list[tuple[_Rank, Memory]]] = defaultdict(list)
    for part in parts:
        for memory in part.memory:
            device = (memory.device or "").rpartition(":")[2]
            key = memory.component, device
            of_component[key].append((_rank_of(part, memory.proof), memory))
    return tuple(memory for key in sorted(of_component) for memory in _best(of_component[key])[:1])


def steps_of(told: Iterable[tuple[Measures, Step]]) -> tuple[Step, ...]:
    """Return each step once, what several files say of it put together.

    Args:
        told: the steps of one rank or device, and the file that each is from.
    """
    merged: dict[tuple[str, int], Step] = {}
    for steps in _by_file(told):
        times: dict[str, int] = defaultdict(int)
        for step in steps:
            # A file may use a name again: for each graph, or after a restart.
            key = step.name, times[step.name]
            times[step.name] += 1
            known = merged.get(key)
            merged[key] = step if known is None else _together(known, step)
    return tuple(_in_order(list(merged.values())))


def _by_file(told: Iterable[tuple[Measures, Step]]) -> Iterator[list[Step]]:
    """Yield the steps of each file, the most exact one first."""
    files: dict[tuple[_Rank, str], list[Step]] = defaultdict(list)
    for part, step in told:
        files[_rank_of(part, step.proof), step.proof.path].append(step)
    for key in sorted(files):
        yield files[key]


def _together(one: Step, other: Step) -> Step:
    """Return a step with what it lacks taken from another file."""
    missing = {
        name: getattr(other, name) for name in Step.__struct_fields__ if getattr(one, name) is None
    }
    return replace(
        one,
        is_average=one.is_average or other.is_average,
        is_border=one.is_border or other.is_border,
        **missing,
    )


def _in_order(steps: list[Step]) -> list[Step]:
    """Return steps in the order in which they ran, as far as times or numbers tell."""
    if all(step.begin_us is not None for step in steps):
        return sorted(steps, key=lambda step: step.begin_us or 0.0)
    if all(whole(step.name) is not None for step in steps):
        return sorted(steps, key=lambda step: whole(step.name) or 0)
    return steps


def _best(told: list[tuple[_Rank, _Told]]) -> list[_Told]:
    """Return what the most exact files tell; a table may be cut into several in one folder."""
    best = min(rank for rank, _ in told)
    return [item for rank, item in told if rank == best]


def _rank_of(part: Measures, proof: Evidence) -> _Rank:
    order = _ORDER.get(part.format, len(_EXACTEST))
    path = PurePosixPath(proof.path)
    folder, exported = str(path.parent), _EXPORTED.search(path.name)
    # The last one is the least.
    latest = "".join(chr(ord("9") - int(digit)) for digit in exported[1]) if exported else ""
    return order, "/PROF_" in folder and "_ascend_" in folder, folder, latest


_ORDER: Mapping[str, int] = {name: order for order, name in enumerate(_EXACTEST)}


def _is_operator(tally: Tally) -> bool:
    return "::" in tally.name


def only(values: Iterable[_Told | None]) -> _Told | None:
    """Return the one value that there is beside None, None if there are several."""
    known = {value for value in values if value is not None}
    return known.pop() if len(known) == 1 else None
