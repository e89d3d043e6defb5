"""A training step of a model on as many tokens as one likes, to measure what it takes."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.train import setup
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.model import Decoder, loss_sum
from ascend_doctor.harness.train.precision import DTYPES, autocast

# Of each weight: itself, its gradient, and AdamW's two moments, all in its own type.
_COPIES = 4


def step_on(config: Config, device: Device) -> Callable[[int, int], None]:
    """Return what runs forward and backward on ``(documents, tokens of each)``, padded.

    Gradients are there beforehand: they are counted with the weights.
    """
    model = setup.model(config, device, lambda said: None)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    precision = config.training.precision

    def step(documents: int, tokens: int) -> None:
        shape = (documents, tokens)
        ids = torch.zeros(shape, dtype=torch.int64, device=device.torch)
        positions = torch.arange(tokens, device=device.torch).expand(shape)
        with autocast(device, precision):
            loss = loss_sum(model(ids, positions), ids)
        loss.backward()

    return step


def resident_bytes(config: Config) -> int:
    """Return the bytes of weights, gradients and optimizer states, without making them."""
    with torch.device("meta"):
        model = Decoder(config.model, lambda q, k, v, cu_seqlens: q)
    dtype = torch.float64 if DTYPES[config.training.precision] == torch.float64 else torch.float32
    return _COPIES * dtype.itemsize * sum(p.numel() for p in model.parameters())
