"""What was active where and when."""

from __future__ import annotations

from msgspec import Struct

from ascend_doctor.records import Origin, Role, Severity


class Activity(Struct, frozen=True):
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


class Timeline(Struct, frozen=True):
    """What was active where and when, earliest first; ``left_out`` counts what is too much."""

    activities: tuple[Activity, ...] = ()
    left_out: int = 0
