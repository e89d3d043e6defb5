"""How long documents may be: a model of memory from a few probes, or a refusal where it is wrong.

Live bytes of tensors are counted, not what the process takes: pools and arenas of an allocator keep
what was freed, and a fit of that says nothing of lengths that were not tried.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device

# A fit that misses what it was not shown by more than this share is refused.
MAX_ERROR = 0.10
# Of the largest probe: what a coefficient below zero may be by rounding of allocations.
_NOISE = 1e-3
# Nobody trains on longer documents; a search must end somewhere.
_LONGEST = 1 << 22


class LiveBytes(TorchDispatchMode):
    """Counts the bytes of all storages that are made within it, and of those that are alive."""

    def __init__(self) -> None:
        super().__init__()
        self.live = 0
        self.peak = 0
        self._known: set[int] = set()

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run an operator, and count what it made."""
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, torch.Tensor):
                self._see(tensor.untyped_storage())
        return made

    def _see(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key in self._known:
            return
        size = storage.nbytes()
        self._known.add(key)
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.live -= size


@dataclass(frozen=True, slots=True)
class Probe:
    """What one training step took beside what was there before it."""

    batch: int
    length: int
    peak: int
    """Bytes."""


def probe(work: Callable[[int, int], object], batch: int, length: int, device: Device) -> Probe:
    """Run ``work(batch, length)``, and return the peak of its memory beyond what was there."""
    if device.module is None:
        with LiveBytes() as counted:
            work(batch, length)
        return Probe(batch, length, counted.peak)
    device.synchronize()
    device.reset_peak()
    before = device.peak_bytes() or 0
    work(batch, length)
    device.synchronize()
    return Probe(batch, length, (device.peak_bytes() or 0) - before)


@dataclass(frozen=True, slots=True)
class Fit:
    """Bytes of a step: ``fixed + batch * (a_token * length + a_pair * length ** 2)``."""

    fixed: float
    a_token: float
    a_pair: float
    """Above zero where scores of attention are kept, or a mask of all pairs."""
    error: float
    """Largest relative error on probes that were not fitted."""

    def bytes(self, batch: int, length: int) -> float:
        """Return the memory of a step."""
        return self.fixed + batch * (self.a_token * length + self.a_pair * length**2)

    def longest(self, batch: int, budget: float, multiple: int = 8) -> int:
        """Return the longest documents that fit ``budget`` bytes, 0 if none do."""
        low, high = 0, _LONGEST // multiple
        while low < high:
            middle = (low + high + 1) // 2
            if self.bytes(batch, middle * multiple) <= budget:
                low = middle
            else:
                high = middle - 1
        return low * multiple

    def largest(self, length: int, budget: float) -> int:
        """Return the largest batch of documents of ``length`` that fits ``budget`` bytes."""
        each = self.a_token * length + self.a_pair * length**2
        return max(0, int((budget - self.fixed) // each))


def fit(probes: Sequence[Probe], held_out: Sequence[Probe]) -> Fit:
    """Fit the probes, and try the fit on those that are held out.

    Raises:
        HarnessError: no such curve goes through them, so nothing can be said of other lengths.
    """
    if any(p.peak <= 0 for p in (*probes, *held_out)):
        raise HarnessError("memory cannot be foretold: the device says that it held nothing")
    rows = [[1.0, p.batch * p.length, p.batch * p.length**2] for p in probes]
    # Columns of like size, or the squares drown the rest.
    scale = torch.tensor(rows, dtype=torch.float64).abs().amax(0)
    wanted = torch.tensor([[float(p.peak)] for p in probes], dtype=torch.float64)
    scaled = torch.tensor(rows, dtype=torch.float64) / scale
    solved = torch.linalg.lstsq(scaled, wanted, driver="gelsd").solution[:, 0]
    most = max(p.peak for p in probes)
    names = ("fixed", "bytes a token", "bytes a pair of tokens")
    for name, share in zip(names, solved.tolist(), strict=True):
        if share < -_NOISE * most:
            raise HarnessError(
                f"memory cannot be foretold: the probes {_said(probes)} give a negative part "
                f"({name}), so memory does not grow with length alone; probe longer documents"
            )
    fixed, a_token, a_pair = (max(0.0, value) for value in (solved / scale).tolist())
    found = Fit(fixed, a_token, a_pair, 0.0)
    error = max(abs(found.bytes(p.batch, p.length) - p.peak) / p.peak for p in held_out)
    if not error <= MAX_ERROR:
        raise HarnessError(
            f"memory cannot be foretold: on {_said(held_out)}, which were not fitted, the error is "
            f"{error:.0%}, above {MAX_ERROR:.0%}"
        )
    return Fit(fixed, a_token, a_pair, error)


def _said(probes: Sequence[Probe]) -> str:
    parts = (f"{p.batch} x {p.length}: {p.peak / 2**20:.1f} MiB" for p in probes)
    return ", ".join(parts)


def measured(
    work: Callable[[int, int], object], device: Device, lengths: Sequence[int], batch: int = 2
) -> tuple[Fit, list[Probe]]:
    """Probe ``work`` at rising lengths and return the fit; every other probe is held out.

    Args:
        work: Takes a training step on ``batch`` documents of ``length`` tokens, no optimizer.
        lengths: Five or more, rising.

    Raises:
        HarnessError: memory cannot be foretold.
    """
    if len(lengths) < 5 or sorted(set(lengths)) != list(lengths):
        raise HarnessError("five or more rising lengths are needed to fit memory and to try it")
    work(1, lengths[0])  # what is made once for all, kernels' workspaces among it
    probes = [probe(work, batch, length, device) for length in lengths]
    # Twice the batch: the part that does not grow with it shows.
    probes.append(probe(work, 2 * batch, lengths[-2], device))
    held_out = [probes[1], probes[len(lengths) - 2]]
    shown = [p for p in probes if p not in held_out]
    return fit(shown, held_out), probes
