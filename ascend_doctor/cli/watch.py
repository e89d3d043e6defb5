"""``ascend-doctor watch``."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
from msgspec.structs import replace

from ascend_doctor.cli import exits, outputs, parameters
from ascend_doctor.cli.gate import exit_code
from ascend_doctor.cli.interrupt import interruptible
from ascend_doctor.cli.missing import tell_what_is_missing
from ascend_doctor.cli.parameters import NamedPath, Seconds
from ascend_doctor.cli.run import STALL_S
from ascend_doctor.cli.terminal import screen, standard_output
from ascend_doctor.engines.watch import Stopped, Watch
from ascend_doctor.records import Lang, Severity
from ascend_doctor.reporters import unwritten
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.run_labels import say
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.report import FailOn, Report
    from ascend_doctor.running.watch import News, Watching

# However many files there are, looking takes at most this share of the time, if that does not
# mean to look more rarely than so.
_SHARE, _RAREST_S = 0.1, 10.0
# When nothing was written for so long from the beginning, it is told once.
_QUIET_S = 10.0


@click.command("watch")
@click.argument("paths", nargs=-1, required=True, type=NamedPath(path_type=Path))
@click.option(
    "--from-start",
    is_flag=True,
    help="Read what is in the files already; without it, only what is written from now on.",
)
@click.option(
    "--every",
    "every_s",
    type=Seconds(0.05),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often the files are looked at.",
)
@click.option(
    "--stall",
    "stall_s",
    type=Seconds(0),
    default=STALL_S,
    show_default=True,
    metavar="SECONDS",
    help="Tell the last lines of each rank when no file has grown for so long; 0 never does.",
)
@click.option(
    "--until-idle",
    "idle_s",
    type=Seconds(0, min_open=True),
    metavar="SECONDS",
    help="End when no file has grown for so long.",
)
@click.option(
    "--until-found",
    is_flag=True,
    help="End at the first diagnosis at or above --fail-on.",
)
@outputs.file_option
@parameters.lang("reports")
@click.option(
    "--fail-on",
    type=click.Choice(["never", *(s.label for s in Severity)]),
    default="warning",
    show_default=True,
    help="Exit 1 on a diagnosis this bad or worse.",
)
@click.option("--strict", is_flag=True, help="Exit 1 on errors that nothing explains as well.")
@parameters.rules
@parameters.thresholds
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    from_start: bool,
    every_s: float,
    stall_s: float,
    idle_s: float | None,
    until_found: bool,
    wanted: tuple[outputs.Output, ...],
    lang: str,
    fail_on: FailOn,
    strict: bool,
    rules_dir: Path | None,
    thresholds: Mapping[str, float],
) -> None:
    """Follow log files and folders while somebody writes them, and tell each cause once.

    Files may appear, grow, be rotated or cut. Ctrl-C ends it with a summary of all that was
    read. Packed files and profiler data are not followed.

    \b
    Exit codes
      0  nothing at or above --fail-on
      1  a diagnosis at or above --fail-on; with --strict, an error nothing explains
      2  wrong usage, or the run could not be completed
      3  nothing was written
    """
    if Path("-") in paths:
        raise click.UsageError(
            "a pipe cannot be followed; use `ascend-doctor run -- COMMAND`, or `analyze -`"
        )
    from ascend_doctor.knowledge import index
    from ascend_doctor.running.follow import Follower
    from ascend_doctor.running.silence import Silence
    from ascend_doctor.running.watch import Watching

    writer = outputs.Writer(wanted)
    screen = _Screen(standard_output(), choose(lang))
    knowledge = index.load(rules_dir).with_thresholds(thresholds)
    asked = [str(path) for path in paths]
    for path in paths:
        if not path.exists():
            screen.note("not_there_yet", path=visible(str(path)))
    follower = Follower(asked, knowledge, from_start=from_start)
    silence = Silence(stall_s, lambda: follower.written)
    watching = Watching(follower, knowledge, silence)
    screen.note(
        "following_all" if from_start else "following",
        paths=unwritten.names(asked, screen.lang),
        count=f"{follower.count:,}",
    )
    watch, is_quiet = Watch(), False
    with interruptible(watch), suppress(Stopped):
        while not watch.is_stopped:
            begin = time.monotonic()
            news = watching.look()
            if news is not None and news.causes:
                screen.found(news)
                if until_found and _fails(news.report, fail_on):
                    break
            if not (follower.written or is_quiet) and silence.lasts_s >= _QUIET_S:
                is_quiet = True
                said = unwritten.sentence(follower.files(), asked, screen.lang)
                screen.note("still_watching", said=said)
            if (seconds := silence.look()) is not None:
                screen.stalled(watching, seconds)
            if idle_s is not None and silence.lasts_s >= idle_s:
                break
            rest_s = min((time.monotonic() - begin) / _SHARE, _RAREST_S)
            watch.guard(time.sleep, max(every_s, rest_s))
    follower.poll()
    report = _gated(watching.report(), fail_on, is_strict=strict)
    if follower.written:
        screen.summary(report)
    else:
        screen.unwritten(follower.files(), asked)
    is_written = writer.write(report, screen.lang)
    if not follower.written:
        click.echo(say("no_growth", screen.lang), err=True)
    else:
        tell_what_is_missing(report, screen.lang)
    ctx.exit(exit_code(report) if is_written else exits.ERROR)


def _fails(report: Report, fail_on: FailOn) -> bool:
    return exit_code(_gated(report, fail_on, is_strict=False)) == exits.FINDINGS


def _gated(report: Report, fail_on: FailOn, *, is_strict: bool) -> Report:
    from ascend_doctor.report import Gate

    return replace(report, gate=Gate(fail_on, is_strict))


class _Screen:
    """Writes what is found as it is found."""

    def __init__(self, output: TextIO, lang: Lang) -> None:
        self.lang: Lang = lang
        self._output = output

    def note(self, name: str, **values: object) -> None:
        """Tell something about the run itself."""
        with suppress(OSError):
            click.echo(f"ascend-doctor: {say(name, self.lang, **values)}", file=sys.stderr)

    def found(self, news: News) -> None:
        """Tell causes that are new."""
        from ascend_doctor.reporters import text

        self._head(say("new_cause", self.lang, time=time.strftime("%Y-%m-%d %H:%M:%S")))
        self._write(
            text.diagnoses(news.report, news.causes, self.lang, **screen(self._output)) + "\n"
        )

    def stalled(self, watching: Watching, seconds: float) -> None:
        """Tell that no file grows."""
        from ascend_doctor.reporters import stall as reporter
        from ascend_doctor.running.examine import stall

        since = time.time() - seconds
        told = stall(since, seconds, watching.report(), watching.follower.growth())
        self._write(reporter.render(told, self.lang, **screen(self._output)) + "\n")

    def summary(self, report: Report) -> None:
        """Tell all that was found."""
        from ascend_doctor.reporters import text

        self._head(say("summary", self.lang))
        self._write(text.render(report, self.lang, **screen(self._output)))

    def unwritten(self, files: Sequence[tuple[str, float]], asked: Sequence[str]) -> None:
        """Tell that there was nothing to be read, and of which files."""
        self._head(say("summary", self.lang))
        self._write(f"! {unwritten.sentence(files, asked, self.lang)}\n")
        for line in unwritten.lines(files, self.lang):
            self._write(f"  {line}\n")

    def _head(self, title: str) -> None:
        self._write(f"── {title} ──\n\n")

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()
