"""Step lines by the million: read one by one at first, then ever fewer of them.

Of the lines of a part that hold one word, the first ``READ`` are read, then as many of one in two,
of one in four, and so on: a million cost twenty thousand. Each that is read stands for as many
as were passed over, so that counts and shares stay true on average.
"""

from __future__ import annotations

from msgspec import Struct

READ = 2_000
# One line in 2 ** 13 is read in the end.
MAX_SPARSITY = 13
# Multiples of the golden ratio are spread evenly and repeat in no period, so that of writers or
# kinds of lines that take turns each has its share of what is read.
_GOLDEN, _CIRCLE = 0x9E3779B9, 1 << 32


class Sampler(Struct):
    """Chooses among the lines with one word."""

    seen: int = 0
    read: int = 0
    sparsity: int = 0

    def weight(self) -> int:
        """Count one more line; return for how many it stands, 0 if it is not to be read."""
        self.seen += 1
        if self.seen * _GOLDEN % _CIRCLE >= _CIRCLE >> self.sparsity:
            return 0
        weight = 1 << self.sparsity
        self.read += 1
        if self.read % READ == 0 and self.sparsity < MAX_SPARSITY:
            self.sparsity += 1
        return weight
