"""What the remedies of a diagnosis change in a program: the only way to a fix.

A remedy names what to do (``remedies`` in the rules), and the captures of its diagnosis say how
much. Each is a function of these and of the configuration alone: it knows no scenario, and changes
only settings that the program has. What a diagnosis does not ask for does not happen.

>>> mended({"workers": 0}, [("raise-num-workers", {})], {"data": "0.9", "step": "1.2"})
{'workers': 3}
>>> mended({"workers": 0}, [("mark-dynamic", {})], {})
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ascend_doctor.harness.scenarios.model import Config, Value

Changes = Mapping[str, Value]
Remedy = tuple[str, Mapping[str, str]]


def mended(
    config: Config, remedies: Iterable[Remedy], captures: Mapping[str, str]
) -> dict[str, Value] | None:
    """Return the configuration with all remedies applied; None if they change nothing in it."""
    after = dict(config)
    for name, params in remedies:
        compute = _REMEDIES.get(name)
        if compute is not None:
            changes = compute({**captures, **params})
            after.update({key: value for key, value in changes.items() if key in config})
    return after if after != config else None


def _workers(given: Mapping[str, str]) -> Changes:
    """Return as many workers as keep up with the steps: data time by the rest of the step.

    Where the diagnosis says how many, they are that; without times nothing follows.
    """
    if "workers" in given:
        return {"workers": min(MAX_WORKERS, int(given["workers"]))}
    if "data" not in given or not {"step", "compute"} & given.keys():
        return {}
    data = float(given["data"])
    rest = float(given["compute"]) if "compute" in given else float(given["step"]) - data
    times = data / max(rest, data / MAX_WORKERS)
    # 1.2 - 0.9 is a hair below 0.3, and must not ask for one more.
    return {"workers": max(2, math.ceil(round(times, 6)))}


# A step line whose step is hardly more than its data time must not ask for hundreds.
MAX_WORKERS = 8

_REMEDIES: Mapping[str, Callable[[Mapping[str, str]], Changes]] = {
    "divide-by-valid-tokens": lambda given: {"normalise": "tokens"},
    "keep-dim-dynamic": lambda given: {"length_table": "sliced"},
    "keep-document-boundaries": lambda given: {"document_mask": True, "reset_positions": True},
    "lower-max-seq-length": lambda given: {"max_seq_length": "fitted"},
    "mark-dynamic": lambda given: {"mark": "mark_dynamic", "slice": "outside"},
    "normalise-by-tokens": lambda given: {"normalise": "tokens"},
    "pack-documents": lambda given: {"batching": "packed"},
    "persist-graph-cache": lambda given: {"cache": "writable"},
    "raise-num-workers": _workers,
    "skip-masked-rows": lambda given: {"empty_rows": "zeroed"},
    "source-set-env": lambda given: {"set_env": True},
}
