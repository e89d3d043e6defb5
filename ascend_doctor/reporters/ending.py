"""What is said when a command has failed, around the diagnosis."""

from __future__ import annotations

import io
import signal

from msgspec import Struct
from rich.text import Text

from ascend_doctor.records import Lang
from ascend_doctor.report import Report
from ascend_doctor.reporters import text
from ascend_doctor.reporters.labels import size
from ascend_doctor.reporters.layout import console, prose, wrapped
from ascend_doctor.reporters.reasons import translated
from ascend_doctor.reporters.run_labels import duration, say
from ascend_doctor.reporters.safe import visible


class Told(Struct, frozen=True):
    """What is known of a command that has ended.

    Attributes:
        returncode: its exit code, or minus the signal that ended it.
        seconds: how long it ran.
        was_silent: it was ended for being silent.
        logs: how many logs it wrote.
        kept: where its output is kept, None if it is not.
        dropped: bytes of its output that were not kept.
        broken: why the copy of its output ends early, None if it does not.
        missing: logs that were to be read and do not exist.
    """

    returncode: int
    seconds: float
    was_silent: bool = False
    logs: int = 0
    kept: str | None = None
    dropped: int = 0
    broken: str | None = None
    missing: tuple[str, ...] = ()


def render(
    told: Told, report: Report | None, lang: Lang = "en", *, color: bool = False, width: int = 100
) -> str:
    """Return how the command ended, and the report, for a terminal of ``width`` columns.

    Without a report, there was nothing to be read.
    """
    out = io.StringIO()
    screen = console(out, color=color, width=width)

    def line(said: str, style: str = "") -> None:
        for part in wrapped(prose(said), screen.width):
            part.stylize(style)
            screen.print(part, soft_wrap=True)

    screen.print(Text("─" * screen.width, style="dim"))
    has_read = report is not None and report.coverage.files > 0
    read = _read(told.logs, lang) if has_read else say("read_nothing", lang)
    between = " " if lang == "en" else ""
    line(f"ascend-doctor: {_ended(told, lang)}{between}{read}", "bold")
    if told.returncode == -signal.SIGKILL and not told.was_silent:
        line(say("killed", lang))
    if told.dropped:
        line(say("dropped", lang, size=size(told.dropped)))
    if told.broken is not None:
        line(say("copy_broken", lang, reason=translated(told.broken, lang)))
    for path in told.missing:
        line(say("logs_missing", lang, path=visible(path)))
    if report is not None and has_read:
        screen.print()
        out.write(text.render(report, lang, color=color, width=width))
    if told.kept is not None:
        kept = say("kept", lang, path=visible(told.kept))
        screen.print(Text(kept, style="dim"), soft_wrap=True)
    elif has_read:
        line(say("not_kept", lang), "dim")
    return out.getvalue()


def _ended(told: Told, lang: Lang) -> str:
    lasted = duration(told.seconds, lang)
    if told.was_silent:
        return say("silent", lang, duration=lasted)
    if told.returncode < 0:
        return say("signalled", lang, duration=lasted, name=signal_name(-told.returncode))
    return say("ended", lang, duration=lasted, code=told.returncode)


def _read(logs: int, lang: Lang) -> str:
    if not logs:
        return say("read_output", lang)
    return say("read_one", lang) if logs == 1 else say("read", lang, count=f"{logs:,}")


def signal_name(number: int) -> str:
    """Return the name of a signal.

    >>> signal_name(9), signal_name(40)
    ('SIGKILL', 'signal 40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
