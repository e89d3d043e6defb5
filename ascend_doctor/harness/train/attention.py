"""Attention within documents that lie one behind the other, by what the device has for it.

All ways take q (1, T, H, E), k and v (1, T, K, E), where H is a multiple of K, and cumulative
lengths (N + 1,) in int32, from 0 to T, and return (1, T, H, E). A token sees its own document up to
itself.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import torch
import torch.nn.functional as F

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.train.opaque import Attention, opaque

# Relative error that half types are allowed against the plain loop in the same type.
_TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4, torch.bfloat16: 3e-2, torch.float16: 1e-2}
# npu_fusion_attention's compressed causal mask: always this large, True where masked.
_NPU_MASK = 2048
_NPU_CAUSAL = 3
# It is an operator by itself.
_TRACED = ("varlen_attn",)


def causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return attention within rows: q (B, T, H, E), k and v (B, T, K, E) to (B, T, H, E)."""
    k, v = _as_many(k, q), _as_many(v, q)
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)


def loop(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu_seqlens: torch.Tensor
) -> torch.Tensor:
    """Attend to one document after the other: plain, on any device, and what others must equal."""
    edges = cu_seqlens.tolist()
    spans = [slice(*edge) for edge in pairwise(edges)]
    return torch.cat([causal(q[:, at], k[:, at], v[:, at]) for at in spans], dim=1)


def _as_many(x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Repeat heads of keys or values so that each head of queries has one."""
    times = q.shape[2] // x.shape[2]
    return x if times == 1 else x.repeat_interleave(times, dim=2)


def _npu(
    mask: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens: torch.Tensor,
) -> torch.Tensor:
    fused = importlib.import_module("torch_npu").npu_fusion_attention
    ends = cu_seqlens[1:].tolist()  # without the leading 0
    seen = fused(
        q[0],
        k[0],
        v[0],
        q.shape[2],
        input_layout="TND",
        atten_mask=mask,
        scale=1 / math.sqrt(q.shape[-1]),
        sparse_mode=_NPU_CAUSAL,
        actual_seq_qlen=ends,
        actual_seq_kvlen=ends,
    )[0]
    return seen[None]


def _cuda(
    max_length: int,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens: torch.Tensor,
) -> torch.Tensor:
    varlen = importlib.import_module("torch.nn.attention.varlen").varlen_attn
    # An upper bound does for the longest document, and unlike it compiles once.
    lengths = (cu_seqlens, cu_seqlens, max_length, max_length)
    has_flag = "is_causal" in inspect.signature(varlen).parameters
    way = {"is_causal": True} if has_flag else {"window_size": (-1, 0)}
    return varlen(q[0], _as_many(k, q)[0], _as_many(v, q)[0], *lengths, **way)[None]


def _flex(
    attend: Callable[..., torch.Tensor],
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens: torch.Tensor,
) -> torch.Tensor:
    flex = importlib.import_module("torch.nn.attention.flex_attention")
    tokens = q.shape[1]
    places = torch.arange(tokens, device=q.device, dtype=cu_seqlens.dtype)
    document = torch.searchsorted(cu_seqlens, places, right=True)

    def sees(batch: object, head: object, at: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return (document[at] == document[other]) & (at >= other)

    blocks = flex.create_block_mask(sees, None, None, tokens, tokens, device=q.device)
    q, k, v = (x.transpose(1, 2) for x in (q, _as_many(k, q), _as_many(v, q)))
    return attend(q, k, v, block_mask=blocks).transpose(1, 2)


@dataclass(frozen=True, slots=True)
class Path:
    """One way to attend, and why no faster one is taken."""

    name: str
    attend: Attention
    reason: str = ""


def choose(
    device: Device,
    *,
    heads: int,
    kv_heads: int,
    each: int,
    max_length: int,
    dtype: torch.dtype = torch.float32,
    wanted: str = "auto",
    is_compiled: bool = False,
) -> Path:
    """Return the first way that works on the device and equals the loop, forward and backward.

    Args:
        each: Width of a head.
        wanted: ``auto``, ``loop``, or the name of one way, which is then the only one tried.
        is_compiled: It will be called within torch.compile.

    Raises:
        HarnessError: the one that was asked for does not work here.
    """
    check = partial(_differs, device=device, heads=heads, kv_heads=kv_heads, each=each, dtype=dtype)
    reasons: list[str] = []
    names: list[str] = []
    for name, make in _candidates(device, max_length):
        names.append(name)
        if wanted not in ("auto", name):
            continue
        attend = make()
        said = check(attend)
        if not said:
            way = Path(name, attend, "; ".join(reasons))
            return _for_compiler(way, check) if is_compiled and name not in _TRACED else way
        reasons.append(f"{name}: {said}")
    if wanted not in ("auto", "loop"):
        said = "; ".join(reasons) or f"there are only {', '.join([*names, 'loop'])} for it"
        raise HarnessError(f"attention {wanted} does not work on {device.name}: {said}")
    if wanted == "auto" and not names:
        reasons.append(f"torch has no kernel for documents of varying length on {device.type}")
    plain = Path("loop", loop, "; ".join(reasons))
    return _for_compiler(plain, check) if is_compiled else plain


def _candidates(device: Device, max_length: int) -> Iterator[tuple[str, Callable[[], Attention]]]:
    if device.type == "npu":

        def npu() -> Attention:
            size = (_NPU_MASK, _NPU_MASK)
            mask = torch.ones(size, dtype=torch.bool, device=device.torch).triu(1)
            return partial(_npu, mask)

        yield "npu_fusion_attention", npu
    if device.type == "cuda":
        yield "varlen_attn", lambda: partial(_cuda, max_length)

        def flex() -> Attention:
            module = importlib.import_module("torch.nn.attention.flex_attention")
            compiled = torch.compile(module.flex_attention, dynamic=True)
            return partial(_flex, compiled)

        yield "flex_attention", flex


def _for_compiler(way: Path, check: Callable[[Attention], str]) -> Path:
    """Return a way as an operator, or, where that does not work, kept out of compiled graphs."""
    try:
        made = opaque(way.name, way.attend)
        said = check(made)
    except (AttributeError, TypeError, RuntimeError) as err:
        said = next(iter(str(err).splitlines()), type(err).__name__)
    if not said:
        return replace(way, attend=made)
    reason = f"it breaks the graph at each layer, since it is no operator here: {said}"
    disable = torch.compiler.disable(way.attend)
    return Path(way.name, disable, "; ".join(filter(None, (way.reason, reason))))


def _differs(
    attend: Attention, device: Device, heads: int, kv_heads: int, each: int, dtype: torch.dtype
) -> str:
    """Return in what a way differs from the loop, an empty text if in nothing."""
    edges = torch.tensor([0, 3, 40, 41, 128], dtype=torch.int32)
    source = torch.Generator().manual_seed(0)
    drawn = [
        torch.randn(1, 128, count, each, generator=source).to(dtype).to(device.torch)
        for count in (heads, kv_heads, kv_heads, heads)
    ]
    found = []
    for way in (attend, loop):
        q, k, v = (x.detach().clone().requires_grad_() for x in drawn[:3])
        try:
            out = way(q, k, v, edges.to(device.torch))
            out.backward(drawn[3])
        except (ImportError, AttributeError, TypeError, ValueError, RuntimeError) as err:
            return next(iter(str(err).splitlines()), type(err).__name__)
        found.append((out, q.grad, k.grad, v.grad))
    for name, ours, theirs in zip(("output", "q", "k", "v"), *found, strict=True):
        error = ((ours - theirs).norm() / theirs.norm()).item()
        if not error <= _TOLERANCE[dtype]:
            what = name if name == "output" else f"gradient of {name}"
            return f"{what} differs from the plain loop by {error:.1e}"
    return ""
