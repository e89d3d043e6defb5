"""What is measured: the command line of this checkout, and the literals that it looks for."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from ascend_doctor.knowledge import index
from ascend_doctor.scan.literals import VARIABLE
from ascend_doctor.scan.meanings import Vocabulary
from benchmarks.measure import Command

PROGRAM: Command = (sys.executable, "-m", "ascend_doctor")


def analyze(path: Path, *, jobs: int = 1, rules: Path | None = None) -> Command:
    """Return the command that analyses ``path`` in ``jobs`` processes."""
    command = (*PROGRAM, "analyze", "--format", "json", str(path))
    if has_jobs():
        command += ("--jobs", str(jobs))
    if rules is not None:
        command += ("--rules", str(rules))
    return command


@cache
def has_jobs() -> bool:
    """Say whether ``analyze`` can work in several processes."""
    shown = subprocess.run(  # noqa: S603
        (*PROGRAM, "analyze", "--help"), capture_output=True, text=True, check=True
    )
    return "--jobs" in shown.stdout


def by(engine: str, command: Command) -> Command:
    """Return a command of the product in which literals are found by an engine."""
    return ("env", f"{VARIABLE}={engine}", *command)


def literals() -> list[bytes]:
    """Return the literals that a scan looks for, as a program can be asked that knows only lines.

    Newlines that some begin with are taken off. The few that are not ASCII are left out: for
    them ripgrep would have to leave its fastest mode.
    """
    texts = Vocabulary(index.load().rules.values()).texts
    return [*dict.fromkeys(text.strip(b"\n") for text in texts if text.isascii())]
