"""Cards, their device nodes, and the devices that a job may see."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascend_doctor.machine.checks.verdict import Known, Verdict, place_of, verdict
from ascend_doctor.machine.model import COMPANIONS, Machine, Place

# Those of virtual NPUs begin with a v.
_DEVICE = re.compile(r"/dev/v?davinci\d+")
_VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"


def devices_of(machine: Machine) -> tuple[str, ...]:
    """Return the nodes that are cards."""
    return tuple(n.path for n in machine.nodes or () if _DEVICE.fullmatch(n.path))


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what keeps a job from its cards."""
    found = devices_of(machine)
    if machine.nodes is not None:
        yield from _nodes(machine, found)
    if machine.variables is not None:
        yield from _visible(machine, len(found))


def _nodes(machine: Machine, found: tuple[str, ...]) -> Iterator[Verdict]:
    there = {node.path.rpartition("/")[2] for node in machine.nodes or ()}
    container = machine.host.container
    if found:
        missing = [f"/dev/{names[0]}" for names in COMPANIONS if there.isdisjoint(names)]
        if missing:
            yield verdict(
                "nodes_missing",
                *(Place("/dev", 1, f"{path} is not there") for path in missing),
                missing=", ".join(missing),
                device=found[0],
                container=container.value if container else None,
            )
        refused = next((n for n in machine.nodes or () if n.is_usable is False), None)
        if refused is not None:
            text = f"{refused.path} {refused.mode} {refused.owner}:{refused.group}"
            yield verdict(
                "node_refused",
                Place(refused.path, 1, text),
                node=refused.path,
                mode=refused.mode,
                group=refused.group,
            )
    elif machine.chips is not None:
        yield verdict(
            "nodes_absent",
            machine.chips.place,
            Place("/dev", 1, "no /dev/davinci0, /dev/davinci1 …"),
            chip=machine.chips.name,
            count=str(machine.chips.count),
            container=container.value if container else None,
        )
    else:
        yield verdict("no_npu", Place("/dev", 1, "no /dev/davinci0, /dev/davinci1 …"))


def _visible(machine: Machine, count: int) -> Iterator[Verdict]:
    value = (machine.variable(_VISIBLE) or "").strip()
    if not value:
        return
    place = place_of(machine, _VISIBLE)
    ids = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"\d{1,4}", part) for part in ids):
        yield verdict("visible_malformed", place, value=value)
        return
    numbers = [int(part) for part in ids]
    if sorted({*numbers}) != numbers:
        yield verdict("visible_malformed", place, value=value)
    elif count and max(numbers) >= count:
        proof = Place("/dev", 1, " ".join(f"/dev/{p[5:]}" for p in devices_of(machine)[:16]))
        yield verdict(
            "visible_outside", place, proof, value=value, count=str(count), last=str(count - 1)
        )
