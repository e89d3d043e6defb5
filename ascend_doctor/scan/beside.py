"""What step lines tell beside the time that steps took."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.records import Evidence

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Batches, Memory

# Moments at which memory is kept of a writer, and different lengths.
MAX_MOMENTS = 128
MAX_LENGTHS = 4096

_US = 1e6
_LENGTH = re.compile(r"\d{1,7}")


class Beside(Struct):
    """Lengths, memory and recompilations, bounded.

    Attributes:
        batches, tokens, slots: of all lines that tell of lengths.
        first: the first of these lines.
        lengths: how many sequences there were of each length, of at most ``MAX_LENGTHS`` lengths.
        recompiles: the last number of graphs compiled anew.
        memory: reserved memory (MiB) at moments (s): of each stretch the most, at most
            ``MAX_MOMENTS``.
        stride: how many moments a stretch has.
    """

    batches: int = 0
    tokens: int = 0
    slots: int = 0
    first: Evidence | None = None
    lengths: Counter[int] = field(default_factory=Counter)
    recompiles: str | None = None
    memory: list[tuple[float, float, Evidence]] = field(default_factory=list)
    stride: int = 1
    in_last: int = 0

    def add(self, said: Mapping[str, str], proof: Evidence, weight: int) -> None:
        """Note what one line captures."""
        if "tokens" in said and "slots" in said:
            self.batches += weight
            self.tokens += weight * int(said["tokens"])
            self.slots += weight * int(said["slots"])
            self.first = self.first or proof
            for length in _LENGTH.findall(said.get("lengths", "")):
                size = int(length)
                if size in self.lengths or len(self.lengths) < MAX_LENGTHS:
                    self.lengths[size] += weight
        self.recompiles = said.get("recompiles", self.recompiles)
        if "reserved" in said and "clock" in said:
            self._keep((float(said["clock"]), float(said["reserved"]), proof))

    def join(self, other: Beside) -> None:
        """Go on with what another part of the source says."""
        self.batches += other.batches
        self.tokens += other.tokens
        self.slots += other.slots
        self.first = self.first or other.first
        for length, count in sorted(other.lengths.items()):
            if length in self.lengths or len(self.lengths) < MAX_LENGTHS:
                self.lengths[length] += count
        self.recompiles = other.recompiles or self.recompiles
        for moment in other.memory:
            self._keep(moment)

    def moved(self, lines: int) -> Beside:
        """Return the same counted from ``lines`` further up."""
        return replace(
            self,
            first=None if self.first is None else self.first.moved(lines),
            memory=[(at, held, proof.moved(lines)) for at, held, proof in self.memory],
        )

    def _keep(self, moment: tuple[float, float, Evidence]) -> None:
        if self.memory and self.in_last < self.stride:
            self.memory[-1] = max(self.memory[-1], moment, key=_reserved)
            self.in_last += 1
            return
        self.memory.append(moment)
        self.in_last = 1
        if len(self.memory) == MAX_MOMENTS:
            pairs = zip(self.memory[::2], self.memory[1::2], strict=True)
            self.memory = [max(pair, key=_reserved) for pair in pairs]
            self.stride *= 2
            self.in_last = self.stride

    def measured(self) -> tuple[tuple[Batches, ...], tuple[Memory, ...]]:
        """Return lengths and memory as measures."""
        from ascend_doctor.profile.model import Batches, Memory, Sample

        batches: tuple[Batches, ...] = ()
        if self.first is not None:
            # Of lines that are too long for it, lengths are lost: the others would mislead.
            is_known = sum(size * count for size, count in self.lengths.items()) == self.tokens
            lengths = dict(sorted(self.lengths.items())) if is_known else {}
            batches = (Batches(self.tokens, self.slots, self.batches, self.first, lengths),)
        if not self.memory:
            return batches, ()
        samples = tuple(Sample(_US * at, held) for at, held, _ in self.memory)
        at, held, proof = max(self.memory, key=_reserved)
        return batches, (Memory("PTA", None, Sample(_US * at, held), proof, samples),)


def _reserved(moment: tuple[float, float, Evidence]) -> float:
    return moment[1]
