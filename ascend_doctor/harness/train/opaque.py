"""Attention as one operator that a compiler does not look into.

Kernels for documents take their lengths as lists of Python numbers. Traced, each list would become
a constant of the graph, and each batch a graph of its own; left out of the graph, every layer would
break it. As an operator it is in the graph, with its lengths in a tensor. The price is that
backward computes the output once more, since an operator hands no graph of its own to backward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Attention = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

_WAYS: dict[str, Attention] = {}
# Within an operator these are off, and nothing that backward could follow would be recorded.
_RECORDING = (
    "AutogradFunctionality",
    "AutogradOther",
    "AutogradCPU",
    "AutogradCUDA",
    "AutogradPrivateUse1",
    "ADInplaceOrView",
)


def opaque(name: str, attend: Attention) -> Attention:
    """Return ``attend`` as an operator; ``name`` tells it from others.

    Raises:
        AttributeError: this torch has no custom operators.
    """
    operator = _operator()
    _WAYS[name] = attend

    def attention(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu_seqlens: torch.Tensor
    ) -> torch.Tensor:
        return operator(q, k, v, cu_seqlens, name)

    return attention


def _forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu_seqlens: torch.Tensor, name: str
) -> torch.Tensor:
    return _WAYS[name](q, k, v, cu_seqlens).contiguous()


def _backward(
    grad: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens: torch.Tensor,
    name: str,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    is_off = torch._C._dispatch_tls_local_exclude_set()
    for key in _RECORDING:
        if hasattr(torch._C.DispatchKey, key):
            is_off = is_off - torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    is_on = torch._C._dispatch_tls_local_include_set()
    with torch._C._ForceDispatchKeyGuard(is_on, is_off), torch.enable_grad():
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        out = _WAYS[name](q, k, v, cu_seqlens)
        grads = torch.autograd.grad(out, (q, k, v), grad)
    return grads[0].contiguous(), grads[1].contiguous(), grads[2].contiguous()


def _like(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


_made: list[Callable[..., torch.Tensor]] = []


def _operator() -> Callable[..., torch.Tensor]:
    """Return the operator, registered once a process."""
    if not _made:
        custom_op = torch.library.custom_op
        forward: Any = custom_op("ascend_doctor::attend", _forward, mutates_args=())
        backward: Any = custom_op("ascend_doctor::attend_backward", _backward, mutates_args=())
        forward.register_fake(lambda q, k, v, cu_seqlens, name: _like(q))
        backward.register_fake(
            lambda grad, q, k, v, cu_seqlens, name: (_like(q), _like(k), _like(v))
        )

        def keep(ctx, inputs, output):  # type: ignore[no-untyped-def]
            *tensors, ctx.name = inputs
            ctx.save_for_backward(*tensors)

        def back(ctx, grad):  # type: ignore[no-untyped-def]
            return (*backward(grad, *ctx.saved_tensors, ctx.name), None, None)

        forward.register_autograd(back, setup_context=keep)
        _made.append(forward)
    return _made[0]
