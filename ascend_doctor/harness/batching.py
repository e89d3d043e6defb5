"""Which documents go into which batch: a plan, made of lengths alone, the same on every rank."""

from __future__ import annotations

import random
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

Policy = Literal["padded", "batch-max", "gears", "grouped", "budget", "packed"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


@dataclass(frozen=True, slots=True)
class Group:
    """The documents of one batch, by their numbers, and the shape that they are laid out in."""

    documents: tuple[int, ...]
    width: int
    """Slots in a row; a packed batch has one row, a padded one a row for each document."""
    is_packed: bool = False

    @property
    def slots(self) -> int:
        """Return how many places for tokens it has, padding included."""
        return self.width * (1 if self.is_packed else len(self.documents))


@dataclass(frozen=True, kw_only=True)
class Batching:
    """How documents of different lengths become batches. Lengths and sizes count tokens."""

    policy: Policy = "packed"
    """padded: to max_length. batch-max: to the longest of the batch. gears: to the next of a few
    lengths, for compilers without dynamic shapes. grouped: documents of like length together.
    budget: like lengths, as many as tokens_per_batch allows. packed: one behind the other."""
    max_length: int = 1024
    """Longest document; what is longer is cut into several."""
    batch_size: int = 8
    """Documents in a batch, where that does not follow from tokens_per_batch."""
    tokens_per_batch: int = 2048
    """Most slots of a batch under ``budget``; the slots of each batch under ``packed``."""
    window: int = 100
    """Batches whose documents are sorted together: more fits better, less shuffles better."""
    gears: tuple[int, ...] = (128, 256, 512, 768, 1024)
    """Row lengths of ``gears``; the last one is max_length at least."""
    fixed_shape: bool = True
    """Fill packed batches up to tokens_per_batch, so that all have one shape."""

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ValueError(f"policy: must be one of {', '.join(POLICIES)}")
        for name in ("max_length", "batch_size", "tokens_per_batch", "window"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: must be at least 1")
        if self.max_length < 2:
            raise ValueError("max_length: a document of one token has nothing to predict")
        if self.policy in ("budget", "packed") and self.tokens_per_batch < self.max_length:
            raise ValueError(
                f"tokens_per_batch: {self.tokens_per_batch} cannot hold one document of "
                f"max_length {self.max_length}"
            )
        if self.policy == "gears":
            if not self.gears or tuple(sorted(set(self.gears))) != self.gears:
                raise ValueError(f"gears: must rise strictly: {self.gears}")
            if self.gears[-1] < self.max_length:
                raise ValueError(f"gears: the last must be max_length {self.max_length} or more")


def plan(lengths: Sequence[int], batching: Batching, seed: int = 0) -> list[Group]:
    """Return all documents in batches, in an order that follows from ``seed`` alone.

    Raises:
        ValueError: a document is longer than ``max_length``, or empty.
    """
    if lengths and (max(lengths) > batching.max_length or min(lengths) < 1):
        raise ValueError(f"lengths must lie between 1 and max_length {batching.max_length}")
    chance = random.Random(seed)  # noqa: S311
    order = [*range(len(lengths))]
    chance.shuffle(order)
    groups = [*_PLANNERS[batching.policy](order, lengths, batching)]
    # Sorted windows would begin with the shortest: gradients would drift with the length.
    chance.shuffle(groups)
    return groups


def effective(lengths: Sequence[int], groups: Iterable[Group]) -> float:
    """Return the share of slots that hold a token; 0 of no slots."""
    tokens = slots = 0
    for group in groups:
        tokens += sum(lengths[document] for document in group.documents)
        slots += group.slots
    return tokens / slots if slots else 0.0


def _chunks(order: Iterable[int], size: int) -> Iterator[tuple[int, ...]]:
    rest = iter(order)
    while chunk := tuple(islice(rest, size)):
        yield chunk


def _padded(order: Sequence[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    for chunk in _chunks(order, batching.batch_size):
        yield Group(chunk, batching.max_length)


def _batch_max(order: Iterable[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    for chunk in _chunks(order, batching.batch_size):
        yield Group(chunk, max(lengths[document] for document in chunk))


def _gears(order: Sequence[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    waiting: dict[int, list[int]] = {gear: [] for gear in batching.gears}
    for document in order:
        gear = batching.gears[bisect_left(batching.gears, lengths[document])]
        waiting[gear].append(document)
    for gear, documents in waiting.items():
        for chunk in _chunks(documents, batching.batch_size):
            yield Group(chunk, gear)


def _windows(order: Sequence[int], lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    for chunk in _chunks(order, size):
        yield sorted(chunk, key=lengths.__getitem__)


def _grouped(order: Sequence[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    for window in _windows(order, lengths, batching.window * batching.batch_size):
        yield from _batch_max(window, lengths, batching)


def _budget(order: Sequence[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    for window in _windows(order, lengths, batching.window * batching.batch_size):
        batch: list[int] = []
        for document in window:  # rising, so the one that comes is as wide as the batch becomes
            if (len(batch) + 1) * lengths[document] > batching.tokens_per_batch:
                yield Group(tuple(batch), lengths[batch[-1]])
                batch = []
            batch.append(document)
        yield Group(tuple(batch), lengths[batch[-1]])


def _packed(order: Sequence[int], lengths: Sequence[int], batching: Batching) -> Iterator[Group]:
    """Fill bins best-fit decreasing, window by window; the emptiest goes on to the next one."""
    size = batching.tokens_per_batch
    carried: list[int] = []
    rest = iter(order)
    while True:
        window, tokens = carried, sum(lengths[document] for document in carried)
        carried = []
        is_last = True
        for document in rest:
            window.append(document)
            tokens += lengths[document]
            if tokens >= batching.window * size:
                is_last = False
                break
        bins = best_fit_decreasing(window, lengths, size)
        if not is_last and len(bins) > 1:
            carried = bins.pop()
        for documents in bins:
            used = sum(lengths[document] for document in documents)
            width = size if batching.fixed_shape else used
            yield Group(tuple(documents), width, is_packed=True)
        if is_last:
            return


def best_fit_decreasing(
    documents: Iterable[int], lengths: Sequence[int], size: int
) -> list[list[int]]:
    """Return bins of at most ``size`` tokens, the fullest first.

    >>> best_fit_decreasing(range(5), [3, 6, 2, 5, 4], size=10)
    [[1, 4], [3, 0, 2]]
    """
    bins: list[list[int]] = []
    room: list[tuple[int, int]] = []  # (free tokens, number of the bin), rising
    for document in sorted(documents, key=lengths.__getitem__, reverse=True):
        place = bisect_left(room, (lengths[document], -1))
        if place < len(room):
            free, number = room.pop(place)
        else:
            free, number = size, len(bins)
            bins.append([])
        bins[number].append(document)
        insort(room, (free - lengths[document], number))
    return [bins[number] for _, number in room]


_PLANNERS = {
    "padded": _padded,
    "batch-max": _batch_max,
    "gears": _gears,
    "grouped": _grouped,
    "budget": _budget,
    "packed": _packed,
}
