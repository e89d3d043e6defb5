"""``ascend-doctor diff``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ascend_doctor.cli import exits, limits, parameters, progress
from ascend_doctor.cli.interrupt import interruptible
from ascend_doctor.cli.parameters import NamedPath
from ascend_doctor.cli.terminal import screen, standard_output
from ascend_doctor.ingest.source import EMPTY
from ascend_doctor.records import Severity
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.comparison import Comparison
    from ascend_doctor.report import Report


@click.command("diff")
@click.argument("good", type=NamedPath(path_type=Path))
@click.argument("bad", type=NamedPath(path_type=Path))
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to write.",
)
@parameters.lang("answer")
@click.option(
    "--fail-on",
    type=click.Choice(["never", *(s.label for s in Severity if s >= Severity.WARNING)]),
    default="warning",
    show_default=True,
    help="Exit 1 on something new that is this bad or worse.",
)
@parameters.rules
@parameters.thresholds
@parameters.jobs
@parameters.no_progress
@limits.options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    good: Path,
    bad: Path,
    format_: str,
    lang: str,
    fail_on: str,
    rules_dir: Path | None,
    thresholds: Mapping[str, float],
    jobs: int | None,
    no_progress: bool,
    **max_: int,
) -> None:
    """Say what a bad run has that a good one has not.

    GOOD and BAD are files, folders or archives. Lines that differ only in numbers, paths, hosts
    and times are one wording; ranks are compared with themselves. Told are new diagnoses, other
    versions, the first line at which each process leaves the path that it took in the good run,
    and the wordings that are new, many more, or gone.

    \b
    Exit codes
      0  nothing new at or above --fail-on
      1  a new diagnosis, or a new error or warning that a line says it is
      2  wrong usage, or it could not be completed
      3  in one of the two, nothing readable was found
    """
    from ascend_doctor.comparing.compare import compare
    from ascend_doctor.reporters import comparison as reporter

    output = standard_output("utf-8" if format_ == "json" else None)
    language = choose(lang)
    with (
        progress.shown(sys.stderr, language, is_wanted=not no_progress) as watch,
        interruptible(watch),
    ):
        found = compare(
            good,
            bad,
            rules=rules_dir,
            limits=limits.limits(max_),
            thresholds=thresholds,
            jobs=jobs,
            watch=watch,
        )
        is_stopped = watch.is_stopped
    if format_ == "json":
        text = reporter.render_json(found)
    else:
        text = reporter.render(found, language, **screen(output))
    output.write(text)
    output.flush()
    for path, report in ((good, found.good), (bad, found.bad)):
        _tell_unread(path, report)
    if is_stopped:
        click.echo("error: interrupted; the answer is about what was read until then", err=True)
        ctx.exit(exits.ERROR)
    for path, report in ((good, found.good), (bad, found.bad)):
        if not report.coverage.files:
            click.echo(f"error: {visible(str(path))}: nothing readable was found", err=True)
            ctx.exit(exits.NO_INPUT)
    ctx.exit(exits.FINDINGS if _fails(found, fail_on) else exits.OK)


def _tell_unread(path: Path, report: Report) -> None:
    """Say on standard error what of a run was not compared."""
    skipped = [part for part in report.coverage.skipped if part[1] != EMPTY]
    missed = [": ".join(part) for part in (*report.coverage.broken, *skipped)]
    if missed and report.coverage.files:
        more = f" and {len(missed) - 1} more" if len(missed) > 1 else ""
        told = f"note: {path}: not all of it could be read: {missed[0]}{more}"
        click.echo(visible(told), err=True)


def _fails(found: Comparison, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    least = Severity[fail_on.upper()]
    worst = [diagnosis.severity for diagnosis in found.new_diagnoses]
    worst += [Severity[wording.level] for wording in found.new if wording.is_problem]
    return max(worst, default=Severity.INFO) >= least
