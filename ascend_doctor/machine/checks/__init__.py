"""A machine → what is wrong with it; one module a subject, each a pure function."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.machine.checks import devices, host, libraries, paths, variables, versions
from ascend_doctor.machine.checks.verdict import Known, Verdict
from ascend_doctor.machine.model import Machine

_CHECKS = (
    paths.check,
    versions.check,
    libraries.check,
    devices.check,
    variables.check,
    host.check,
)


def judge(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what is wrong with a machine, each kind of fault once."""
    for one in _CHECKS:
        yield from one(machine, known)
