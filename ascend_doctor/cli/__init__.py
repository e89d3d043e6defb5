"""The commands: options and exit codes only; the library does the work."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from ascend_doctor.cli.exits import ERROR
from ascend_doctor.cli.lazy import LazyGroup
from ascend_doctor.version import __version__

_COMMANDS = {
    "analyze": "ascend_doctor.cli.analyze",
    "completion": "ascend_doctor.cli.completion",
    "config": "ascend_doctor.cli.config",
    "diff": "ascend_doctor.cli.diff",
    "env": "ascend_doctor.cli.env",
    "explain": "ascend_doctor.cli.explain",
    "harness": "ascend_doctor.cli.harness",
    "report": "ascend_doctor.cli.report",
    "rules": "ascend_doctor.cli.rules",
    "run": "ascend_doctor.cli.run",
    "watch": "ascend_doctor.cli.watch",
}

_NOT_INSTALLED = (
    "error: {} is not installed, and this version needs it; install ascend-doctor again "
    "(in a checkout: python -m pip install -e .)"
)


class _Commands(LazyGroup):
    """What goes wrong in a command is told and exits 2."""

    modules = _COMMANDS

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _told():  # wrong usage, and --help where nothing can be written
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> object:
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    """Tell what goes wrong, one line for what a user can mend, and exit 2.

    Click's and Python's own exit code may be 1, which is a finding here.
    """
    from ascend_doctor.errors import DoctorError
    from ascend_doctor.reporters.safe import visible

    try:
        yield
        return
    except click.exceptions.Exit:
        raise
    except click.ClickException as err:
        text = io.StringIO()
        err.show(text)
        told = "\n".join(map(visible, text.getvalue().splitlines()))
    except DoctorError as err:
        told = f"error: {visible(str(err))}"
    except BrokenPipeError:
        # The reader (head, less) has left; nothing is lost that anyone waits for.
        sys.stderr.close()
        told = ""
    except OSError as err:
        # What cannot be read is skipped and told; this is the output.
        told = f"error: the report cannot be written: {err.strerror}"
    except MemoryError:
        told = "error: not enough memory; is it limited (ulimit -v, a container)?"
    except KeyboardInterrupt:
        told = "error: interrupted"
    except ModuleNotFoundError as err:
        # A checkout may have gone on to a version that needs more than was installed for it.
        lacking = (err.name or "").partition(".")[0]
        is_ours = lacking in ("", "ascend_doctor")
        told = (
            traceback.format_exc().rstrip() if is_ours else _NOT_INSTALLED.format(visible(lacking))
        )
    except Exception:
        # A bug: Python's own exit code for it would read as a finding.
        told = traceback.format_exc().rstrip()
    with suppress(OSError, ValueError):  # standard error may be full or closed as well
        click.echo(told, err=True, nl=bool(told))
    raise click.exceptions.Exit(ERROR)


def _tell_version(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if not is_asked or ctx.resilient_parsing:
        return
    from ascend_doctor.scan.literals import engine_name

    click.echo(f"{ctx.info_name} {__version__} (search engine: {engine_name()})")
    ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_tell_version,
    help="Show the version, and what texts are searched with.",
)
def main() -> None:
    """Tell why an Ascend NPU job failed, starved or silently went wrong, from its logs.

    \b
    ascend-doctor analyze LOGS/        diagnose a folder, files, or - for standard input
    ascend-doctor run -- torchrun …    run a command, and diagnose what it printed if it fails
    ascend-doctor watch LOGS/          follow logs that are being written
    ascend-doctor diff GOOD BAD        what a bad run has that a good one has not
    ascend-doctor env                  check what is installed and set on this machine
    ascend-doctor explain 507018       say what a code, a variable or a term means
    ascend-doctor report RESULT.json   show a stored result again, in any format
    ascend-doctor rules list           what it knows; show, test and new work on rules
    ascend-doctor harness train        train on texts of varying length; needs torch
    """
