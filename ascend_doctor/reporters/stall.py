"""What is said of a silent job: who is silent since when, and what its processes are doing."""

from __future__ import annotations

import io
import time
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ascend_doctor.records import Lang
from ascend_doctor.reporters import text
from ascend_doctor.reporters.labels import joined
from ascend_doctor.reporters.layout import Block, Sheet, console, prose
from ascend_doctor.reporters.run_labels import duration, say
from ascend_doctor.reporters.safe import clipped, visible
from ascend_doctor.stall import LastLines, ProcessState, Stall

# What a screen can hold.
MAX_WRITERS = 16
MAX_PROCESSES = 16
MAX_LINE = 300


def render(stall: Stall, lang: Lang = "en", *, color: bool = False, width: int = 100) -> str:
    """Return what is said of a silent job, for a terminal of ``width`` columns."""
    out = io.StringIO()
    screen = console(out, color=color, width=width)
    _Writer(screen, lang).stall(stall)
    if stall.report.coverage.files:
        screen.print()
        screen.print(Text(say("until_now", lang), style="bold"))
        out.write(text.render(stall.report, lang, color=color, width=width))
    return out.getvalue()


class _Writer:
    def __init__(self, screen: Console, lang: Lang) -> None:
        self._console = screen
        self._lang: Lang = lang
        self._sheet = Sheet(screen, [""])

    def stall(self, stall: Stall) -> None:
        silent = self._say(
            "stalled", duration=duration(stall.seconds, self._lang), since=_clock(stall.since)
        )
        self._console.print(Text(f"! {silent}", style="bold yellow"))
        if stall.writers:
            self._writers(stall.writers)
        if stall.processes:
            self._processes(stall.processes)

    def _writers(self, writers: tuple[LastLines, ...]) -> None:
        self._heading("last_lines")
        for (who, since, path), group in groupby(
            writers[:MAX_WRITERS], key=lambda w: (w.who, w.since, w.path)
        ):
            head = Text(visible(who) or self._say("its_output"), style="bold")
            if since is not None:
                head.append(f"  {self._say('silent_since', since=_clock(since))}", style="yellow")
            head.append(f"  {visible(path)}", style="cyan")
            self._row(Block(head, wraps=False))
            for writer in group:
                for line in writer.lines:
                    self._row(Block(Text(clipped(line, MAX_LINE)), indent=2))
        if len(writers) > MAX_WRITERS:
            self._row(Block(Text(self._say("more_writers", count=len(writers) - MAX_WRITERS))))

    def _processes(self, processes: tuple[ProcessState, ...]) -> None:
        self._heading("doing")
        for process in processes[:MAX_PROCESSES]:
            rank = f" (rank {process.rank})" if process.rank is not None else ""
            self._row(
                Block(Text(f"{process.pid}{rank}  {visible(process.command)}"[:MAX_LINE])),
                Block(Text(joined(self._doing(process), self._lang), style="dim"), indent=2),
            )
        if len(processes) > MAX_PROCESSES:
            more = self._say("more_processes", count=len(processes) - MAX_PROCESSES)
            self._row(Block(Text(more, style="dim")))
        pid = min(processes, key=lambda p: (p.rank is None, "python" not in p.command, p.pid)).pid
        self._row(
            Block(prose(self._say("where_it_stands", pid=pid))),
            Block(prose(self._say("compare_ranks"))),
        )

    def _doing(self, process: ProcessState) -> list[str]:
        state = f"state_{process.state}"
        said = [self._say(state) if process.state in "RSDTtZI" else process.state]
        if process.waits_in:
            said.append(self._say("waits_in", place=visible(process.waits_in)))
        one = process.threads == 1
        said.append(self._say("thread") if one else self._say("threads", count=process.threads))
        said.append(self._say("cpu", duration=duration(process.cpu_s, self._lang)))
        return said

    def _heading(self, name: str) -> None:
        self._console.print()
        self._console.print(Text(self._say(name), style="bold"))

    def _row(self, *blocks: Block) -> None:
        self._sheet.row("", blocks)

    def _say(self, name: str, **values: object) -> str:
        return say(name, self._lang, **values)


def _clock(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
