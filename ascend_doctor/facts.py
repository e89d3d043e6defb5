"""What was found, in a form that adds up: scan anywhere, merge anywhere.

Facts map a shard (a file of a node) to what it yielded. Merging is a union by shard, so it
may be done in any order, in a tree, or twice over, with the same outcome. Nothing is
concluded here: what caused what is told from the merged facts only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ascend_doctor.errors import MergeError
from ascend_doctor.records import Evidence, Sighting
from ascend_doctor.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from ascend_doctor.machine.model import Machine
    from ascend_doctor.profile.model import Measures

# Levels of which it is told that they were seen.
LEVELS = ("DEBUG", "INFO", "EVENT", "WARNING", "ERROR")
# Proofs kept of a rule in a process; more would only repeat them.
MAX_SIGHTINGS = 3
# The template of unknown messages beyond a bound, of a source and of the report.
FURTHER = "(further messages)"


class Process(Struct, frozen=True, order=True):
    """Who wrote a record, as exactly as the log says.

    ``source`` stands in where no process id is known; ``rank`` tells the writers of one
    file apart.
    """

    node: str = ""
    pid: int = -1
    rank: int = -1
    source: str = ""


class Finding(Struct, frozen=True):
    """A rule that matched in a process: how often, when, and the earliest places."""

    rule: str
    process: Process
    count: int
    sightings: tuple[Sighting, ...]
    first_time: str | None
    last_time: str | None


class CodeSeen(Struct, frozen=True):
    """A known code that error messages of a process named, and where it was first."""

    table: str
    code: str
    process: Process
    count: int
    sighting: Sighting


class Unknown(Struct, frozen=True):
    """Equal error messages that no rule knows; numbers in them do not count."""

    template: str
    level: str
    count: int
    first: Evidence


class Said(Struct, frozen=True):
    """What a log says of the machine it was written on: one value of a name, and where."""

    name: str
    value: str
    evidence: Evidence


class Shard(Struct, frozen=True):
    """What one file yielded; a clean file is a shard with no findings.

    ``outside`` counts messages that were left out for the scope, ``unplaced`` those that were
    kept, although they do not say whether they are in it. ``ranks`` are those that its path and,
    if ranks were asked for, its lines tell.
    """

    path: str
    kind: str
    size: int
    lines: int
    levels: frozenset[str] = frozenset()
    time_range: tuple[str, str] | None = None
    findings: tuple[Finding, ...] = ()
    codes: tuple[CodeSeen, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    signs: frozenset[tuple[bytes, Process]] = frozenset()
    environment: tuple[Said, ...] = ()
    measures: tuple[Measures, ...] = ()
    machine: Machine | None = None
    broken: str | None = None
    outside: int = 0
    unplaced: int = 0
    ranks: frozenset[int] = frozenset()


class Facts(Struct, frozen=True):
    """What some shards yielded under one state of the rules.

    ``is_interrupted`` says that reading was stopped, and ``unread`` how many files are known that
    were not read for that: at least so many.
    """

    digest: str
    shards: Mapping[str, Shard] = field(default_factory=dict)
    skipped: frozenset[tuple[str, str]] = frozenset()
    is_interrupted: bool = False
    unread: int = 0
    scope: Scope = EVERYTHING

    def merge(self, other: Facts) -> Facts:
        """Combine the facts of two scans.

        Raises:
            MergeError: they were made with different rules or of different scopes, or disagree
                about a shard.
        """
        if self.digest != other.digest:
            raise MergeError(
                f"these facts were made with different rules ({self.digest}, {other.digest}); "
                "scan again with one version"
            )
        if self.scope != other.scope:
            raise MergeError("these facts are about different ranks or times; scan again")
        for shard in self.shards.keys() & other.shards.keys():
            if self.shards[shard] != other.shards[shard]:
                raise MergeError(f"{shard}: scanned twice, with different results")
        return Facts(
            self.digest,
            {**self.shards, **other.shards},
            self.skipped | other.skipped,
            self.is_interrupted or other.is_interrupted,
            # A sum would grow when facts are merged twice.
            max(self.unread, other.unread),
            self.scope,
        )
