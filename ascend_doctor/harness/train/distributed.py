"""Ranks that train together, as torchrun starts them; one alone needs none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch.distributed as dist
from torch import nn

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.ranks import Ranks

# Groups that were joined, kept until the process ends.
_groups: list[object] = []


@contextmanager
def joined(ranks: Ranks, device: Device) -> Iterator[None]:
    """Join the other ranks for the time of the context.

    Raises:
        HarnessError: they cannot be reached.
    """
    if ranks.count == 1:
        yield
        return
    try:
        dist.init_process_group(device.collectives)
    except (RuntimeError, ValueError) as err:  # what dist raises is a RuntimeError
        said = next(iter(str(err).splitlines()), type(err).__name__)
        raise HarnessError(f"the other ranks cannot be reached: {said}") from err
    # DDP's reducer is freed later, with Python's lock held. Were its reference to the group the
    # last one, it would wait for a thread of gloo that may be waiting for that lock.
    _groups.append(dist.group.WORLD)
    try:
        yield
        dist.barrier()
    finally:
        dist.destroy_process_group()


def parallel(model: nn.Module, ranks: Ranks, device: Device) -> nn.Module:
    """Return the model with gradients averaged over ranks."""
    if ranks.count == 1:
        return model
    ids = None if device.type == "cpu" else [device.torch.index]
    return nn.parallel.DistributedDataParallel(model, device_ids=ids)


def without_exchange(model: nn.Module) -> AbstractContextManager[None]:
    """Keep gradients on this rank: of all batches of a step only the last exchanges them."""
    if isinstance(model, nn.parallel.DistributedDataParallel):
        return model.no_sync()
    return nullcontext()
