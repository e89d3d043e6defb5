"""``-f FORMAT[=FILE]``: what a report is written as, and where to."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from ascend_doctor.cli import actions, completing
from ascend_doctor.cli.files import replace
from ascend_doctor.cli.terminal import screen, standard_output
from ascend_doctor.records import Lang
from ascend_doctor.reporters.registry import FORMATS, Format
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.report import Report

# What is said for standard output; opened by its name it would be begun anew.
_STDOUT = ("", "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class Output(Struct, frozen=True):
    """A format and the file that it is for; None is standard output."""

    format: Format
    path: Path | None = None

    def __str__(self) -> str:
        return self.format.name if self.path is None else f"{self.format.name}={self.path}"


def option(command: _Decorated) -> _Decorated:
    """Give a command ``-f``; it gets a sequence of ``Output`` as ``wanted``."""
    return click.option(
        "-f",
        "--format",
        "wanted",
        metavar="FORMAT[=FILE]",
        multiple=True,
        callback=_parsed,
        shell_complete=completing.formats,
        help=(
            f"What to write, and into which file: {', '.join(FORMATS)}. May be repeated; one "
            "without a file goes to standard output.  [default: text, and github in a workflow]"
        ),
    )(command)


def file_option(command: _Decorated) -> _Decorated:
    """Give a command whose text is shown while it runs ``-f`` for files; see ``option``."""
    return click.option(
        "-f",
        "--format",
        "wanted",
        metavar="FORMAT=FILE",
        multiple=True,
        callback=_parsed_files,
        shell_complete=completing.formats,
        help=f"Write the report into a file as well: {', '.join(FORMATS)}. May be repeated.",
    )(command)


def _parsed_files(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[Output, ...]:
    outputs = _parsed(ctx, param, values) if values else ()
    for output in outputs:
        if output.path is None:
            name = output.format.name
            raise click.BadParameter(f"{name}: name a file here, as in -f {name}=FILE")
        # It is written when a job of hours has ended, which is too late to find that out.
        if not output.path.parent.is_dir():
            raise click.BadParameter(f"{output.path}: there is no folder {output.path.parent}")
    return outputs


def _parsed(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[Output, ...]:
    if not values:
        values = ("text", "github") if actions.is_running() else ("text",)
    outputs = tuple(map(_output, values))
    places: dict[str | None, list[Output]] = {}
    for output in outputs:
        place = None if output.path is None else os.path.realpath(output.path)
        places.setdefault(place, []).append(output)
    for same in places.values():
        path, names = same[0].path, [output.format.name for output in same]
        # A workflow shows both: annotations are commands, which are not printed.
        if len(names) > 1 and not (path is None and sorted(names) == ["github", "text"]):
            where = "standard output" if path is None else path
            mend = "; name a file, as in -f json=FILE" if path is None else ""
            raise click.BadParameter(f"{' and '.join(names)} would both go to {where}{mend}")
    return outputs


def _output(value: str) -> Output:
    name, equals, path = value.partition("=")
    if name not in FORMATS:
        raise click.BadParameter(f"{name} is not one of {', '.join(FORMATS)}")
    if equals and not path:
        raise click.BadParameter(f"{value}: no file is named; is a variable unset?")
    return Output(FORMATS[name], None if path in _STDOUT else Path(path))


class _Reports:
    """A report as it is, and redacted for the formats that need it so."""

    def __init__(self, report: Report, redact: bool | None) -> None:
        self._report = report
        self._redact = redact

    def of(self, format_: Format) -> Report:
        """Return the report for a format."""
        wanted = format_.is_for_others if self._redact is None else self._redact
        return self._redacted if wanted else self._report

    @cached_property
    def _redacted(self) -> Report:
        from ascend_doctor.reporters.redaction import redact

        return redact(self._report)


class Writer:
    """Writes a report to each of its outputs; made before the report, so as to fail early.

    Args:
        redact: whether names of people and machines become pseudonyms; None where a format is
            made to be shown around.

    Raises:
        OSError: standard output is needed, and closed.
    """

    def __init__(self, outputs: Sequence[Output], *, redact: bool | None = None) -> None:
        self._redact = redact
        self._files = [output for output in outputs if output.path is not None]
        self._shown = [output.format for output in outputs if output.path is None]
        self._is_summed_up = any(output.format.name == "github" for output in outputs)
        if self._shown:
            # Programs and pages expect UTF-8 wherever they run, as workflows do.
            is_for_screens = all(format_.is_for_screens for format_ in self._shown)
            self._stdout = standard_output(None if is_for_screens else "utf-8")

    def write(self, report: Report, lang: Lang) -> bool:
        """Write ``report`` everywhere; say whether all of it could be written.

        What cannot be written is told, and the others are written all the same.

        Raises:
            OSError: standard output could not take it. The files have been written.
        """
        reports = _Reports(report, self._redact)
        written = [self._write(output, reports, lang) for output in self._files]
        if self._is_summed_up:
            actions.summarize(reports.of(FORMATS["markdown"]), lang)
        if self._shown:
            self._stdout.write(self._text(reports, lang))
            self._stdout.flush()
        return all(written)

    def _text(self, reports: _Reports, lang: Lang) -> str:
        """Return what goes to standard output: a format, or a text with its annotations."""
        said = {}
        for format_ in self._shown:
            options = screen(self._stdout) if format_.is_for_screens else {}
            said[format_.name] = format_.render(reports.of(format_), lang, **options)
        if len(said) > 1:
            from ascend_doctor.reporters.github import quoted

            return quoted(said["text"], actions.new_token()) + said["github"]
        return "".join(said.values())

    def _write(self, output: Output, reports: _Reports, lang: Lang) -> bool:
        assert output.path is not None
        try:
            replace(output.path, output.format.render(reports.of(output.format), lang))
        except OSError as err:
            folder = output.path.parent
            reason = err.strerror if folder.is_dir() else f"there is no folder {folder}"
            click.echo(visible(f"error: {output.path} cannot be written: {reason}"), err=True)
            return False
        return True
