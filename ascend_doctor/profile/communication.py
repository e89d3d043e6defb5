"""``communication.json``: how long each collective operator took, and waited for its peers.

    {"step10": {"p2p": {…}, "collective": {"hcom_allReduce__123_0_1@12345": {
        "Communication Time Info": {"Start Timestamp(us)": …, "Elapse Time(ms)": …,
                                    "Wait Time(ms)": …}, "Communication Bandwidth Info": {…}}}}}

``communication_matrix.json`` says between which ranks how much was sent, and no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ascend_doctor.profile.calls import type_of
from ascend_doctor.profile.columns import Columns
from ascend_doctor.profile.documents import Document
from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.tally import Event, Tallies

_STEP = re.compile(r"step(.*)")
# A row that sums up the others.
TOTAL = "Total Op Info"


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return how long collective operators took, by their type."""
    document, tallies = Document(path, text), Tallies()
    for step, operator, times in _operators(document.value):
        columns = Columns(times)
        cells = [str(value) for value in times.values()]
        took = columns.time("Elapse Time(ms)").of(cells)
        if took is None or took < 0:
            continue
        tallies.add(
            Event(
                "collective",
                type_of("", operator),
                took,
                (0, operator),
                columns.moment("Start Timestamp(us)").of(cells),
                step,
                wait_us=columns.time("Wait Time(ms)").of(cells),
                detail={"operator": operator},
            )
        )
    return Measures(
        "communication",
        profile_of(path),
        rank=rank_of(path),
        tallies=tallies.tallies(lambda place: document.proof(document.at(place[1]))),
        broken=document.broken,
        notes=document.notes,
    )


def _operators(value: Mapping[str, Any]) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    """Yield the step, name and times of each operator."""
    for step, kinds in value.items():
        named = _STEP.fullmatch(step)
        name = named[1] if named else step
        for operators in _values(kinds):
            if not isinstance(operators, dict):
                continue
            for operator, told in operators.items():
                times = told.get("Communication Time Info") if isinstance(told, dict) else None
                if isinstance(times, dict) and operator != TOTAL:
                    yield name or None, operator, times


def _values(value: object) -> Iterator[object]:
    yield from value.values() if isinstance(value, dict) else ()
