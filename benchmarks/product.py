"""What is measured: a command line of the product, and the literals that it looks for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from ascend_doctor.knowledge import index
from ascend_doctor.scan.literals import VARIABLE
from ascend_doctor.scan.meanings import Vocabulary
from benchmarks.measure import Command

# That of this checkout, whose rules are compiled aside and looked up at each start.
CHECKOUT: Command = (sys.executable, "-m", "ascend_doctor")


@dataclass(frozen=True, slots=True)
class Product:
    """The command line that is measured."""

    program: Command = CHECKOUT

    def analyze(self, path: Path, *, jobs: int = 1, rules: Path | None = None) -> Command:
        """Return the command that analyses ``path`` in ``jobs`` processes."""
        command = (*self.program, "analyze", "--format", "json", "--jobs", str(jobs), str(path))
        return command if rules is None else (*command, "--rules", str(rules))


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
