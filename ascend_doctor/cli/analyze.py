"""``ascend-doctor analyze``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ascend_doctor.cli import gate, limits, outputs, parameters, progress, settings, slices
from ascend_doctor.cli.finish import finish
from ascend_doctor.cli.interrupt import interruptible
from ascend_doctor.cli.parameters import NamedPath
from ascend_doctor.cli.roots import roots
from ascend_doctor.reporters.language import choose


@click.command("analyze", cls=settings.Command)
@click.argument("paths", nargs=-1, type=NamedPath(path_type=Path, allow_dash=True))
@outputs.option
@parameters.lang("report")
@gate.options
@parameters.rules
@parameters.thresholds
@parameters.jobs
@parameters.no_progress
@slices.options
@limits.options
@settings.option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    wanted: Sequence[outputs.Output],
    lang: str,
    rules_dir: Path | None,
    thresholds: Mapping[str, float],
    jobs: int | None,
    no_progress: bool,
    since: str,
    until: str,
    rank: tuple[tuple[int, int], ...],
    **asked: Any,
) -> None:
    """Diagnose log files and folders, or standard input (-).

    The first diagnosis is the root cause. Files are recognised by what is in them,
    whatever they are called; nothing is sent anywhere.

    In a workflow of GitHub the text is followed by annotations, and the step's summary has the
    report as well, unless -f says otherwise.

    \b
    Exit codes
      0  nothing at or above --fail-on
      1  a diagnosis at or above --fail-on; with --strict, an error nothing explains
      2  wrong usage, or the run could not be completed; with --strict, a part not read
      3  nothing readable was found

    Ctrl-C or SIGTERM ends the reading: what was read until then is told, and the exit code is 2.
    A second one ends the run at once.
    """
    from ascend_doctor.api import analyze

    bounds = limits.limits(asked)
    asked_for = gate.asked(ctx, **asked)
    asked_for.check(ctx, rules_dir)
    writer = outputs.Writer(wanted, redact=asked_for.redact)
    language = choose(lang)
    scope = slices.scope(since, until, rank)
    with (
        progress.shown(sys.stderr, language, is_wanted=not no_progress) as watch,
        interruptible(watch),
    ):
        report = analyze(
            paths,
            rules=rules_dir,
            limits=bounds,
            scope=scope,
            thresholds=thresholds,
            jobs=jobs,
            watch=watch,
        )
    report, error = asked_for.applied(replace(report, roots=roots(paths)))
    finish(ctx, writer, report, language, error)
