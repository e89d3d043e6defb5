"""Which lines of a large source are read for its curves: one of each block of bytes.

Blocks grow with the distance from the beginning, and depend on nothing but the place in the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

# Blocks of a source of each of which one line is read: up to where, and how long they are.
BLOCK = 2 << 10
TIERS = ((2 << 20, BLOCK), (16 << 20, 16 << 10), (64 << 20, 64 << 10))
FAR_BLOCK = 256 << 10
# How many lines one of a block stands for is counted in so much of the block.
COUNTED = 8 << 10
# Multiples of the golden ratio are spread evenly and repeat in no period: of writers or kinds of
# lines that take turns, each has its share of what is read.
_GOLDEN, _CIRCLE = 0x9E3779B9, 1 << 32


def lines_with(signs: Sequence[bytes], text: bytes, low: int, high: int) -> Iterator[int]:
    """Yield one place in each line that holds one of ``signs``."""
    places = dict.fromkeys(signs, -1)
    nowhere = len(text)
    while True:
        for sign, place in places.items():
            if place < low:
                found = text.find(sign, low, high)
                places[sign] = nowhere if found < 0 else found
        at = min(places.values(), default=nowhere)
        if at == nowhere:
            return
        yield at
        low = text.find(b"\n", at, high)
        if low < 0:
            return


def blocks(low: int, high: int, stride: Callable[[], int]) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a source that begin from ``low`` on and before ``high``.

    ``stride`` tells, block by block, of how many only one is looked at.
    """
    for limit, size in (*TIERS, (high, FAR_BLOCK)):
        end = min(limit, high)
        while True:
            step = size * stride()
            place = -(-low // step) * step
            if place >= end:
                break
            yield place, size
            low = place + size
        low = max(low, end)


def middle(place: int, size: int) -> int:
    """Return from where within the block at ``place`` a line is looked for first."""
    return place // BLOCK * _GOLDEN % _CIRCLE * size // _CIRCLE
