"""``ascend-doctor report``."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from ascend_doctor.cli import exits, outputs
from ascend_doctor.cli.analyze import exit_code, tell_what_is_missing
from ascend_doctor.errors import InputError
from ascend_doctor.records import Lang, Severity
from ascend_doctor.reporters.language import choose


@click.command("report")
@click.argument("result", type=click.Path(path_type=Path, allow_dash=True), metavar="RESULT.json")
@outputs.option
@click.option(
    "--lang",
    type=click.Choice(["auto", *get_args(Lang)]),
    default="auto",
    show_default=True,
    help="Language of the report; auto follows LC_ALL, LC_MESSAGES and LANG.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["never", *(s.label for s in Severity)]),
    default="warning",
    show_default=True,
    help="Exit 1 on a diagnosis this bad or worse.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 1 on errors that nothing explains, 2 if a part could not be read.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    result: Path,
    wanted: Sequence[outputs.Output],
    lang: str,
    fail_on: str,
    strict: bool,
) -> None:
    """Show a stored result again, in any format and language.

    RESULT.json is what `analyze -f json=RESULT.json` wrote; - reads it from standard input. No log
    is needed, and nothing is analysed anew. The exit codes are those of `analyze`, so that a later
    job of a pipeline can be the gate.
    """
    from ascend_doctor.reporters.stored import MAX_BYTES, loads

    writer = outputs.Writer(wanted)
    # One byte more than is allowed: no more is needed to see that it is too much.
    report = loads(_read(result, MAX_BYTES + 1), "<stdin>" if str(result) == "-" else str(result))
    is_written = writer.write(report, choose(lang))
    tell_what_is_missing(report)
    ctx.exit(exit_code(report, fail_on, strict) if is_written else exits.ERROR)


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
