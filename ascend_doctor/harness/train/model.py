"""A Llama-like decoder: RMSNorm, rotary positions, grouped queries, SwiGLU."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from ascend_doctor.harness.train.attention import causal
from ascend_doctor.harness.train.opaque import Attention

# What has no next token to predict: torch's own number for it.
IGNORED = -100

# B batch, T tokens of a row, D width, H heads, K heads of keys and values, E width of a head.


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The shape of a decoder."""

    vocab: int = 512
    width: int = 64
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 176
    """Width of the feed-forward layer."""
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        for name in ("vocab", "width", "layers", "heads", "kv_heads", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: must be at least 1")
        if self.width % (2 * self.heads):
            raise ValueError(f"width: {self.width} must be a multiple of 2 x heads {self.heads}")
        if self.heads % self.kv_heads:
            raise ValueError(f"heads: {self.heads} must be a multiple of kv_heads {self.kv_heads}")


PRESETS = {
    "tiny": ModelConfig(),
    "small": ModelConfig(vocab=512, width=256, layers=6, heads=8, kv_heads=4, hidden=704),
    "160m": ModelConfig(
        vocab=32_000, width=768, layers=12, heads=12, kv_heads=4, hidden=2048, rope_base=5e5
    ),
    "1b": ModelConfig(
        vocab=128_256, width=2048, layers=16, heads=32, kv_heads=8, hidden=8192, rope_base=5e5
    ),
}


class RMSNorm(nn.Module):
    """Scales rows to a mean square of one; in float32 at least, as half types lose it."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``x`` (…, D), normalised."""
        wide = x if x.dtype == torch.float64 else x.float()
        scaled = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return scaled.to(x.dtype) * self.weight


def rotation(
    positions: torch.Tensor, frequencies: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return cosine and sine (B, T, 1, E/2) for positions (B, T)."""
    angles = positions[..., None].to(frequencies.dtype) * frequencies
    return angles.cos()[..., None, :], angles.sin()[..., None, :]


def rotate(x_bthe: torch.Tensor, turned: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Turn each pair of features by the angle of its position."""
    cos, sin = (part.to(x_bthe.dtype) for part in turned)
    first, second = x_bthe.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


class Block(nn.Module):
    """Attention and a feed-forward layer, each around a residual."""

    def __init__(self, config: ModelConfig, attention: Attention) -> None:
        super().__init__()
        width, each = config.width, config.width // config.heads
        self.shape = (config.heads, config.kv_heads, each)
        self.attention = attention
        self.attention_norm = RMSNorm(width, config.norm_eps)
        self.queries_keys_values = nn.Linear(
            width, (config.heads + 2 * config.kv_heads) * each, bias=False
        )
        self.out = nn.Linear(width, width, bias=False)
        self.feed_norm = RMSNorm(width, config.norm_eps)
        self.gate_up = nn.Linear(width, 2 * config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, width, bias=False)

    def forward(
        self,
        x_btd: torch.Tensor,
        turned: tuple[torch.Tensor, torch.Tensor],
        cu_seqlens: torch.Tensor | None,
    ) -> torch.Tensor:
        """Return the block's output (B, T, D)."""
        heads, kv_heads, each = self.shape
        batch, tokens, _ = x_btd.shape
        fused = self.queries_keys_values(self.attention_norm(x_btd))
        q, k, v = fused.view(batch, tokens, -1, each).split((heads, kv_heads, kv_heads), dim=2)
        q, k = rotate(q, turned), rotate(k, turned)
        # A padded row needs no mask of its own: what is behind a token is not seen by it.
        seen = causal(q, k, v) if cu_seqlens is None else self.attention(q, k, v, cu_seqlens)
        x_btd = x_btd + self.out(seen.reshape(batch, tokens, -1))
        gate, up = self.gate_up(self.feed_norm(x_btd)).chunk(2, dim=-1)
        return x_btd + self.down(F.silu(gate) * up)


class Decoder(nn.Module):
    """Tokens to logits; the embedding is the output layer as well."""

    def __init__(self, config: ModelConfig, attention: Attention) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocab, config.width)
        self.blocks = nn.ModuleList(Block(config, attention) for _ in range(config.layers))
        self.norm = RMSNorm(config.width, config.norm_eps)
        each = config.width // config.heads
        powers = torch.arange(0, each, 2, dtype=torch.float64) / each
        self.register_buffer("frequencies", (config.rope_base**-powers).float(), persistent=False)
        self._initialise(config)

    def forward(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        cu_seqlens: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return logits (B, T, vocab) of ``ids`` and ``positions`` (B, T).

        With ``cu_seqlens`` (N + 1,), B is 1 and the row holds N documents, which do not see each
        other: document n lies from ``cu_seqlens[n]`` to ``cu_seqlens[n + 1]``.
        """
        x = self.embedding(ids)
        turned = rotation(positions, self.frequencies)
        for block in self.blocks:
            x = block(x, turned, cu_seqlens)
        return F.linear(self.norm(x), self.embedding.weight)

    def _initialise(self, config: ModelConfig) -> None:
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                # The residual sums up 2 outputs a layer: each gets its share of the variance.
                is_residual = name.endswith(("out.weight", "down.weight"))
                share = (2 * config.layers) ** -0.5 if is_residual else 1.0
                nn.init.normal_(parameter, std=0.02 * share)


def loss_sum(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the cross entropy in nats, summed over the labels that are not ``IGNORED``."""
    wide = logits if logits.dtype == torch.float64 else logits.float()
    return F.cross_entropy(
        wide.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )
