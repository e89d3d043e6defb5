"""``ascend-doctor run``."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from ascend_doctor.cli import actions, outputs, parameters
from ascend_doctor.cli.parameters import NamedPath, Seconds
from ascend_doctor.cli.terminal import screen, standard_error
from ascend_doctor.errors import DoctorError, InputError
from ascend_doctor.records import Lang
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.run_labels import say
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.knowledge.index import Knowledge
    from ascend_doctor.report import Report
    from ascend_doctor.running.logs import Baseline, Growth
    from ascend_doctor.running.run import Ending
    from ascend_doctor.running.spool import Spool

# As `timeout` has it.
_SILENT = 124
# About what collectives of HCCL wait for each other before they give up, by default.
STALL_S = 1800


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.argument(
    "command_line", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND..."
)
@click.option(
    "--logs",
    multiple=True,
    type=NamedPath(path_type=Path),
    metavar="PATH",
    help="A file or folder whose new lines are read as well; may be given several times. The "
    "folders that CANN writes its plogs to are always read.",
)
@click.option(
    "--stall",
    "stall_s",
    type=Seconds(0),
    default=STALL_S,
    show_default=True,
    metavar="SECONDS",
    help="Tell what is known when neither output nor logs have grown for so long; 0 never does. "
    "The default is about how long collectives of HCCL wait before they fail.",
)
@click.option(
    "--stall-kill",
    is_flag=True,
    help=f"End a command that is silent for so long, and exit {_SILENT}.",
)
@outputs.file_option
@click.option("--always", is_flag=True, help="Diagnose also when the command succeeds.")
@click.option(
    "--keep",
    type=NamedPath(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep a copy of the output in this folder.",
)
@parameters.lang("report")
@parameters.rules
@parameters.thresholds
@parameters.jobs
@click.pass_context
def command(
    ctx: click.Context,
    /,
    command_line: tuple[str, ...],
    logs: tuple[Path, ...],
    stall_s: float,
    stall_kill: bool,
    wanted: tuple[outputs.Output, ...],
    always: bool,
    keep: Path | None,
    lang: str,
    rules_dir: Path | None,
    thresholds: Mapping[str, float],
    jobs: int | None,
) -> None:
    """Run a command; if it fails, diagnose what it printed and logged.

    Output, exit code and signals are those of the command, as if it had been started without
    this. The diagnosis goes to standard error, with -f to files as well. Write -- before a command
    that has options: ascend-doctor run -- torchrun --nproc_per_node 8 train.py

    \b
    Exit codes
      those of the command; it dies of the same signal
      126  the command is there but cannot be run
      127  there is no such command
      124  it was ended by --stall-kill
      2    wrong usage
    """
    if os.name != "posix":
        raise InputError(
            "run needs a POSIX system; elsewhere, keep the output in a file and analyze that"
        )
    from ascend_doctor.running.channel import standard_streams
    from ascend_doctor.running.job import CannotStart, die_of
    from ascend_doctor.running.logs import Baseline, plog_folders
    from ascend_doctor.running.run import Run
    from ascend_doctor.running.silence import Silence

    streams = standard_streams()
    doctor = _Doctor(choose(lang), rules_dir, thresholds, jobs, wanted)
    spool = _spool(keep)
    baseline = Baseline([*plog_folders(os.environ), *map(str, logs)])

    def tell_stall(seconds: float, pid: int) -> None:
        doctor.tell(lambda: doctor.stall(seconds, pid, spool, baseline))

    silence = Silence(stall_s, baseline.total)
    run = Run(command_line, streams, spool, silence, tell_stall, stall_kill)
    try:
        ending = run.run()
    except CannotStart as err:
        click.echo(f"ascend-doctor: {visible(str(err))}", err=True)
        ctx.exit(err.exit_code)
    doctor.note(ending)
    if always:
        ending = replace(ending, was_asked=False)
    if ending.returncode or always:
        doctor.tell(lambda: doctor.ending(ending, spool, baseline, logs))
    spool.close()
    if ending.was_killed:
        ctx.exit(_SILENT)
    if ending.returncode < 0:
        die_of(-ending.returncode)
        ctx.exit(128 - ending.returncode)
    ctx.exit(ending.returncode)


class _Doctor:
    """Diagnoses what a command printed and logged, and tells it on standard error."""

    def __init__(
        self,
        lang: Lang,
        rules_dir: Path | None,
        thresholds: Mapping[str, float],
        jobs: int | None,
        files: Sequence[outputs.Output],
    ) -> None:
        self._lang: Lang = lang
        self._jobs = jobs
        self._files = files
        self._known: Knowledge | None = None
        if rules_dir is not None or thresholds:
            # What is wrong with them is told now, not when the command has run for days.
            from ascend_doctor.knowledge import index

            self._known = index.load(rules_dir).with_thresholds(thresholds)

    def tell(self, text: Callable[[], str]) -> None:
        """Write a text; what goes wrong is told, and changes nothing."""
        with suppress(OSError, ValueError):
            try:
                told = text()
            except KeyboardInterrupt:
                told = "ascend-doctor: interrupted\n"
            except (DoctorError, OSError, MemoryError) as err:
                told = f"ascend-doctor: {visible(str(err) or type(err).__name__)}\n"
            except Exception:
                # A bug must not take the command's exit code away.
                told = traceback.format_exc()
            error = standard_error()
            error.write(told)
            error.flush()

    def note(self, ending: Ending) -> None:
        """Tell what of the output could not be passed on."""
        lines = [say("held", self._lang)] if ending.is_held else []
        # If whoever read it has left, that is their right.
        lines += [
            say("unwritten", self._lang, reason=(err.strerror or str(err)).lower())
            for err in ending.unwritten
            if not isinstance(err, BrokenPipeError)
        ]
        if lines:
            self.tell(lambda: "".join(f"ascend-doctor: {line}\n" for line in lines))

    def stall(self, seconds: float, pid: int, spool: Spool, baseline: Baseline) -> str:
        """Return what is to be said of a silent command."""
        from ascend_doctor.reporters import stall as reporter
        from ascend_doctor.running.examine import examine, stall

        growths = list(baseline.growth())
        # Signals are the command's still, and no processes of ours are beside it.
        report = examine(spool, growths, self._knowledge(), jobs=1)
        told = stall(time.time() - seconds, seconds, report, growths, spool=spool, pid=pid)
        return _below(spool) + reporter.render(told, self._lang, **screen(standard_error()))

    def ending(
        self, ending: Ending, spool: Spool, baseline: Baseline, named: Sequence[Path]
    ) -> str:
        """Return what is to be said of a command that has ended; ``named`` are logs of the user."""
        from ascend_doctor.reporters import ending as reporter
        from ascend_doctor.view.encoding import shown

        growths = list(baseline.growth())
        is_any = bool(self._files or spool.size or growths)
        report = self._last_report(spool, growths) if is_any else None
        if report is not None:
            outputs.Writer(self._files).write(report, self._lang)
            if actions.is_running():
                actions.summarize(report, self._lang)
        if ending.was_asked and (report is None or report.status == "clean"):
            return ""  # who ended it knows why
        told = reporter.Told(
            ending.returncode,
            ending.seconds,
            was_silent=ending.was_killed,
            logs=len(growths),
            kept=None if spool.file is None else shown(os.fsencode(spool.file)),
            dropped=spool.dropped,
            broken=None if spool.broken is None else str(spool.broken.strerror).lower(),
            missing=tuple(shown(os.fsencode(path)) for path in named if not path.exists()),
        )
        text = reporter.render(told, report, self._lang, **screen(standard_error()))
        return _below(spool) + text

    def _last_report(self, spool: Spool, growths: list[Growth]) -> Report:
        """Return the report on a command that has ended; Ctrl-C ends the reading."""
        from ascend_doctor.cli import progress
        from ascend_doctor.cli.interrupt import interruptible
        from ascend_doctor.engines.local import usual_jobs
        from ascend_doctor.running.examine import examine

        jobs = usual_jobs() if self._jobs is None else self._jobs
        known = self._knowledge()
        with progress.shown(sys.stderr, self._lang, is_wanted=True) as watch, interruptible(watch):
            return examine(spool, growths, known, jobs=jobs, watch=watch)

    def _knowledge(self) -> Knowledge:
        from ascend_doctor.knowledge import index

        if self._known is None:
            self._known = index.load()
        return self._known


def _below(spool: Spool) -> str:
    """Return what ends a line that the command has begun."""
    return "\n" if spool.last(1)[0] not in (b"", b"\n") else ""


def _spool(folder: Path | None) -> Spool:
    """Return what takes the copy of the output, in a new file if a folder is given.

    Raises:
        InputError: it cannot be kept there.
    """
    from ascend_doctor.running.spool import Spool

    if folder is None:
        return Spool()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Spool(folder / f"output-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log")
    except OSError as err:
        raise InputError(f"--keep {folder}: {(err.strerror or str(err)).lower()}") from err
