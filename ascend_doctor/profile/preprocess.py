"""``data_preprocess.csv`` and ``aicpu_*.csv``: what AI CPU operators did, phase by phase.

Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),…,Total_time(us),…
"""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.profile.calls import type_of
from ascend_doctor.profile.kinds import device_of, profile_of, rank_of
from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.table import Table
from ascend_doctor.profile.tally import Event, Tallies


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long AI CPU operators took in all, by their node."""
    table, tallies = Table(path, text), Tallies()
    columns = table.columns
    node, device = columns.text("Node"), columns.text("Device_id")
    begin, total = columns.moment("Timestamp(us)"), columns.time("Total_time(us)")
    task = columns.text("Task ID")
    devices: set[str] = set()
    for cells in table:
        named, took = node.of(cells), total.of(cells)
        if not named or took is None or took < 0:
            table.skip()
            continue
        if len(devices) < 2:
            devices.add(device.of(cells))
        tallies.add(
            Event(
                "preprocess",
                type_of("", named),
                took,
                table.place,
                begin.of(cells),
                core="AI_CPU",
                detail={"operator": named, "task": task.of(cells)},
            )
        )
    return Measures(
        "data_preprocess",
        profile_of(path),
        rank=rank_of(path),
        device=device_of(path, devices),
        tallies=tallies.tallies(table.proof),
        notes=table.notes(),
    )
