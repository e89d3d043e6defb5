"""Autocast and loss scaling: scaling only for fp16, whose gradients vanish without it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device

DTYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


def autocast(device: Device, precision: str) -> AbstractContextManager[Any]:
    """Return the context of a forward pass; weights stay as they are."""
    if precision in ("fp32", "fp64"):
        return nullcontext()
    return torch.autocast(device.type, dtype=DTYPES[precision])


def scaler(device: Device, precision: str) -> Any:
    """Return a GradScaler, which does nothing but pass through unless ``precision`` is fp16.

    Raises:
        HarnessError: the device has no such type.
    """
    if precision == "fp64" and device.type == "npu":
        raise HarnessError("precision fp64: an NPU computes in fp32 at most")
    if precision == "bf16" and not (found := device.supports()["bf16"]):
        raise HarnessError(f"precision bf16: {found.reason}; use fp16")
    is_on = precision == "fp16"
    made = getattr(torch.amp, "GradScaler", None)
    if made is not None:
        return made(device.type, enabled=is_on)
    if device.module is None:  # releases that scale on accelerators only
        return torch.cuda.amp.GradScaler(enabled=False)
    return device.module.amp.GradScaler(enabled=is_on)
