"""What happens between two optimizer steps: the part to lift into a trainer of one's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train.batches import Batch
from ascend_doctor.harness.train.compiling import mark
from ascend_doctor.harness.train.config import TrainingConfig
from ascend_doctor.harness.train.distributed import without_exchange
from ascend_doctor.harness.train.model import loss_sum
from ascend_doctor.harness.train.precision import autocast

# Of the learning rate, at the end of the cosine.
_LOWEST = 0.1


def optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """Return AdamW; norms and biases are not decayed."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() <= 1]
    groups = [
        {"params": decayed, "weight_decay": config.weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.95))


def learning_rate(step: int, config: TrainingConfig) -> float:
    """Return the rate of a step, counted from 1: a line up, then a cosine down."""
    if step <= config.warmup:
        return config.learning_rate * step / config.warmup
    done = (step - config.warmup) / max(1, config.steps - config.warmup)
    share = _LOWEST + (1 - _LOWEST) * (1 + math.cos(math.pi * min(1.0, done))) / 2
    return config.learning_rate * share


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step came to, over all ranks."""

    loss: float
    """Nats a token."""
    grad_norm: float
    """Before clipping."""
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Step:
    """Takes optimizer steps."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    scaler: Any
    device: Device
    ranks: Ranks
    config: TrainingConfig
    most_slots: int
    """Upper bound of the rows of a batch, and of their width."""
    is_pinned: bool = False

    def __call__(self, number: int, window: Sequence[Batch]) -> Outcome:
        """Train on the batches of step ``number``, counted from 1.

        The loss is divided by the tokens of all batches of all ranks: a mean of each batch's mean
        would weigh a token of a short batch more than one of a long batch.

        Raises:
            HarnessError: the loss or the gradient is not finite, or with a scaler, the gradient
                was not for many steps; nothing was changed by it.
        """
        [targets] = self.ranks.sums([sum(batch.targets for batch in window)], self.device)
        total = self._backward(window, max(1.0, targets))
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip or math.inf)
        if self.config.sync != "none":
            self.device.synchronize()
        # The only place where the host waits for the device.
        mine, grad_norm = torch.stack((total, norm.to(total.dtype))).tolist()
        [loss] = (value / max(1.0, targets) for value in self.ranks.sums([mine], self.device))
        self._check(number, loss, grad_norm)
        rate = learning_rate(number, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.scaler.step(self.optimizer)
        self.scaler.update()
        if self.scaler.is_enabled() and self.scaler.get_scale() < 1:
            raise HarnessError(
                f"step {number}: the loss scale fell below 1, as gradients stay infinite; the "
                "weights are those of before; train in bf16, or with a lower learning rate"
            )
        self.optimizer.zero_grad(set_to_none=True)
        return Outcome(loss, grad_norm, rate)

    def _backward(self, window: Sequence[Batch], targets: float) -> torch.Tensor:
        """Add up the gradients of all batches; return this rank's sum of losses."""
        total = torch.zeros((), dtype=torch.float32, device=self.device.torch)
        for place, batch in enumerate(window, 1):
            moved = batch.to(self.device, is_pinned=self.is_pinned)
            if self.config.compile == "mark":
                moved = mark(moved, self.most_slots)
            if place < len(window):
                with without_exchange(self.model):
                    loss = self._batch(moved, targets)
            else:
                loss = self._batch(moved, targets)
            total = total + loss
            if self.config.sync == "step":
                self.device.synchronize()
        return total

    def _batch(self, batch: Batch, targets: float) -> torch.Tensor:
        with autocast(self.device, self.config.precision):
            logits = self.model(batch.ids, batch.positions, batch.cu_seqlens)
            loss = loss_sum(logits, batch.labels)
        # Gradients are averaged over ranks, and are to be those of the sum.
        self.scaler.scale(loss * (self.ranks.count / targets)).backward()
        return loss.detach()

    def _check(self, number: int, loss: float, grad_norm: float) -> None:
        if not math.isfinite(loss):
            raise HarnessError(f"step {number}: the loss is {loss}, so the step is not taken")
        # Too large a scale makes gradients infinite at times: the scaler leaves those steps out.
        if not math.isfinite(grad_norm) and not self.scaler.is_enabled():
            raise HarnessError(
                f"step {number}: the gradient's norm is {grad_norm}, so the step is not taken"
            )


@torch.no_grad()
def heldout_loss(
    model: nn.Module, batches: Iterable[Batch], device: Device, ranks: Ranks, precision: str
) -> float:
    """Return the loss in nats a token of batches that were not trained on, over all ranks."""
    total, targets = 0.0, 0
    model.eval()
    for batch in batches:
        moved = batch.to(device)
        with autocast(device, precision):
            logits = model(moved.ids, moved.positions, moved.cu_seqlens)
            total += loss_sum(logits, moved.labels).item()
        targets += batch.targets
    model.train()
    total, targets_of_all = ranks.sums([total, float(targets)], device)
    return total / max(1.0, targets_of_all)
