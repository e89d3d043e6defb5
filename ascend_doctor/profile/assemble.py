"""The files of each profile put together: one ``Profile`` a rank, or device where none is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from ascend_doctor.profile.choice import memory_of, only, steps_of, tallies_of
from ascend_doctor.profile.model import Measures, Profile, Step

_T = TypeVar("_T")
# Of a rank, a device.
_Owner = tuple[int | None, str | None]

# Where msprof-analyze sums up the profiles that lie beside it.
_SUMMARY = "cluster_analysis_output"


def assemble(measures: Iterable[Measures]) -> tuple[Profile, ...]:
    """Return the profiles that files tell of, in the order of their folders and ranks.

    What several files say of the same is taken from the most exact of them: tables before
    databases, and those before traces. What a file says of no rank and device belongs to the
    only ones that others in its folder name.
    """
    folders: dict[str, list[Measures]] = defaultdict(list)
    for item in measures:
        folders[item.profile].append(item)
    found = [profile for key in sorted(folders) for profile in _of_folder(key, folders[key])]
    return tuple(_without_summaries(found))


def _of_folder(key: str, parts: list[Measures]) -> Iterator[Profile]:
    rank = only([*(p.rank for p in parts), *(s.rank for p in parts for s in p.steps)])
    device = only([*(p.device for p in parts), *(s.device for p in parts for s in p.steps)])
    owned: dict[_Owner, list[Measures]] = defaultdict(list)
    steps: dict[_Owner, list[tuple[Measures, Step]]] = defaultdict(list)
    for part in parts:
        of_part = _known(part.rank, rank), _known(part.device, device)
        owned[of_part].append(part)
        for step in part.steps:
            owner = _known(step.rank, of_part[0]), _known(step.device, of_part[1])
            steps[owner].append((part, step))
    facts = {name: text for part in parts if _is_shared(part) for name, text in part.facts.items()}
    for owner in sorted({*owned, *steps}, key=_order):
        files = owned.get(owner, [])
        if owner not in steps and not any(map(_says_something, files)):
            continue
        yield Profile(
            key=key,
            rank=owner[0],
            device=owner[1],
            steps=steps_of(steps[owner]),
            tallies=tallies_of(files),
            memory=memory_of(files),
            cards=tuple(card for part in files for card in part.cards),
            batches=tuple(batch for part in files for batch in part.batches),
            facts={**facts, **{n: text for part in files for n, text in part.facts.items()}},
            measures=tuple(files),
        )


def _without_summaries(profiles: list[Profile]) -> Iterator[Profile]:
    """Leave out what a summary says of ranks whose own profiles are there."""
    told = {
        (str(folder), profile.rank)
        for profile in profiles
        if profile.steps and profile.rank is not None and not _is_summary(profile)
        for folder in PurePosixPath(profile.key).parents
    }
    for profile in profiles:
        beside = str(PurePosixPath(profile.key).parent), profile.rank
        if not (_is_summary(profile) and beside in told):
            yield profile


def _is_summary(profile: Profile) -> bool:
    return PurePosixPath(profile.key).name.rpartition("!")[2] == _SUMMARY


def _known(said: _T | None, otherwise: _T | None) -> _T | None:
    return otherwise if said is None else said


def _is_shared(part: Measures) -> bool:
    return part.rank is None and part.device is None


def _says_something(part: Measures) -> bool:
    return bool(part.tallies or part.memory or part.cards or part.batches)


def _order(owner: _Owner) -> tuple[bool, int, str]:
    return owner[0] is None, owner[0] or 0, owner[1] or ""
