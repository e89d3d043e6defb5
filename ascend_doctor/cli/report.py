"""``ascend-doctor report``."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ascend_doctor.cli import gate, outputs, parameters, settings
from ascend_doctor.cli.finish import finish
from ascend_doctor.cli.parameters import NamedPath
from ascend_doctor.errors import InputError
from ascend_doctor.reporters.language import choose


@click.command("report", cls=settings.Command)
@click.argument("result", type=NamedPath(path_type=Path, allow_dash=True), metavar="RESULT.json")
@outputs.option
@parameters.lang("report")
@gate.options
@settings.option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    result: Path,
    wanted: Sequence[outputs.Output],
    lang: str,
    **asked: Any,
) -> None:
    """Show a stored result again, in any format and language.

    RESULT.json is what `analyze -f json=RESULT.json` wrote; - reads it from standard input. No log
    is needed, and nothing is analysed anew. The exit codes are those of `analyze`, so that a later
    job of a pipeline can be the gate.
    """
    from ascend_doctor.reporters.stored import MAX_BYTES, loads

    asked_for = gate.asked(ctx, **asked)
    writer = outputs.Writer(wanted, redact=asked_for.redact)
    # One byte more than is allowed: no more is needed to see that it is too much.
    report = loads(_read(result, MAX_BYTES + 1), "<stdin>" if str(result) == "-" else str(result))
    asked_for.check(ctx, stored=report)
    report, error = asked_for.applied(report)
    language = choose(lang)
    finish(ctx, writer, report, language, error)


def _read(path: Path, limit: int) -> bytes:
    try:
        if str(path) != "-":
            with path.open("rb") as file:
                return file.read(limit)
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed")
        return sys.stdin.buffer.read(limit)
    except OSError as err:
        raise InputError(f"{path}: {(err.strerror or str(err)).lower()}") from err
