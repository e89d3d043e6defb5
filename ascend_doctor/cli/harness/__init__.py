"""``ascend-doctor harness``: commands that train; torch is imported only when one is run."""

from __future__ import annotations

import click

from ascend_doctor.cli.lazy import LazyGroup

# Where each command is, by its name.
_COMMANDS: dict[str, str] = {
    "export": "ascend_doctor.cli.harness.export",
    "lengths": "ascend_doctor.cli.harness.lengths",
    "list": "ascend_doctor.cli.harness.list",
    "memory": "ascend_doctor.cli.harness.memory",
    "probe": "ascend_doctor.cli.harness.probe",
    "race": "ascend_doctor.cli.harness.race",
    "run": "ascend_doctor.cli.harness.run",
    "train": "ascend_doctor.cli.harness.train",
    "verify": "ascend_doctor.cli.harness.verify",
}


class _Commands(LazyGroup):
    modules = _COMMANDS


@click.group("harness", cls=_Commands)
def command() -> None:
    """Train on texts of varying length, and try out what slows or spoils that.

    Most of it needs torch: pip install "ascend-doctor[harness]"
    """
