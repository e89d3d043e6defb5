"""torch.compile, with a count of its graphs: more than one for all lengths is what to look at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch import nn

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device, compile_backend
from ascend_doctor.harness.train.batches import Batch


class Graphs:
    """Compiles as a back end does, and counts."""

    def __init__(self, backend: str) -> None:
        self.name = backend
        self.count = 0
        self._compile: Callable[..., Any] = _lookup(backend)

    def __call__(self, graph: Any, inputs: Any, **options: Any) -> Any:
        """Compile one graph."""
        self.count += 1
        return self._compile(graph, inputs, **options)


def _lookup(backend: str) -> Callable[..., Any]:
    # Under torch._dynamo directly it stands only in some releases.
    from torch._dynamo.backends.registry import lookup_backend

    try:
        return lookup_backend(backend)
    except torch._dynamo.exc.InvalidBackend as err:
        known = ", ".join(torch._dynamo.list_backends(exclude_tags=()))
        raise HarnessError(
            f"compile_backend: torch.compile has no {backend!r} here; there are {known}"
        ) from err


def compiled(
    model: nn.Module, device: Device, how: str, backend: str, cache: str
) -> tuple[nn.Module, Graphs | None]:
    """Return the model, compiled unless ``how`` is off, and the count of its graphs.

    Raises:
        HarnessError: there is no such back end.
    """
    if how == "off":
        return model, None
    if backend == "auto":
        backend = compile_backend(device)
        if not backend:
            raise HarnessError(
                f"compile: nothing compiles for {device.name} here (torchair is missing?); use off"
            )
    if cache:
        folder = str(Path(cache).absolute())
        # Read when the first graph is compiled.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ.setdefault("TORCHINDUCTOR_FX_GRAPH_CACHE", "1")
    graphs = Graphs(backend)
    # Marked, a length that a graph would fix is an error; dynamic=False must not hide the mark.
    made = torch.compile(model, backend=graphs, dynamic=None)
    return made, graphs


def mark(batch: Batch, most_slots: int) -> Batch:
    """Mark the dimensions of a batch that vary; on the device, as copies lose the mark.

    Args:
        most_slots: Upper bound of rows and of their width.
    """
    for tensor in (batch.ids, batch.positions):
        # A row that is packed is alone, and one cannot be a symbol.
        if batch.cu_seqlens is None:
            torch._dynamo.mark_dynamic(tensor, 0, min=2, max=most_slots)
        torch._dynamo.mark_dynamic(tensor, 1, min=2, max=most_slots)
    if batch.cu_seqlens is not None:
        torch._dynamo.mark_dynamic(batch.cu_seqlens, 0, min=2, max=most_slots + 1)
    return batch
