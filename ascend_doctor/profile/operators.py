"""``operator_details.csv``: each operator that the framework dispatched, with its call stack.

    Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),…

Shapes and stacks are written with line ends within their quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ascend_doctor.profile.calls import kind_of_operator, outer_waits
from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.table import Table
from ascend_doctor.profile.tally import Event, Tallies


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long the host was in each operator, and in those that make it wait.

    An operator counts without those it calls, so that the time of one within another counts once.
    """
    table, tallies = Table(path, text), Tallies()
    columns = table.columns
    name, shapes = columns.text("Name"), columns.text("Input Shapes")
    stack = columns.text("Call Stack")
    duration = columns.time("Host Self Duration(us)")
    has_stack = False
    for cells in table:
        named, took = name.of(cells), duration.of(cells)
        if not named or took is None or took < 0:
            table.skip()
            continue
        shape, frames = shapes.of(cells), stack.of(cells)
        has_stack = has_stack or bool(frames)
        tallies.add(
            Event(
                kind_of_operator(named),
                named,
                took,
                table.place,
                shapes=shape or None,
                detail={"operator": named, "shapes": shape, "stack": frames},
            )
        )
    found = tallies.tallies(table.proof)
    outer = outer_waits({tally.name for tally in found})
    return Measures(
        "operators",
        profile_of(path),
        rank=rank_of(path),
        tallies=tuple(replace(t, kind="host") if t.name in outer else t for t in found),
        facts={"with_stack": "true" if has_stack else "false"},
        notes=table.notes(),
    )
