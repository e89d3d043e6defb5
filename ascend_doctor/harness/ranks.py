"""Which of several processes that train together this is: told by torchrun, without torch."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which rank this process is, and of how many."""

    rank: int = 0
    count: int = 1
    local: int = 0
    """Number of the rank on its machine, and so of its device."""

    @property
    def is_first(self) -> bool:
        """True for the one that writes what is written once."""
        return self.rank == 0

    def sums(self, values: list[float], device: Device) -> list[float]:
        """Return the sum of each value over all ranks."""
        if self.count == 1:
            return values
        import torch
        import torch.distributed as dist

        # Accelerators have no float64; a count of tokens is exact up to 2**24 per rank.
        kind = torch.float64 if device.type == "cpu" else torch.float32
        tensor = torch.tensor(values, dtype=kind, device=device.torch)
        dist.all_reduce(tensor)
        return tensor.tolist()


def asked() -> Ranks:
    """Return what torchrun says in the environment.

    Raises:
        HarnessError: it says only a part, or something that is no number.
    """
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK")
    values = [os.environ.get(name) for name in names]
    if values[:2] == [None, None]:
        return Ranks()
    try:
        rank, count, local = (int(value or "") for value in values)
    except ValueError as err:
        raise HarnessError(
            f"{', '.join(names)} must all be set, as torchrun does, or none of them"
        ) from err
    return Ranks(rank, count, local)


def device_name(name: str, ranks: Ranks) -> str:
    """Return the device of a rank: of several accelerators in a machine, that of its number."""
    is_one_for_all = ranks.count == 1 or ":" in name or name == "cpu"
    return name if is_one_for_all else f"{name}:{ranks.local}"
