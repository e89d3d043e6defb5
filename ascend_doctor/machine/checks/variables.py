"""Environment variables that do nothing: misspelt, made up, past their time, or at odds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ascend_doctor.knowledge.versions import order
from ascend_doctor.machine.checks.paths import newest
from ascend_doctor.machine.checks.verdict import Known, Verdict, place_of, verdict
from ascend_doctor.machine.gather.variables import KEPT
from ascend_doctor.machine.model import Machine

# Letters by which a name may differ from the one that was meant, and how long it must be.
_MOST = 2
_LEAST_LENGTH = 10
# From which CANN on a name is the current one.
_SINCE = {"ASCEND_LOG_PRINT_TO_STDOUT": "9.2.0"}
_NAME = re.compile(r"[A-Z][A-Z0-9_]{3,63}")

_On = Callable[[str], bool]


def _is_on(value: str) -> bool:
    return value == "1"


def _is_two(value: str) -> bool:
    return value == "2"


# Two variables of which one makes the other useless, if both are so.
_AT_ODDS: tuple[tuple[str, _On, str, _On], ...] = (
    ("ASCEND_LAUNCH_BLOCKING", _is_on, "TASK_QUEUE_ENABLE", _is_two),
    ("PYTORCH_NO_NPU_MEMORY_CACHING", bool, "PYTORCH_NPU_ALLOC_CONF", bool),
)
# Two names of one thing.
_SAME = (
    ("ASCEND_LOG_PRINT_TO_STDOUT", "ASCEND_SLOG_PRINT_TO_STDOUT"),
    ("TORCH_NPU_WARNING_DISABLE", "TORCH_NPU_DISABLED_WARNING"),
)


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what is set in vain."""
    if machine.variables is None:
        return
    yield from _misspelt(machine, known)
    yield from _past(machine, known)
    yield from _early(machine)
    yield from _at_odds(machine)


def _misspelt(machine: Machine, known: Known) -> Iterator[Verdict]:
    names = {*known.variables, *KEPT}
    meant: dict[str, str] = {}
    for item in machine.variables or ():
        page = known.article.get(item.name)
        if page is not None and page.status == "article-only":
            found = _NAME.search(page.instead or "")
            meant[item.name] = found[0] if found else ""
        elif item.name not in names and (close := close_to(item.name, names)):
            meant[item.name] = close
    if meant:
        first = next(iter(meant))
        yield verdict(
            "variable_misspelt",
            *(place_of(machine, name) for name in meant),
            name=first,
            meant=meant[first],
            others=", ".join([*meant][1:]),
        )


def close_to(name: str, names: Collection[str]) -> str | None:
    """Return the only known name that a misspelt one may stand for.

    >>> close_to("ASCEND_RT_VISIBEL_DEVICES", ["ASCEND_RT_VISIBLE_DEVICES", "ASCEND_HOME_PATH"])
    'ASCEND_RT_VISIBLE_DEVICES'
    >>> close_to("ASCEND_MY_PATH", ["ASCEND_OPP_PATH", "ASCEND_HOME_PATH"])
    """
    if len(name) < _LEAST_LENGTH:
        return None
    near = [(distance, other) for other in names if (distance := _distance(name, other)) <= _MOST]
    best = sorted(near)[:2]
    if not best or (len(best) == 2 and best[0][0] == best[1][0]):
        return None
    # Two letters make another word of a short one: HOME, WORK.
    parts = zip(name.split("_"), best[0][1].split("_"), strict=False)
    words = [(one, other) for one, other in parts if one != other]
    if len(words) == 1 and best[0][0] * 3 >= min(map(len, words[0])):
        return None
    return best[0][1]


def _distance(one: str, other: str) -> int:
    """Return how many letters are left out, added, changed or swapped, up to beyond ``_MOST``."""
    if abs(len(one) - len(other)) > _MOST:
        return _MOST + 1
    before: list[int] = []
    last: list[int] = [*range(len(other) + 1)]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > _MOST:
            return _MOST + 1
        before, last = last, row
    return last[-1]


def _past(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield names that are deprecated in the CANN or torch_npu that is installed."""
    cann = newest(machine)
    here = order(cann.version or "") if cann else None
    past = {}
    for item in machine.variables or ():
        page = known.variables.get(item.name)
        if page is None or page.status != "deprecated" or not item.value:
            continue
        since = order(_SINCE.get(page.instead or "", ""))
        if since is None or (here is not None and here >= since):
            past[item.name] = page.instead or ""
    if past:
        first = next(iter(past))
        yield verdict(
            "variable_deprecated",
            *(place_of(machine, name) for name in past),
            name=first,
            instead=past[first],
            others=", ".join([*past][1:]),
        )


def _early(machine: Machine) -> Iterator[Verdict]:
    """Yield names that the installed CANN does not know yet."""
    cann = newest(machine)
    here = order(cann.version or "") if cann else None
    for name, since in _SINCE.items():
        wanted = order(since)
        old = next(b for a, b in _SAME if a == name)
        is_early = here and wanted and here < wanted and machine.variable(name)
        if is_early and machine.variable(old) is None and cann is not None:
            yield verdict(
                "variable_early",
                place_of(machine, name),
                cann.place,
                name=name,
                since=since,
                cann=cann.version,
                instead=old,
            )


def _at_odds(machine: Machine) -> Iterator[Verdict]:
    pairs = []
    for one, other in _SAME:
        values = machine.variable(one), machine.variable(other)
        if None not in values and values[0] != values[1]:
            pairs.append((one, other))
    for one, is_one, other, is_other in _AT_ODDS:
        if is_one(machine.variable(one) or "") and is_other(machine.variable(other) or ""):
            pairs.append((one, other))
    if pairs:
        one, other = pairs[0]
        proofs = (place_of(machine, name) for pair in pairs for name in pair)
        yield verdict("variables_at_odds", *proofs, one=one, other=other)
