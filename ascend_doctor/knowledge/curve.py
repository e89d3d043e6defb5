"""Verdicts on a loss curve: exploded, stuck, fallen to zero, or nothing to say.

All thresholds are ratios between parts of the one curve, or counts of printed digits. A
curve that is merely noisy, that jumps and heals, or of which nothing is sure, has none.

>>> fallen = [10.0 - 0.07 * n for n in range(100)]
>>> verdict(Curve.of([*fallen, *[9.8] * 40]))
Verdict(name='exploded', first=100, best=92)
>>> healed = [3.1 - 0.001 * n for n in range(90)]
>>> verdict(Curve.of([*fallen, *[9.8] * 10, *healed])) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log

from msgspec import Struct

# Fewer step lines than this say nothing about a level that came back.
MIN_LINES = 60
# The last part of a curve that must be bad, and the part before that must have been good.
TAIL_SHARE = 0.15
CALM_SHARE = 0.10
# A loss is back at its start if it had fallen by this ratio, and most of that was lost again
# within a small part of the run; what rises more slowly may be a term of growing weight.
FALLEN_RATIO = 1.8
LOST_SHARE = 0.75
QUICK_SHARE = 0.06
# A language model trained from scratch starts at ln(vocabulary) nats, 9 to 13; the entropy of
# its tokens' frequencies alone is about 0.65 of that. Back there, it has forgotten all context.
LANGUAGE_START = (9.0, 13.0)
LANGUAGE_LOST = 0.6
# A loss that only ever rose is believed to have exploded beyond any choice among classes:
# ln(1e13) is 30 nats.
RUNAWAY_RATIO = 20.0
RUNAWAY_NATS = 30.0
# Equal prints with this many digits, this often, are no coincidence.
STUCK_DIGITS = 4
STUCK_LINES = 30
# The loss of an even guess among so many classes, ln(classes), needs less repetition.
GUESSES = (2, 3, 4, 5, 10, 20, 100, 1000)
GUESS_LINES = 15
ZERO_LINES = 8
# A loss this many times as high as all before, for good, is believed of the shortest log; a
# loss scale that slips into the print is at most 2**24.
BLOWN_UP_RATIO = 1e8
BLOWN_UP_LINES = 4


class Curve(Struct, frozen=True):
    """A curve in groups of ``stride`` step lines: one value of each, its lowest and highest.

    ``unit`` is the value of the last printed place, ``digits`` how many the last value has.
    """

    values: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    stride: int = 1
    unit: float = 1e-4
    digits: int = 5

    @classmethod
    def of(cls, values: Sequence[float]) -> Curve:
        """Return a curve of which every step is a group of its own."""
        return cls(values, values, values)


class Verdict(Struct, frozen=True):
    """What is wrong with a curve: the first bad group, and the best one before, if any."""

    name: str
    first: int
    best: int | None


def verdict(curve: Curve) -> Verdict | None:
    """Return what is wrong with a curve of finite values, None if nothing surely is.

    A loss that was negative is an objective whose level means nothing.
    """
    if len(curve.values) < ZERO_LINES or min(curve.lows) < 0:
        return None
    return (
        _fell_to_zero(curve)
        or _came_back(curve)
        or _ran_away(curve)
        or _blew_up(curve)
        or _stuck(curve)
    )


def _fell_to_zero(curve: Curve) -> Verdict | None:
    """Tell a loss that is cut off to exactly 0 from one that gets there by learning."""
    first = len(curve.lows)
    while first and curve.highs[first - 1] == 0:
        first -= 1
    zeros = (len(curve.lows) - first) * curve.stride
    if first and curve.lows[first - 1] == 0:  # the group in which it happened
        first -= 1
    before = curve.values[:first]
    if zeros < ZERO_LINES or first < 5 or min(curve.lows[:first]) == 0:
        return None
    level = median(before[-10:])
    if level < 100 * curve.unit or level < 0.1 * median(before[:5]):
        return None
    if min(curve.lows[first - 3 : first]) < 0.3 * level:
        return None
    return Verdict("zero", first, None)


def _stuck(curve: Curve) -> Verdict | None:
    """Tell a loss that froze from one that converged or is printed with few digits."""
    last = curve.values[-1]
    if last == 0 or curve.digits < STUCK_DIGITS:
        return None
    size = len(curve.values)
    flat = [low == high for low, high in zip(curve.lows, curve.highs, strict=True)]
    first = size
    while first and flat[first - 1] and curve.values[first - 1] == last:
        first -= 1
    run = size - first
    guessing = any(abs(last - log(classes)) <= curve.unit for classes in GUESSES)
    enough = GUESS_LINES if guessing else STUCK_LINES
    if run * curve.stride < enough or run < 0.2 * size:
        return None
    if 5 * _longest_run(curve.values[:first], flat) > run:
        return None
    # What converges comes to rest by ever smaller steps.
    if first and abs(curve.values[first - 1] - last) < 10 * curve.unit:
        return None
    return Verdict("stuck", first, None)


def _longest_run(values: Sequence[float], flat: Sequence[bool]) -> int:
    """Return how many groups in a row hold one and the same value; 0 if none repeats."""
    longest = run = 0
    for index in range(1, len(values)):
        run = run + 1 if flat[index] and values[index] == values[index - 1] else 0
        longest = max(longest, run)
    return longest


def _came_back(curve: Curve) -> Verdict | None:
    """Tell a loss that rose for good from spikes, restarts, new data and noise."""
    values, size = curve.values, len(curve.values)
    if size < MIN_LINES:
        return None
    width = max(5, size // 20) | 1
    block = max(10, size // 10)
    levels = _running_median(values, width)
    low, at = _lowest(values, block)
    if at + block >= size:
        return None
    upper = _quantile(values[at : at + block], 0.9)
    band = low + 0.25 * (max(levels[at + block :]) - low)
    good = [i for i, level in enumerate(levels) if level <= band]
    if not good:
        return None
    entry, turn = good[0], good[-1] + 1
    tail, calm = values[turn:], levels[entry:turn]
    if len(tail) < max(15, TAIL_SHARE * size) or len(calm) < max(10, CALM_SHARE * size):
        return None
    if len(good) < 0.75 * len(calm) or _quantile(tail, 0.1) <= upper:
        return None
    if not (_is_back(curve, levels[turn:], low, upper) or _is_beyond(values, calm, tail)):
        return None
    half = low + 0.5 * (median(tail) - low)
    first = _outbreak(curve.highs, half, entry + width, turn)
    if first > block:  # where to go back to is before the first outbreak
        low, at = _lowest(values[:first], block)
    best = min(range(at, at + block), key=lambda i: abs(values[i] - low))
    return Verdict("exploded", first, best)


def _outbreak(highs: Sequence[float], half: float, entry: int, turn: int) -> int:
    """Return the first group above ``half`` that belongs to what is bad from ``turn`` on.

    An earlier one belongs to it if it was quiet in between for less long than it is bad now.
    """
    first = next((i for i in range(turn, len(highs)) if highs[i] >= half), turn)
    for i in range(first - 1, entry, -1):
        if first - i > len(highs) - turn:
            break
        first = i if highs[i] >= half else first
    return first


def _is_back(curve: Curve, tail: Sequence[float], low: float, upper: float) -> bool:
    """Say whether most of what had been learnt was lost, quickly and for good.

    ``tail`` holds running medians. New data or a higher learning rate costs less, or is
    learnt again.
    """
    start = median(curve.values[:5])
    if start < FALLEN_RATIO * low or start <= upper:
        return False
    lost = low + LOST_SHARE * (start - low)
    chance = median(curve.highs[:3])
    if LANGUAGE_START[0] <= chance <= LANGUAGE_START[1] and low <= 0.45 * chance:
        lost = min(lost, LANGUAGE_LOST * chance)
    quick = max(6, int(QUICK_SHARE * len(curve.values)))
    almost = low + 0.9 * (lost - low)
    return (
        median(tail) >= lost
        and median(tail[-max(5, len(tail) // 3) :]) >= lost
        and max(tail[:quick]) >= almost
    )


def _is_beyond(values: Sequence[float], calm: Sequence[float], tail: Sequence[float]) -> bool:
    """Say whether a curve that was flat or falling has risen far above where it started."""
    start = max(median(values[:5]), median(values[: max(5, len(values) // 20)]))
    third = max(3, len(calm) // 3)
    # The last third may be where it begins to break out.
    settled = median(calm[third : 2 * third]) <= 1.15 * median(calm[:third])
    end = median(tail[-max(5, len(values) // 10) :])
    return start > 0 and settled and median(tail) >= 2 * start and end >= 1.33 * start


def _ran_away(curve: Curve) -> Verdict | None:
    """Tell a loss that grows by orders of magnitude from a sum that is never reset."""
    values, size = curve.values, len(curve.values)
    start = max(median(values[:5]), median(values[: max(5, size // 20)]))
    first = size
    while first and curve.lows[first - 1] >= 0.5 * RUNAWAY_RATIO * start:
        first -= 1
    if start <= 0 or first < 3 or size - first < max(4, size // 20):
        return None
    level = median(values[first:])
    if level < RUNAWAY_RATIO * start or level < RUNAWAY_NATS:
        return None
    falls = sum(b < a for a, b in pairwise(values))
    if falls < 0.1 * size and level < RUNAWAY_RATIO * size * start:
        return None
    best = min(range(first), key=lambda i: values[i])
    return Verdict("exploded", first, best)


def _blew_up(curve: Curve) -> Verdict | None:
    """Tell a loss that left its range at one blow, too soon for statistics."""
    first = len(curve.lows)
    while first and curve.lows[first - 1] >= RUNAWAY_NATS:
        first -= 1
    if first < 2 or (len(curve.lows) - first) * curve.stride < BLOWN_UP_LINES:
        return None
    before = max(curve.highs[:first])
    if before <= 0 or min(curve.lows[first:]) < BLOWN_UP_RATIO * before:
        return None
    return Verdict("exploded", first, min(range(first), key=lambda i: curve.values[i]))


def _lowest(values: Sequence[float], block: int) -> tuple[float, int]:
    """Return the lowest median of ``block`` values in a row, and where they begin."""
    return min((median(values[i : i + block]), i) for i in range(len(values) - block + 1))


def median(values: Sequence[float]) -> float:
    """Return the median; ``statistics`` takes longer to load than a small log to be read."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _running_median(values: Sequence[float], width: int) -> list[float]:
    """Return the median around each value, of fewer values at the ends."""
    half = width // 2
    return [median(values[max(0, i - half) : i + half + 1]) for i in range(len(values))]


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
