"""What was active where and when."""

from __future__ import annotations

from dataclasses import dataclass

from ascend_doctor.records import Origin, Role, Severity


@dataclass(frozen=True, slots=True)
class Activity:
    """A rule that matched in a process: how often, and the first and the last time.

    ``position`` is that of the diagnosis that tells of it, be it as its cause or as what
    followed; ``source`` is the file where it was first.
    """

    position: int
    rule: str
    role: Role
    severity: Severity
    origin: Origin
    source: str
    count: int
    first_seen: str | None
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """What was active where and when, earliest first; ``left_out`` counts what is too much."""

    activities: tuple[Activity, ...] = ()
    left_out: int = 0
