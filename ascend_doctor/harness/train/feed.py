"""The batches of one optimizer step after the other, and how far in the data that is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from ascend_doctor.harness.batching import plan
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train.batches import Batch, Planned, loaded, share
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.corpus import Corpus


@dataclass(slots=True)
class Progress:
    """How far a training is; a checkpoint has all of it."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    """Batches of the epoch that this rank has trained on."""
    tokens: int = 0
    """Of this rank."""
    train_s: float = 0.0
    """Seconds of all steps, without evaluation and checkpoints."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Makes the batches of one rank."""

    config: Config
    ranks: Ranks
    is_pinned: bool = False

    def windows(self, documents: Corpus, progress: Progress) -> Generator[list[Batch], None, None]:
        """Yield the batches of a step, epoch after epoch, from where ``progress`` stands on.

        What an epoch leaves over is a step of its own, of fewer batches. ``progress`` says how far
        the batches that were yielded last have come.
        """
        data = self.config.data
        while True:
            batches = self.batches(documents, self.config.training.seed + progress.epoch)
            loading = loaded(
                batches,
                progress.batch,
                workers=data.workers,
                prefetch=data.prefetch,
                is_pinned=self.is_pinned,
                timeout_s=data.timeout_s,
            )
            with closing(loading) as fetched:
                while window := [*islice(fetched, self.config.training.accumulate)]:
                    progress.batch += len(window)
                    if progress.batch == len(batches):
                        progress.epoch, progress.batch = progress.epoch + 1, 0
                    yield window

    def batches(self, documents: Corpus, seed: int = 0) -> Planned:
        """Return this rank's share of the batches of an epoch, in the order of ``seed``."""
        groups = plan(documents.lengths, self.config.batching, seed)
        # One row cannot be a symbol of a compiled graph.
        rows = 2 if self.config.training.compile == "mark" else 1
        return Planned(documents, share(groups, self.ranks.rank, self.ranks.count), rows)


def pinned(config: Config, device: Device) -> bool:
    """Say whether batches go through pinned memory, from which copies need no waiting."""
    asked = config.data.pin_memory
    return asked == "on" or (asked == "auto" and bool(device.supports()["pinned_memory"]))
