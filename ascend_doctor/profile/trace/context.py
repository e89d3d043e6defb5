"""What a call of the host was made for: its operator, the shapes of its inputs, its stack."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from ascend_doctor.profile.trace import names
from ascend_doctor.profile.trace.columns import Spans
from ascend_doctor.profile.trace.gather import SHIFT, Gathered
from ascend_doctor.profile.trace.names import Role
from ascend_doctor.profile.trace.nesting import Call, Within

_MAX_STACK = 1000
# Where an object was: another in every run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_DIMENSIONS = re.compile(r"\[([\d, ]*)\]")


class Context(Struct):
    """What is known of a call beside its time.

    Attributes:
        operator: of a compilation, what was compiled; else the operator that the program called.
        shapes: of its inputs, ``8,16;16,32``.
        stack: functions of Python, the innermost first.
        compile_id: frame and number of a compilation of torch.compile.
    """

    operator: str | None = None
    shapes: str | None = None
    stack: str | None = None
    compile_id: str | None = None


def contexts(gathered: Gathered, of: Sequence[Call]) -> list[Context]:
    """Return what some calls were made for, in their order."""
    found = [Context() for _ in of]
    within = Within((call.thread, call.middle, call.duration) for call in of)
    _from_operators(gathered, within, found)
    _from_queue(gathered, of, within, found)
    for number, call in enumerate(of):
        if call.role is Role.SYNC and call.name.startswith("aten::"):
            found[number].operator = found[number].operator or call.name
    _compile_ids(gathered, of, found)
    _from_what_was_compiled(gathered, of, found)
    return found


def add_stacks(gathered: Gathered, of: Sequence[tuple[Call, Context]]) -> None:
    """Add the functions of Python around calls, where the trace has them."""
    frames = gathered.of(Role.FRAME)
    within = Within((call.thread, call.middle, call.duration) for call, _ in of)
    around: dict[int, list[tuple[float, float, int]]] = {}
    for number, index in within.around(frames):
        frame = frames.duration[index], -frames.begin[index], frames.name[index]
        around.setdefault(number, []).append(frame)
    for number, stack in around.items():
        told = "; ".join(gathered.names[name] for *_, name in sorted(stack))
        of[number][1].stack = _stack(told)


def _stack(told: str) -> str:
    return " ".join(_ADDRESS.sub("", told).split())[:_MAX_STACK]


def _from_operators(gathered: Gathered, within: Within, found: list[Context]) -> None:
    """Add the outermost operator around each call, and what the innermost say that has it."""
    spans = gathered.of(Role.OPERATOR)
    inner: dict[tuple[int, int], float] = {}
    outer: dict[int, float] = {}
    for number, index in within.around(spans):
        duration, note = spans.duration[index], spans.note[index]
        context = found[number]
        if duration > outer.get(number, -1):
            name = gathered.names[spans.name[index]]
            # Autograd's own frame around an operator tells nothing of it.
            if not name.startswith(("autograd::", "torch::autograd")) or context.operator is None:
                context.operator = name
                outer[number] = duration
        for part, text in enumerate((note & (1 << SHIFT) - 1, note >> SHIFT)):
            if text and duration < inner.get((number, part), float("inf")):
                inner[number, part] = duration
                told = gathered.notes[text]
                if part:
                    context.stack = _stack(told)
                else:
                    context.shapes = _shapes(told) or context.shapes


def _from_queue(
    gathered: Gathered, of: Sequence[Call], within: Within, found: list[Context]
) -> None:
    """Add to what a queue's thread compiles what the thread says that put it into the queue."""
    taken = gathered.of(Role.DEQUEUE)
    wanted: dict[int, list[int]] = {}
    for number, index in within.around(taken):
        if of[number].role is Role.COMPILE:
            found[number].operator = names.operator_of(gathered.names[taken.name[index]])
            wanted.setdefault(taken.note[index], []).append(number)
    wanted.pop(-1, None)
    if not wanted:
        return
    put = gathered.of(Role.ENQUEUE)
    numbers: list[list[int]] = []
    moments: list[tuple[int, float, float]] = []
    for thread, begin, duration, note in _rows(put):
        if note in wanted:
            numbers.append(wanted[note])
            moments.append((thread, begin + duration / 2, duration))
    origins = [Context() for _ in moments]
    _from_operators(gathered, Within(moments), origins)
    for targets, origin in zip(numbers, origins, strict=True):
        for number in targets:
            found[number].shapes = found[number].shapes or origin.shapes
            found[number].stack = found[number].stack or origin.stack


def _rows(spans: Spans) -> zip[tuple[int, float, float, int]]:
    return zip(spans.thread, spans.begin, spans.duration, spans.note, strict=True)


def _compile_ids(gathered: Gathered, of: Sequence[Call], found: list[Context]) -> None:
    """Add which compilation each is, by the events within it that say so."""
    told = gathered.of(Role.COMPILE_ID)
    if not told:
        return
    compiled = [number for number, call in enumerate(of) if call.role is Role.COMPILE]
    moments = [(t, b + d / 2, d) for t, b, d, _ in _rows(told)]
    spans = Spans(len(compiled))
    for number in compiled:
        call = of[number]
        spans.add(call.begin, call.duration, call.thread, 0)
    first: dict[int, float] = {}
    for mark, index in Within(moments).around(spans):
        if told.begin[mark] < first.get(index, float("inf")):
            first[index] = told.begin[mark]
            context = found[compiled[index]]
            context.compile_id = names.compile_id_of(gathered.names[told.name[mark]])


def _from_what_was_compiled(gathered: Gathered, of: Sequence[Call], found: list[Context]) -> None:
    """Add to a compilation of torch.compile the shapes that its result is called with at once."""
    ends: dict[int, list[tuple[float, int]]] = {}
    for number, call in enumerate(of):
        if found[number].compile_id is not None and found[number].shapes is None:
            ends.setdefault(call.thread, []).append((call.end, number))
    for pairs in ends.values():
        pairs.sort()
    next_begins: dict[int, float] = {}
    spans = gathered.of(Role.OPERATOR) if ends else Spans(0)
    for thread, begin, _, note in _rows(spans):
        shapes = note & (1 << SHIFT) - 1
        if not shapes or thread not in ends:
            continue
        index = bisect_right(ends[thread], (begin, len(of))) - 1
        if index < 0:
            continue
        number = ends[thread][index][1]
        if begin < next_begins.get(number, float("inf")):
            next_begins[number] = begin
            found[number].shapes = _shapes(gathered.notes[shapes])


def _shapes(told: str) -> str | None:
    """Return shapes as tables have them, those of scalars left out.

    >>> _shapes("[[8, 16], [[2], [2]], []]"), _shapes("3,4;\\r\\n;\\r\\n4")
    ('8,16;2;2', '3,4;4')
    """
    if told.startswith("["):
        parts = [part.replace(" ", "") for part in _DIMENSIONS.findall(told)]
    else:
        parts = [part.strip() for part in told.split(";")]
    return ";".join(filter(None, parts)) or None
