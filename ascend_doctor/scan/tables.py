"""Files of a profile → facts, by way of the readers in ``profile``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ascend_doctor.facts import Said, Shard
from ascend_doctor.formats.sniff import origin_of
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BROKEN
from ascend_doctor.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Measures


def scan_table(source: Source, text: Iterator[bytes], scope: Scope = EVERYTHING) -> Shard | Skipped:
    """Read a file of a profile; one that no reader knows is skipped, and said to be.

    What is of ranks outside of ``scope`` is left out, row by row where rows name them.
    """
    # Most jobs have no profile, and need not wait for what reads them.
    from ascend_doctor.profile.readers import reader_of

    head = next(text, b"")
    reader = reader_of(head)
    if reader is None:
        return Skipped(source.path, "profiler data that this version does not read")
    counted = _Counted(head, text)
    measures = reader.read(source.path, iter(counted))
    if measures.rank is None:
        measures = replace(measures, rank=origin_of("", source.above).rank)
    return shard_of(source.path, measures, counted.size, counted.lines, counted.broken, scope)


def shard_of(
    path: str, measures: Measures, size: int, lines: int, broken: str | None, scope: Scope
) -> Shard:
    """Return what a file of a profile yielded, as far as it is in ``scope``."""
    kept, outside, unplaced = _within(measures, scope)
    ranks = {measures.rank, *(step.rank for step in measures.steps)}
    return Shard(
        path,
        "profile",
        size,
        lines,
        environment=tuple(Said(*told) for told in kept.environment),
        measures=(kept,),
        broken=broken or measures.broken,
        outside=outside,
        unplaced=unplaced,
        ranks=frozenset(rank for rank in ranks if rank is not None),
    )


def _within(measures: Measures, scope: Scope) -> tuple[Measures, int, int]:
    """Return what is in a scope, how many rows are outside, and how many say nothing of it.

    Of a file that is outside it is kept whose it is: others in its folder may not say that.
    """
    if scope.is_all:
        return measures, 0, 0
    if measures.rank is not None and not scope.has_rank(measures.rank):
        from ascend_doctor.profile.model import Measures

        nothing = Measures(measures.format, measures.profile, measures.rank, measures.device)
        return nothing, max(1, len(measures.steps)), 0
    ranks = [measures.rank if step.rank is None else step.rank for step in measures.steps]
    inside = [rank is None or scope.has_rank(rank) for rank in ranks]
    kept = tuple(step for step, is_in in zip(measures.steps, inside, strict=True) if is_in)
    # Times of a profile are of another clock than those of logs: none is left out for its time.
    whose = ranks or [measures.rank]
    unplaced = sum(scope.place(None, rank) == "unplaced" for rank in whose)
    return replace(measures, steps=kept), len(ranks) - len(kept), unplaced


class _Counted:
    """Blocks of a text that are counted while they are read, up to where it breaks off."""

    def __init__(self, head: bytes, rest: Iterator[bytes]) -> None:
        self._head = head
        self._rest = rest
        self._last = b""
        self.size = self._newlines = 0
        self.broken: str | None = None

    @property
    def lines(self) -> int:
        """How many lines were read; the last one need not end."""
        return self._newlines + (self._last not in (b"", b"\n"))

    def __iter__(self) -> Iterator[bytes]:
        block = self._head
        while block:
            self.size += len(block)
            self._newlines += block.count(b"\n")
            self._last = block[-1:]
            yield block
            try:
                block = next(self._rest, b"")
            except BROKEN as err:
                self.broken = reason_of(err)
                return
