"""How a command ends that makes a report."""

from __future__ import annotations

from typing import NoReturn

import click

from ascend_doctor.cli import exits, gate
from ascend_doctor.cli.missing import tell_what_is_missing
from ascend_doctor.cli.outputs import Writer
from ascend_doctor.errors import DoctorError
from ascend_doctor.records import Lang
from ascend_doctor.report import Report


def finish(
    ctx: click.Context, writer: Writer, report: Report, lang: Lang, error: DoctorError | None
) -> NoReturn:
    """Write a report, say what it lacks, and exit as the gate wants it.

    Raises:
        DoctorError: ``error``, which stands in the way of the gate and not of the report.
    """
    is_written = writer.write(report, lang)
    tell_what_is_missing(report, lang)
    if error is not None:
        raise error
    ctx.exit(gate.exit_code(report) if is_written else exits.ERROR)
