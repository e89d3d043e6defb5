"""Padding in batches of different lengths, and what other ways of batching would leave of it.

What grouping, token budgets and packing bring is computed from the lengths themselves, sorted as a
whole: the most that each way can reach.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.profile.model import Batches, Profile, Verdict
from ascend_doctor.profile.verdicts.naming import percent, whose

# Different lengths that are told apart; more are rounded up to as many.
MAX_LENGTHS = 2048
# What would be saved is computed for so many rows or more.
_ROWS = 64

_Lengths = Sequence[tuple[int, int]]


def judge(profiles: Sequence[Profile], limits: Mapping[str, float]) -> Iterator[Verdict]:
    """Yield the worst batches of each profile that has any, if much of them is padding."""
    for profile in profiles:
        known = [
            one
            for one in profile.batches
            if 0 < one.tokens <= one.slots and one.batches >= limits["few-steps"]
        ]
        worst = max(known, key=_padding, default=None)
        if worst is None or _padding(worst) < limits["padding-remark"]:
            continue
        is_bad = _padding(worst) >= limits["padding-share"]
        captures = {
            **whose(profile),
            "padding": percent(_padding(worst)),
            "effective": percent(worst.tokens / worst.slots),
            "tokens": str(worst.tokens),
            "slots": str(worst.slots),
            "batches": str(worst.batches),
            "limit": percent(limits["padding-share" if is_bad else "padding-remark"]),
            **_better(worst),
        }
        yield Verdict(
            "padding" if is_bad else "padding_some",
            profile,
            captures,
            (worst.proof,),
            worst.batches,
        )


def _padding(batches: Batches) -> float:
    return (batches.slots - batches.tokens) / batches.slots


def _better(batches: Batches) -> dict[str, str]:
    """Return the share of real tokens that other ways of batching would have."""
    lengths = _rounded(batches.lengths)
    count = sum(number for _, number in lengths)
    if not lengths or batches.batches < 1 or count < 2 * batches.batches:
        return {}  # batches of one sequence have no padding to lose
    size = round(count / batches.batches)
    budget = max(batches.slots // batches.batches, lengths[-1][0])
    # A training goes on with lengths like these: the last row, which is not full, is one of many.
    times = -(-_ROWS * budget // sum(length * number for length, number in lengths))
    lengths = [(length, times * number) for length, number in lengths]
    tokens = sum(length * number for length, number in lengths)
    return {
        "size": str(size),
        "grouped": percent(tokens / grouped(lengths, size)),
        "budgeted": percent(tokens / budgeted(lengths, budget)),
        "packed": percent(tokens / packed(lengths, budget)),
        "budget": str(budget),
    }


def _rounded(lengths: Mapping[int, int]) -> _Lengths:
    """Return lengths with how many have them, ascending, at most ``MAX_LENGTHS``."""
    known = {length: number for length, number in lengths.items() if length > 0 and number > 0}
    wide = -(-max(known, default=1) // MAX_LENGTHS) if len(known) > MAX_LENGTHS else 1
    found: dict[int, int] = {}
    for length, number in known.items():
        upper = -(-length // wide) * wide
        found[upper] = found.get(upper, 0) + number
    return sorted(found.items())


def grouped(lengths: _Lengths, size: int) -> int:
    """Return the slots of batches of ``size`` neighbours in the order of their lengths.

    >>> grouped([(10, 2), (100, 2)], 2)
    220
    """
    slots = end = 0
    for length, number in lengths:
        begin, end = end, end + number
        # A batch is as long as its last sequence: those of which that is one of these.
        slots += (end // size - begin // size) * size * length
    return slots + end % size * lengths[-1][0]


def budgeted(lengths: _Lengths, budget: int) -> int:
    """Return the slots of batches of sorted sequences that hold at most ``budget`` slots each.

    >>> budgeted([(10, 20), (100, 2)], 200)
    400
    """
    slots = inside = longest = 0
    for length, number in lengths:
        each = max(1, budget // length)
        if inside >= each:
            slots += inside * longest
            inside = 0
        full, inside = divmod(inside + number, each)
        slots += full * each * length
        longest = length
    return slots + inside * longest


def packed(lengths: _Lengths, capacity: int) -> int:
    """Return the slots of rows of ``capacity`` that are filled best-fit, the longest first.

    >>> packed([(40, 1), (60, 1), (100, 1)], 100)
    200
    """
    rooms: dict[int, int] = {}
    sizes: list[int] = []

    def leave(room: int, number: int) -> None:
        if room not in rooms:
            rooms[room] = 0
            insort(sizes, room)
        rooms[room] += number

    rows = 0
    for length, left in reversed(lengths):
        while left:
            at = bisect_left(sizes, length)
            room = sizes[at] if at < len(sizes) else capacity
            # What is left of a row after one of them is the best fit for the next.
            each = max(1, room // length)
            full, rest = divmod(left, each)
            if at == len(sizes):
                rows += full + (rest > 0)
            else:
                there = rooms.pop(room)
                sizes.pop(at)
                full, rest = (full, rest) if full < there else (there, 0)
                if there > full + (rest > 0):
                    leave(room, there - full - (rest > 0))
            if full:
                leave(room - each * length, full)
            if rest:
                leave(room - rest * length, 1)
            left -= full * each + rest
    return rows * capacity
