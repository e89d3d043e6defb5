"""The files of each profile put together: one ``Profile`` a rank, or device where none is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ascend_doctor.profile.model import Measures, Profile, Step

_Owner = tuple[str, int | None, str | None]


def assemble(measures: Iterable[Measures]) -> tuple[Profile, ...]:
    """Return the profiles that files tell of, in the order of their folders and ranks."""
    owned: dict[_Owner, list[Measures]] = defaultdict(list)
    steps: dict[_Owner, list[Step]] = defaultdict(list)
    for item in measures:
        for step in item.steps:
            rank = item.rank if step.rank is None else step.rank
            device = item.device if step.device is None else step.device
            steps[item.profile, rank, device].append(step)
        owned[item.profile, item.rank, item.device].append(item)
    found = []
    for key in sorted({*owned, *steps}, key=lambda k: (k[0], k[1] is None, k[1] or 0, k[2] or "")):
        parts = owned.get(key, [])
        if key not in steps and not any(p.tallies or p.memory or p.cards for p in parts):
            continue
        found.append(
            Profile(
                key=key[0],
                rank=key[1],
                device=key[2],
                steps=tuple(steps[key]),
                tallies=tuple(t for part in parts for t in part.tallies),
                memory=tuple(m for part in parts for m in part.memory),
                cards=tuple(c for part in parts for c in part.cards),
                batches=tuple(b for part in parts for b in part.batches),
                facts={name: text for part in parts for name, text in part.facts.items()},
                measures=tuple(parts),
            )
        )
    return tuple(found)
