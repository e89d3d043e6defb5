"""The gate, as options: what is reported, what fails a job, and what is known already."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.cli import completing, exits, settings
from ascend_doctor.errors import SettingError
from ascend_doctor.records import Severity
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.cli.config_file import ConfigFile
    from ascend_doctor.gate.baseline import KnownFailure
    from ascend_doctor.gate.selection import Selection
    from ascend_doctor.gate.suppression import Suppression
    from ascend_doctor.report import FailOn, Gate, Report

_Command = TypeVar("_Command", bound=Callable[..., Any])


def today() -> date:
    """Return the day by which entries expire: that of UTC, the same on every runner."""
    return datetime.now(timezone.utc).date()


def _names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


def _day(ctx: click.Context, param: click.Parameter, value: str | None) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError as err:
        raise click.BadParameter(f"{value!r} is no date; write it as 2027-01-31") from err


def options(command: _Command) -> _Command:
    """Give a command the options of the gate; ``asked`` makes sense of their values."""
    for option in reversed(
        (
            click.option(
                "--fail-on",
                type=click.Choice(["never", *(s.label for s in Severity)]),
                default="warning",
                show_default=True,
                help="Exit 1 on a diagnosis this bad or worse.",
            ),
            click.option(
                "--strict",
                is_flag=True,
                help="Exit 1 on errors that nothing explains, 2 if a part could not be read.",
            ),
            click.option(
                "--select",
                multiple=True,
                callback=_names,
                shell_complete=completing.selected,
                metavar="NAME,...",
                help="Report only these: ids of rules, families, or wildcards of them.",
            ),
            click.option(
                "--ignore",
                multiple=True,
                callback=_names,
                shell_complete=completing.selected,
                metavar="NAME,...",
                help="Leave these out; what followed from one is left out with it.",
            ),
            click.option(
                "--baseline",
                "baseline_file",
                type=click.Path(path_type=Path, dir_okay=False),
                help="File of known failures, which fail the gate no more.",
            ),
            click.option(
                "--update-baseline",
                is_flag=True,
                help="Write into --baseline what fails now, and no more; --reason says why it may.",
            ),
            click.option(
                "--reason", default="", help="Why what is new in the baseline may be there."
            ),
            click.option(
                "--expires",
                metavar="DATE",
                callback=_day,
                help="Last day on which what is new in the baseline is accepted.",
            ),
            click.option(
                "--redact/--no-redact",
                default=None,
                help=(
                    "Put pseudonyms in place of hosts, users, addresses and secrets; by default "
                    "where a report is for pasting, in Markdown."
                ),
            ),
        )
    ):
        command = option(command)
    return command


class Asked(Struct, frozen=True):
    """What the options of the gate, and the suppressions of the file of settings, ask for."""

    gate: Gate
    redact: bool | None
    selection: Selection
    suppressions: tuple[Suppression, ...]
    file: Path | None
    known: tuple[KnownFailure, ...]
    update: bool
    reason: str
    expires: date | None

    def check(
        self, ctx: click.Context, rules: Path | None = None, stored: Report | None = None
    ) -> None:
        """Check that all names of rules and families exist, before much is read.

        A ``stored`` report may have been made with other rules. Their names cannot be told from
        wrong ones; only one that selects is refused still, as nothing would be left to fail.

        Raises:
            SettingError: one does not.
        """
        named = any(item.rule for item in self.suppressions)
        if not (named or self.selection.select or self.selection.ignore):
            return
        from ascend_doctor.gate.selection import check_names, names_of
        from ascend_doctor.gate.suppression import check
        from ascend_doctor.knowledge import index

        knowledge = index.load(rules)
        names = {*names_of(knowledge)}
        if stored is not None:
            names |= {diagnosis.rule for diagnosis in stored.diagnoses}
            names |= {hidden.rule for hidden in stored.gate.hidden}
        check_names(settings.called(ctx, "select"), self.selection.select, names)
        if stored is not None and stored.rules_digest != knowledge.digest:
            return
        check_names(settings.called(ctx, "ignore"), self.selection.ignore, names)
        check(self.suppressions, names)

    def applied(self, report: Report) -> tuple[Report, SettingError | None]:
        """Return the report as the gate sees it; writes the baseline anew if that was asked for.

        Where that fails, the error is returned, so that the report is not lost for it.
        """
        from ascend_doctor.gate import baseline
        from ascend_doctor.gate.suppression import suppressed

        # What a stored result says of itself stays.
        gate = replace(report.gate, fail_on=self.gate.fail_on, is_strict=self.gate.is_strict)
        report = self.selection.applied(replace(report, gate=gate))
        report = suppressed(report, self.suppressions, today())
        known, error = self.known, None
        if self.update:
            try:
                known = self._updated(report)
            except SettingError as err:
                error = err
            except OSError as err:
                error = SettingError(f"{self.file} cannot be written: {err.strerror}")
        return baseline.applied(report, known, today()), error

    def _updated(self, report: Report) -> tuple[KnownFailure, ...]:
        from ascend_doctor.cli import files
        from ascend_doctor.gate import baseline
        from ascend_doctor.reporters.redaction import redact

        assert self.file is not None
        if could_not_run(report) is not None:
            said = f"note: {self.file} is left as it is, since not all could be read"
            click.echo(visible(said), err=True)
            return self.known
        # It is kept with the code, where more people see it than see the logs.
        update = baseline.updated(redact(report), self.known, self.reason, self.expires, today())
        files.replace(self.file, update.text)
        counts = f"{update.added} added, {update.kept} kept, {update.removed} removed"
        click.echo(visible(f"{self.file}: {counts}"), err=True)
        return baseline.parsed(update.text, str(self.file))


def asked(
    ctx: click.Context,
    *,
    fail_on: FailOn,
    strict: bool,
    redact: bool | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    baseline_file: Path | None,
    update_baseline: bool,
    reason: str,
    expires: date | None,
) -> Asked:
    """Make sense of the values of ``options``, which are given by their names.

    Raises:
        click.UsageError: some are of no use without others.
        SettingError: the baseline or a suppression is wrong.
    """
    from ascend_doctor.gate import baseline
    from ascend_doctor.gate.selection import Selection
    from ascend_doctor.report import Gate

    if update_baseline and baseline_file is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    for name, value in (("--reason", reason), ("--expires", expires)):
        if value and not update_baseline:
            raise click.UsageError(f"{name} is about what --update-baseline adds")
    if expires is not None and expires < today():
        raise click.UsageError(f"--expires {expires} has passed; give a day to come")
    config = settings.config_of(ctx)
    is_new = update_baseline and baseline_file is not None and not baseline_file.exists()
    known = () if baseline_file is None or is_new else baseline.read(baseline_file)
    return Asked(
        Gate(fail_on, strict),
        redact,
        Selection(select, ignore),
        () if config is None else suppressions(config),
        baseline_file,
        known,
        update_baseline,
        reason,
        expires,
    )


def suppressions(config: ConfigFile) -> tuple[Suppression, ...]:
    """Return the suppressions of a file of settings.

    Raises:
        SettingError: one lacks a reason, or has something wrong; it starts with ``file:line:``.
    """
    from ascend_doctor.gate.suppression import parsed

    key = settings.SUPPRESS
    return parsed(key, config.values.get(key, []), partial(config.where, key))


def tell(report: Report) -> None:
    """Say on standard error why the gate fails although no diagnosis does."""
    for entry in report.expired:
        said = (
            f"error: {entry.where}: {entry.name} was accepted until {entry.expires}: {entry.reason}"
        )
        click.echo(visible(said), err=True)


def could_not_run(report: Report) -> int | None:
    """Return the exit code of a run that says nothing for certain, None if it does."""
    from ascend_doctor.ingest.source import UNMISSED

    coverage = report.coverage
    missed = coverage.broken or any(reason not in UNMISSED for _, reason in coverage.skipped)
    if coverage.interrupted or (report.gate.is_strict and missed):
        return exits.ERROR
    is_outside = coverage.slice is not None and coverage.slice.empty
    is_read = coverage.files and not (is_outside or coverage.empty)
    return None if is_read else exits.NO_INPUT


def exit_code(report: Report) -> int:
    """Return the exit code: 2 before 3 before 1."""
    code = could_not_run(report)
    if code is not None:
        return code
    return exits.FINDINGS if report.is_failed else exits.OK
