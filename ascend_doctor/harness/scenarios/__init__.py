"""The scenarios: faults of training with varying lengths, by experiment.

The parent process imports no torch. Each run is a program in a process of its own; what it prints
is analysed by ``ascend-doctor analyze``, as anyone would; the remedies of that diagnosis, and
nothing else, change its settings; and numbers decide whether the fault is gone.
"""

from __future__ import annotations

from importlib import import_module

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios.model import Scenario

_MODULES = (
    "f1_not_dynamic",
    "f2_library_missing",
    "f3_recompiles",
    "f3b_no_labels",
    "f3c_masked_row",
    "f3d_documents_mixed",
    "f3e_micro_batch_weights",
    "f4_buffer_oom",
    "f5_dataload",
    "graph_cache",
    "padding",
)


def all_scenarios() -> tuple[Scenario, ...]:
    """Return all scenarios in the order in which they are shown."""
    return tuple(import_module(f"{__name__}.{name}").SCENARIO for name in _MODULES)


def scenario(name: str) -> Scenario:
    """Return a scenario by its id, or by what it begins with, such as ``f1``.

    Raises:
        HarnessError: there is none, or several.
    """
    known = all_scenarios()
    found = [item for item in known if item.id == name]
    found = found or [item for item in known if item.id.startswith(f"{name}-")]
    if len(found) != 1:
        ids = ", ".join(item.id for item in (found or known))
        raise HarnessError(f"no scenario {name}; one of {ids}")
    return found[0]
