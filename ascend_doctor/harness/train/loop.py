"""The training: batches, steps, losses of what is held out, and checkpoints, joined."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import torch

from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train import checkpoint, metrics, setup
from ascend_doctor.harness.train.batches import Batch, loaded, watched
from ascend_doctor.harness.train.compiling import compiled
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.distributed import joined, parallel
from ascend_doctor.harness.train.feed import Feed, Progress, pinned
from ascend_doctor.harness.train.precision import scaler
from ascend_doctor.harness.train.profiling import profiled
from ascend_doctor.harness.train.setup import Say
from ascend_doctor.harness.train.step import Outcome, Step, heldout_loss, optimizer


@dataclass(frozen=True, slots=True)
class Result:
    """What a training came to."""

    steps: int
    loss: float | None
    """Of the last step; None if there was none left to take."""
    heldout_loss: float | None
    """None if nothing is held out."""
    tokens: int
    """Of this rank, since the beginning."""
    train_s: float
    graphs: int | None
    """None if nothing was compiled."""

    def __str__(self) -> str:
        """Return it as a sentence."""
        loss = "" if self.loss is None else f", loss {self.loss:.4f}"
        held_out = "" if self.heldout_loss is None else f", held out {self.heldout_loss:.4f}"
        rate = self.tokens / self.train_s if self.train_s else 0.0
        graphs = "" if self.graphs is None else f", {self.graphs} compiled graphs"
        return (
            f"{self.steps:,} steps{loss}{held_out}, {self.tokens:,} tokens in "
            f"{self.train_s:.1f} s ({rate:,.0f} a second){graphs}"
        )


def train(
    config: Config,
    device: Device,
    out: Path,
    *,
    ranks: Ranks | None = None,
    resume: bool = False,
    profile: Path | None = None,
    say: Say = lambda said: None,
    terminal: TextIO | None = None,
) -> Result:
    """Train, and leave checkpoints and ``metrics.rank<N>.jsonl`` in ``out``.

    Args:
        ranks: Which rank this is; None for a training of one.
        resume: Go on from the latest checkpoint in ``out``, if there is one.
        profile: Folder for a profile of three steps.
        say: Is told what is done, a line each.
        terminal: Where to show how far it is.

    Raises:
        HarnessError: it cannot begin, or cannot go on.
    """
    ranks = ranks or Ranks()
    with joined(ranks, device):
        training = Training(config, device, out, ranks, say if ranks.is_first else _silent)
        if resume:
            training.resume()
        return training.run(profile, terminal)


def _silent(said: str) -> None:
    """Say nothing: the first rank does."""


class Training:
    """A training that can be left and gone on with."""

    def __init__(
        self, config: Config, device: Device, out: Path, ranks: Ranks, say: Say = _silent
    ) -> None:
        self.config, self.device, self.out, self.ranks, self.say = config, device, out, ranks, say
        settings = config.training
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.documents, self.held_out = setup.documents(config, say)
        self.model = setup.model(config, device, say)
        model, self.graphs = compiled(
            self.model, device, settings.compile, settings.compile_backend, settings.compile_cache
        )
        self.feed = Feed(config, ranks, pinned(config, device))
        self.step = Step(
            model=parallel(model, ranks, device),
            optimizer=optimizer(self.model, settings),
            scaler=scaler(device, settings.precision),
            device=device,
            ranks=ranks,
            config=settings,
            most_slots=max(config.batching.max_length, config.batching.tokens_per_batch),
            is_pinned=self.feed.is_pinned,
        )
        self.progress = Progress()

    def resume(self) -> None:
        """Go on from the latest checkpoint, if there is one.

        Raises:
            HarnessError: none can be read, or it is of another training.
        """
        found = checkpoint.latest(self.out)
        if found is None:
            self.say(f"no checkpoint in {self.out}: it begins anew")
            return
        path, state, notes = found
        for note in notes:
            self.say(note)
        setup.check_resumed(self.config, state["config"], path)
        self.model.load_state_dict(state["model"])
        self.step.optimizer.load_state_dict(state["optimizer"])
        self.step.scaler.load_state_dict(state["scaler"])
        torch.set_rng_state(state["rng"])
        self.progress = Progress(**state["progress"])
        self.say(f"goes on from {path}")

    def run(self, profile: Path | None = None, terminal: TextIO | None = None) -> Result:
        """Take the steps that are left.

        Raises:
            HarnessError: it cannot go on.
        """
        settings, progress = self.config.training, self.progress
        first = progress.step
        log = metrics.Log(self.out, self.ranks.rank, first)
        windows = self.feed.windows(self.documents, progress)
        last: metrics.StepMetrics | None = None
        with (
            watched(RuntimeError),
            closing(log),
            closing(windows),
            profiled(profile, self.device, self.ranks.rank) as recorded,
            metrics.bar(terminal, first, settings.steps) as show,
        ):
            while progress.step < settings.steps:
                last = self._one(windows)
                log.write(last)
                show(last)
                recorded()
                if self._is_due(settings.checkpoint_every):
                    self.save()
        return Result(
            progress.step,
            None if last is None else last.loss,
            None if last is None else last.heldout_loss,
            progress.tokens,
            progress.train_s,
            None if self.graphs is None else self.graphs.count,
        )

    def save(self) -> None:
        """Write a checkpoint, once for all ranks: they hold the same.

        Raises:
            HarnessError: it cannot be written.
        """
        if not self.ranks.is_first:
            return
        state = {
            "config": self.config.as_json(),
            "model": self.model.state_dict(),
            "optimizer": self.step.optimizer.state_dict(),
            "scaler": self.step.scaler.state_dict(),
            "rng": torch.get_rng_state(),
            "progress": asdict(self.progress),
        }
        checkpoint.save(self.out, self.progress.step, state, self.config.training.keep)

    def _one(self, windows: Iterator[list[Batch]]) -> metrics.StepMetrics:
        """Take one step, and evaluate behind it if that is due."""
        progress = self.progress
        begin = time.perf_counter()
        window = next(windows)
        fetched = time.perf_counter()
        outcome = self.step(progress.step + 1, window)
        end = time.perf_counter()
        progress.step += 1
        progress.tokens += sum(batch.tokens for batch in window)
        progress.train_s += end - begin
        return self._measured(outcome, window, fetched - begin, end - begin)

    def _measured(
        self, outcome: Outcome, window: list[Batch], data_s: float, step_s: float
    ) -> metrics.StepMetrics:
        is_due = self._is_due(self.config.training.evaluate_every)
        reserved = self.device.reserved_bytes()
        return metrics.StepMetrics(
            step=self.progress.step,
            rank=self.ranks.rank,
            loss=outcome.loss,
            data_s=data_s,
            step_s=step_s,
            tokens=sum(batch.tokens for batch in window),
            slots=sum(batch.slots for batch in window),
            lengths=tuple(length for batch in window for length in batch.lengths),
            recompiles=0 if self.graphs is None else max(0, self.graphs.count - 1),
            reserved_mib=None if reserved is None else reserved >> 20,
            time=time.time(),
            grad_norm=outcome.grad_norm,
            learning_rate=outcome.learning_rate,
            heldout_loss=self.evaluate() if is_due and len(self.held_out) else None,
            train_s=self.progress.train_s,
        )

    def evaluate(self) -> float:
        """Return the loss of what is held out; by the model as it is written, never compiled."""
        batches = self.feed.batches(self.held_out)
        precision = self.config.training.precision
        return heldout_loss(self.model, loaded(batches), self.device, self.ranks, precision)

    def _is_due(self, every: int) -> bool:
        step, steps = self.progress.step, self.config.training.steps
        return step == steps or bool(every and step % every == 0)
