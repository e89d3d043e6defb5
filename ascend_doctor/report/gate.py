"""What was asked of a report before a job may go on."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ascend_doctor.records import Severity

FailOn = Literal["never", "info", "warning", "error", "fatal"]


class Hidden(Struct, frozen=True):
    """A diagnosis that was made and is left out of the report; ``by`` names the option."""

    rule: str
    family: str
    severity: Severity
    count: int
    by: str


class Known(Struct, frozen=True):
    """Why what has this fingerprint does not fail the gate.

    ``where`` is the place of the entry that says so, as ``file:line``; ``expires`` is the last day
    on which it does, as an ISO date.
    """

    fingerprint: str
    reason: str
    where: str
    expires: str | None = None


class Entry(Struct, frozen=True):
    """An entry of a baseline or a suppression that says nothing of this report.

    ``name`` is the rule or fingerprint that it is about.
    """

    name: str
    reason: str
    where: str
    expires: str | None = None


class Gate(Struct, frozen=True):
    """What was asked of the report before a job may go on.

    Attributes:
        fail_on: the least severity of a diagnosis that fails it.
        is_strict: errors that nothing explains, and parts that could not be read, fail it as well.
        hidden: diagnoses that ``--select`` or ``--ignore`` leave out, in their order.
        known: what fails no more, diagnoses first.
        expired: entries whose last day has passed; each fails the gate.
        stale: entries of the baseline that match nothing any more.
    """

    fail_on: FailOn = "warning"
    is_strict: bool = False
    hidden: tuple[Hidden, ...] = ()
    known: tuple[Known, ...] = ()
    expired: tuple[Entry, ...] = ()
    stale: tuple[Entry, ...] = ()
