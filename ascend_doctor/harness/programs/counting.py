"""Counts what torch.compile makes, and how often that is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._dynamo.backends.registry import lookup_backend

from ascend_doctor.harness import devices


class Counted:
    """A back end of torch.compile that hands on to the device's own, and counts.

    Attributes:
        graphs: how many graphs were compiled.
        calls: how often a compiled graph was run; a step without one ran eagerly.
    """

    def __init__(self, device: str) -> None:
        self.graphs = 0
        self.calls = 0
        # On a CPU only Dynamo is of interest, and nothing need be generated.
        is_npu = device.startswith("npu")
        self._backend = lookup_backend(
            devices.compile_backend(devices.choose(device)) if is_npu else "eager"
        )

    def __call__(self, graph: Any, inputs: list[Any]) -> Callable[..., Any]:
        """Compile a graph."""
        self.graphs += 1
        compiled = self._backend(graph, inputs)

        def run(*args: Any) -> Any:
            self.calls += 1
            return compiled(*args)

        return run
