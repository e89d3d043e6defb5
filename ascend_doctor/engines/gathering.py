"""The results of all sources, put in the order in which the sources were found."""

from __future__ import annotations

from collections.abc import Iterable

from ascend_doctor.facts import Facts, Shard
from ascend_doctor.ingest.source import Skipped


class Gathering:
    """Gathers results however they come in."""

    def __init__(self) -> None:
        self._shards: dict[int, list[Shard]] = {}
        self._skipped: set[tuple[str, str]] = set()

    def add(self, place: int, results: Iterable[Shard | Skipped]) -> int:
        """Add what was found at ``place``, behind what was added there before; count it."""
        shards = self._shards.setdefault(place, [])
        count = 0
        for result in results:
            count += 1
            if isinstance(result, Skipped):
                self.skip(result)
            else:
                shards.append(result)
        return count

    def skip(self, skipped: Skipped) -> None:
        """Add what was not read."""
        self._skipped.add((skipped.path, skipped.reason))

    def facts(self, digest: str, *, is_interrupted: bool = False, unread: int = 0) -> Facts:
        """Return all of it as facts under one state of the rules."""
        shards = {
            shard.path: shard for place in sorted(self._shards) for shard in self._shards[place]
        }
        return Facts(digest, shards, frozenset(self._skipped), is_interrupted, unread)
