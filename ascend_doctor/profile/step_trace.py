r"""Tables with a row a step: where its time went.

torch_npu's profiler writes one row a step and device, msprof-analyze one a step and rank:

    Device_id,Step,Computing,Communication(Not Overlapped),…,Free,Stage,…        (times in µs)
    Step,Type,Index,Computing,Communication(Not Overlapped),…,Free,Stage,…

``Free`` is the time in which the device neither computed nor communicated: the host had
not given it anything to do. msprof writes one row an iteration of a graph:

    Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),…
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ascend_doctor.profile.columns import RANK_DIGITS, Cells, whole
from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import MAX_STEPS, Measures, Step
from ascend_doctor.profile.table import Table
from ascend_doctor.records import Note

# Characters of the name of a step.
_MAX_NAME = 64
_Made = Callable[[Cells], Step | None]


def read(path: str, text: Iterator[bytes]) -> Measures:
    """Return the steps of a table, at most ``MAX_STEPS``.

    Rows that cannot be read (cut off, not a number) are left out, and counted in a note.
    """
    return _read(path, text, _steps)


def read_iterations(path: str, text: Iterator[bytes]) -> Measures:
    """Return the iterations of msprof's table, at most ``MAX_STEPS``."""
    return _read(path, text, _iterations)


def _read(path: str, text: Iterator[bytes], maker: Callable[[Table], _Made]) -> Measures:
    table = Table(path, text)
    make, kind = maker(table), table.columns.text("Type")
    steps: list[Step] = []
    notes: list[Note] = []
    for cells in table:
        # A stage is the sum of rows that are there already.
        if kind.of(cells) not in ("", "rank"):
            continue
        step = make(cells)
        if step is None:
            table.skip()
        elif len(steps) == MAX_STEPS:
            notes.append(Note("steps_left_out", {"count": str(MAX_STEPS)}))
            break
        else:
            steps.append(step)
    notes += table.notes()
    if not steps:
        notes.append(Note("no_steps"))
    return Measures(
        "step_trace", profile_of(path), rank=rank_of(path), steps=tuple(steps), notes=tuple(notes)
    )


def _steps(table: Table) -> _Made:
    columns = table.columns
    computing = columns.time("Computing")
    communication = columns.time("Communication(Not Overlapped)")
    free, overlapped = columns.time("Free"), columns.time("Overlapped")
    bubble, preparing = columns.time("Bubble"), columns.time("Preparing")
    name, index = columns.text("Step"), columns.text("Index")
    device = columns.text("Device_id")

    def make(cells: Cells) -> Step | None:
        parts = [column.of(cells) for column in (computing, communication, free)]
        if any(part is None or part < 0 for part in parts):
            return None
        before = preparing.of(cells)
        rank = whole(index.of(cells), RANK_DIGITS)
        return Step(
            name=name.of(cells)[:_MAX_NAME],
            proof=table.proof(rank=rank),
            total_us=sum(part or 0.0 for part in parts),
            rank=rank,
            device=device.of(cells) or None,
            computing_us=parts[0],
            communication_us=parts[1],
            overlapped_us=overlapped.of(cells),
            free_us=parts[2],
            bubble_us=bubble.of(cells),
            # A step in which the device was given nothing has a first task before all times.
            preparing_us=before if before is None or before >= 0 else None,
        )

    return make


def _iterations(table: Table) -> _Made:
    columns = table.columns
    total, end = columns.time("Iteration Time(us)"), columns.moment("Iteration End(us)")
    # From the end of an iteration until the device begins the next one.
    gap = columns.time("Data Aug Bound(us)")
    name, device = columns.text("Iteration ID"), columns.text("Device_id")

    def make(cells: Cells) -> Step | None:
        took, ended, waited = total.of(cells), end.of(cells), gap.of(cells)
        if took is None or took < 0:
            return None
        return Step(
            name=name.of(cells)[:_MAX_NAME],
            proof=table.proof(),
            total_us=took,
            device=device.of(cells) or None,
            begin_us=None if ended is None else ended - took,
            free_us=waited if waited is not None and 0 <= waited <= took else None,
        )

    return make
