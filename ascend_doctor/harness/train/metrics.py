"""What each step was like: a JSON line a step and rank, and a bar on a terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, TextIO

from ascend_doctor.errors import HarnessError


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMetrics:
    """One optimizer step of one rank."""

    step: int
    rank: int
    loss: float
    """Nats a token, over all ranks."""
    data_s: float
    """Seconds of the step in which it waited for batches."""
    step_s: float
    """Seconds of the whole step, with those."""
    tokens: int
    slots: int
    """Places for tokens in this rank's batches, padding included."""
    lengths: tuple[int, ...] = ()
    """Tokens of each document in them."""
    recompiles: int
    """Graphs compiled so far beyond the first."""
    reserved_mib: int | None
    """Device memory that the allocator holds; None for a CPU."""
    time: float
    """Seconds since 1970."""
    grad_norm: float
    learning_rate: float
    heldout_loss: float | None = None
    train_s: float = 0.0
    """Seconds of all steps so far, without evaluation and checkpoints."""


class Log:
    """``metrics.rank<N>.jsonl``; lines are written at once, and one that a kill cut falls away."""

    def __init__(self, folder: Path, rank: int, after_step: int = 0) -> None:
        self.path = folder / f"metrics.rank{rank}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._keep(after_step)
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as err:
            raise self._error(err) from err

    def write(self, metrics: StepMetrics) -> None:
        """Append a line; what is not known is left out.

        Raises:
            HarnessError: it cannot be written.
        """
        known = {name: value for name, value in asdict(metrics).items() if value is not None}
        try:
            self._file.write(json.dumps(known) + "\n")
            self._file.flush()
        except OSError as err:
            raise self._error(err) from err

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as err:
            raise self._error(err) from err

    def _keep(self, after_step: int) -> None:
        """Keep the lines up to the step that is gone on from: those behind it come once more."""
        if not self.path.exists():
            return
        kept = []
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    data = json.loads(line)
                except ValueError:
                    continue
                step = data.get("step") if isinstance(data, dict) else None
                if isinstance(step, int) and step <= after_step:
                    kept.append(line if line.endswith("\n") else f"{line}\n")
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        beside.write_text("".join(kept), encoding="utf-8")
        beside.replace(self.path)

    def _error(self, err: OSError) -> HarnessError:
        return HarnessError(f"{self.path} cannot be written: {(err.strerror or str(err)).lower()}")


class Bar(Protocol):
    """Shows how far a training is."""

    def __call__(self, metrics: StepMetrics) -> None:
        """Show it after a step."""


@contextmanager
def bar(terminal: TextIO | None, start: int, steps: int) -> Iterator[Bar]:
    """Yield a bar that shows on ``terminal``, if it is one, how far a training is."""
    if terminal is None or not terminal.isatty():
        yield lambda metrics: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (BarColumn(), MofNCompleteColumn(), Remaining(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(file=terminal), transient=True) as progress:
        task = progress.add_task("", total=steps, completed=start)

        def show(metrics: StepMetrics) -> None:
            said = (
                f"loss {metrics.loss:.3f}  {metrics.tokens / metrics.step_s:,.0f} tokens/s  "
                f"{metrics.tokens / metrics.slots:.0%} effective  "
                f"data {metrics.data_s / metrics.step_s:.0%}"
            )
            progress.update(task, completed=metrics.step, description=said)

        yield show
