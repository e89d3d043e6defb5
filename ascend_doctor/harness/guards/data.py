"""The data gate: what is about to reach the model is marked, and its edges are true."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import torch

from ascend_doctor.harness.guards.saying import OnFailure, close

# What npu_fusion_attention takes of documents in one call.
MAX_DOCUMENTS = 1024


def check_batch(
    batch: Mapping[str, Any],
    *,
    dynamic: Mapping[str, int] | None = None,
    cumulative: Mapping[str, str] | None = None,
    loader: Any = None,
    max_documents: int = MAX_DOCUMENTS,
    on_failure: OnFailure = "raise",
) -> None:
    """Check a batch right before the model is given it, on its device.

    Reading cumulative lengths waits for the device: check every batch on a CPU, and some, or those
    of the first steps, elsewhere.

    Args:
        dynamic: Names of tensors, and the dimension of each that must be marked dynamic.
        cumulative: Names of cumulative lengths, and of the tensor whose tokens they divide: its
            rows together, so (1, T) and (T,) both hold T.
        loader: The DataLoader, to say where a mark was lost.

    Raises:
        GuardError: the gate is closed, and ``on_failure`` is ``raise``.
    """
    for name, dimension in (dynamic or {}).items():
        if not is_marked(batch[name], dimension):
            where = _lost(name, dimension, batch[name], loader)
            said = f"{name} has no dynamic mark on dimension {dimension}: {where}"
            close("data", said, on_failure)
    for name, of in (cumulative or {}).items():
        reason = wrong_edges(batch[name], batch[of].numel(), max_documents)
        if reason:
            said = f"{name} is no list of cumulative lengths of {of}: {reason}"
            close("data", said, on_failure)


def is_marked(tensor: torch.Tensor, dimension: int) -> bool:
    """Say whether ``mark_dynamic`` was called for a dimension of this very tensor."""
    marked: set[int] = getattr(tensor, "_dynamo_dynamic_indices", set())
    return dimension % max(1, tensor.dim()) in marked


def _lost(name: str, dimension: int, tensor: torch.Tensor, loader: Any) -> str:
    """Return where the mark was lost, as far as can be told."""
    advice = "call torch._dynamo.mark_dynamic after the copy to the device"
    weak: set[int] = getattr(tensor, "_dynamo_weak_dynamic_indices", set())
    if dimension in weak:
        return f"maybe_mark_dynamic does not hold where the model fixes the length; {advice}"
    collate = getattr(loader, "collate_fn", None)
    dataset: Any = getattr(loader, "dataset", None)
    if collate is None or not hasattr(dataset, "__getitem__"):
        return f"copies, other types and worker processes lose it; {advice}"
    made = collate([dataset[0]])
    fresh = made.get(name) if isinstance(made, Mapping) else None
    if not isinstance(fresh, torch.Tensor) or not is_marked(fresh, dimension):
        return f"nothing marked it; {advice}"
    workers = getattr(loader, "num_workers", 0)
    if workers:
        return f"lost between collate_fn and the loader (num_workers={workers}); {advice}"
    return f"lost between the loader and the model, on {tensor.device}; {advice}"


def wrong_edges(edges: torch.Tensor, tokens: int, max_documents: int = MAX_DOCUMENTS) -> str:
    """Return what is wrong with cumulative lengths of ``tokens``, an empty text if nothing is.

    They run from 0 to ``tokens`` and never fall. torch_npu takes them unchecked: with others it
    attends across documents, and only the loss shows it, hardly.
    """
    if not isinstance(edges, torch.Tensor):
        return f"it is a {type(edges).__name__}, not a tensor"
    if edges.dim() != 1:
        return f"it has {edges.dim()} dimensions, not 1"
    if edges.dtype not in (torch.int32, torch.int64):
        return f"its type is {edges.dtype}, not torch.int32 or torch.int64"
    values = edges.tolist()
    if len(values) < 2:
        return f"it has {len(values)} entries, but a beginning and an end are needed"
    if values[0] != 0:
        return f"it begins with {values[0]}, not 0; without the leading 0 is only for the kernel"
    for place, (one, next_one) in enumerate(pairwise(values), 1):
        if next_one < one:
            return f"it falls from {one} to {next_one} at place {place}"
    if values[-1] != tokens:
        return f"it ends with {values[-1]}, but there are {tokens} tokens"
    if len(values) - 1 > max_documents:
        return f"it has {len(values) - 1} documents, more than {max_documents} in one call"
    return ""
