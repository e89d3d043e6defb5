"""The runtime gate: what an optimizer step is taken on is finite, whole and weighed by tokens."""

from __future__ import annotations

import math
from typing import Any

import torch

from ascend_doctor.harness.guards.saying import OnFailure, close

# Weights of tokens in one step are equal but for rounding; half types round a hundredth.
_TOLERANCE = 0.05
# Tokens of a batch that are looked at, and what is too sure for its gradient to say its weight.
_SAMPLE = 8
_SURE = 1e-3


def guard_steps(
    optimizer: torch.optim.Optimizer,
    *,
    ignore_index: int = -100,
    checks_device: bool | None = None,
    on_failure: OnFailure = "raise",
) -> StepWatch:
    """Check what an optimizer is about to step on, each time it does.

    Give the result the logits and labels of each forward pass, ``watch(logits, labels)``: it
    returns the logits, and learns from their gradient how much a token weighs, whatever the loss
    is divided by. Labels are those of these very logits, after any shift. Each pass waits for the
    device once, so watch the first steps, or every hundredth, of a run whose time matters.

    Args:
        ignore_index: The label of tokens that are not trained on.
        checks_device: Try before each step whether the device still computes; by default on NPUs,
            where operators are dropped without a word after an error that was caught.
    """
    return StepWatch(optimizer, ignore_index, checks_device, on_failure)


class StepWatch:
    """Watches forward passes, and checks them before each step of the optimizer."""

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        ignore_index: int,
        checks_device: bool | None,
        on_failure: OnFailure,
    ) -> None:
        self.step = 0
        self._ignored = ignore_index
        self._checks_device = checks_device
        self._on_failure: OnFailure = on_failure
        self._passes = 0
        self._weights: dict[int, torch.Tensor | None] = {}
        self._losses: list[torch.Tensor] = []
        optimizer.register_step_pre_hook(self._before)

    def __call__(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return ``logits`` (…, vocab), watched; ``labels`` (…) are what they are to foretell."""
        number = self._passes = self._passes + 1
        rows, wanted = logits.detach().flatten(0, -2), labels.detach().flatten()
        chosen = (wanted != self._ignored).nonzero()[:, 0]
        # Spread over the batch, and the same each time.
        chosen = chosen[:: max(1, len(chosen) // _SAMPLE)][:_SAMPLE]
        wanted = wanted[chosen]
        doubt = 1 - rows[chosen].float().softmax(-1).gather(1, wanted[:, None])[:, 0]

        def learn(gradient: torch.Tensor) -> None:
            # That of a token's cross entropy, at its label, is its weight times (p - 1).
            at_label = gradient.flatten(0, -2)[chosen, wanted].float()
            self._weights[number] = _middle((-at_label / doubt)[doubt > _SURE])

        if logits.requires_grad:
            logits.register_hook(learn)
        else:
            self._passes -= 1
        return logits

    def loss(self, loss: torch.Tensor) -> torch.Tensor:
        """Return ``loss``, to be checked before the step.

        A mean over a batch without a label is nan, and its gradients are finite all the same.
        """
        self._losses.append(loss.detach().float())
        return loss

    def _before(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        self.step += 1
        passes, weights, losses = self._passes, self._weights, self._losses
        self._passes, self._weights, self._losses = 0, {}, []
        where = f"step {self.step}: "
        for said in (
            _swallowed(passes, weights),
            _not_finite_loss(losses),
            _not_finite(optimizer),
            _unequal(weights),
            self._dropped(optimizer),
        ):
            if said:
                close("runtime", where + said, self._on_failure)

    def _dropped(self, optimizer: torch.optim.Optimizer) -> str:
        device = next(p.device for group in optimizer.param_groups for p in group["params"])
        asked = self._checks_device
        if not (device.type == "npu" if asked is None else asked):
            return ""
        found = (torch.full((), 2.0, device=device) + float(self.step)).item()
        if found == 2.0 + self.step:
            return ""
        return (
            f"{device} computes {found} in place of {2.0 + self.step}: after an error that was "
            "caught, operators are dropped without a word"
        )


def _middle(values: torch.Tensor) -> torch.Tensor | None:
    return values.median() if len(values) else None


def _swallowed(passes: int, weights: dict[int, torch.Tensor | None]) -> str:
    missing = [number for number in range(1, passes + 1) if number not in weights]
    if not missing:
        return ""
    return (
        f"batch {missing[0]} of {passes} gave no gradient: an error between its forward pass and "
        "backward was swallowed, or its loss was dropped"
    )


def _not_finite_loss(losses: list[torch.Tensor]) -> str:
    values = [*enumerate(torch.stack(losses).tolist(), 1)] if losses else []
    odd = [(number, value) for number, value in values if not math.isfinite(value)]
    if not odd:
        return ""
    number, value = odd[0]
    return f"the loss of batch {number} of {len(values)} is {value}"


def _not_finite(optimizer: torch.optim.Optimizer) -> str:
    """Return which gradient is not finite; one wait for the device for all of them."""
    gradients = [
        p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None
    ]
    if not gradients:
        return "no parameter has a gradient"
    norms = torch.stack([gradient.float().norm() for gradient in gradients]).tolist()
    odd = [place for place, norm in enumerate(norms, 1) if not math.isfinite(norm)]
    if not odd:
        return ""
    shape = tuple(gradients[odd[0] - 1].shape)
    return (
        f"{len(odd)} of {len(norms)} gradients are not finite, the first of shape {shape} with "
        f"norm {norms[odd[0] - 1]}"
    )


def _unequal(weights: dict[int, torch.Tensor | None]) -> str:
    """Return that tokens of some batches weigh more than those of others, as in a mean of means."""
    known = {number: weight.item() for number, weight in weights.items() if weight is not None}
    if len(known) < 2:
        return ""
    least, most = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    if known[least] <= 0 or not known[most] <= known[least] * (1 + _TOLERANCE):
        times = known[most] / known[least] if known[least] > 0 else math.inf
        return (
            f"a token of batch {most} weighs {times:.2f} times one of batch {least}: divide the "
            "summed loss by the tokens of all batches of the step, not each by its own"
        )
    return ""
