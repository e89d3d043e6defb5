"""The results of all sources, put in the order in which the sources were found."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ascend_doctor.engines.surroundings import Surroundings, without
from ascend_doctor.facts import Facts, Process, Shard
from ascend_doctor.ingest.source import Skipped

# Times that are remembered: processes of a job begin and end together.
_MOST_TIMES = 1 << 14
_NOTHING: frozenset[tuple[bytes, Process]] = frozenset()


class Gathering:
    """Gathers results however they come in."""

    def __init__(self) -> None:
        self._shards: dict[int, list[Shard]] = {}
        self._places: dict[str, tuple[list[Shard], int]] = {}
        self._surroundings = Surroundings()
        self._skipped: set[tuple[str, str]] = set()
        self._levels: dict[frozenset[str], frozenset[str]] = {}
        self._times: dict[str | tuple[str, str], Any] = {}

    def add(self, place: int, results: Iterable[Shard | Skipped]) -> int:
        """Add what was found at ``place``, behind what was added there before; count it."""
        shards = self._shards.setdefault(place, [])
        count = 0
        for result in results:
            count += 1
            if isinstance(result, Skipped):
                self.skip(result)
            else:
                shards.append(self._slim(result))
                self._strip(result, shards)
        return count

    def _strip(self, shard: Shard, shards: list[Shard]) -> None:
        """Take the lines around later proofs off a shard that was just added, and off others."""
        bare: defaultdict[str, set[Any]] = defaultdict(set)
        if shard.findings or shard.codes or shard.unknown:
            self._places[shard.path] = (shards, len(shards) - 1)
            for path, proof in self._surroundings.note(shard):
                bare[path].add(proof)
        for path, proofs in bare.items():
            others, place = self._places[path]
            others[place] = without(others[place], proofs)

    def _slim(self, shard: Shard) -> Shard:
        """Return an equal shard that shares with others what they have in common.

        There may be hundreds of thousands; most of what a clean one needs is its sets and times.
        """
        if len(self._times) > _MOST_TIMES:
            self._times.clear()
        same, times = self._times.setdefault, shard.time_range
        return replace(
            shard,
            kind=sys.intern(shard.kind),
            levels=self._levels.setdefault(shard.levels, shard.levels),
            signs=shard.signs or _NOTHING,
            time_range=times and same(times, (same(times[0], times[0]), same(times[1], times[1]))),
        )

    def skip(self, skipped: Skipped) -> None:
        """Add what was not read."""
        self._skipped.add((skipped.path, skipped.reason))

    def facts(self, digest: str, *, is_interrupted: bool = False, unread: int = 0) -> Facts:
        """Return all of it as facts under one state of the rules."""
        shards = {
            shard.path: shard for place in sorted(self._shards) for shard in self._shards[place]
        }
        return Facts(digest, shards, frozenset(self._skipped), is_interrupted, unread)
