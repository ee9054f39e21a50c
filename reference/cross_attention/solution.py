"""Cross-attention: queries come from one sequence, keys and values from another, the memory."""

import math

import torch
from torch import Tensor, nn


def scaled_dot_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """q [B, Tq, D], k [B, Tk, D], v [B, Tk, Dv] -> (out [B, Tq, Dv], weights [B, Tq, Tk]); 0 in the mask = blocked."""
    scores = q @ k.transpose(-2, -1)
    scores = scores / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    output = weights @ v
    return output, weights


class MultiHeadCrossAttention(nn.Module):
    """Several heads look from x into a memory."""

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def project(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q [B*H, Tq, D] of x, k and v [B*H, Tk, D] of the memory: every head a sample of its own."""
        q = self.q_proj(x)
        k = self.k_proj(memory)
        v = self.v_proj(memory)
        return self.folded(q), self.folded(k), self.folded(v)

    def folded(self, t: Tensor) -> Tensor:
        """[B, T, C] -> [B*H, T, D]."""
        by_head = t.unflatten(-1, (self.n_heads, -1))
        return by_head.transpose(1, 2).flatten(0, 1)

    def unfolded(self, t: Tensor) -> Tensor:
        """[B*H, T, N] -> [B, H, T, N]."""
        return t.unflatten(0, (-1, self.n_heads))

    def visible(self, x: Tensor, memory_mask: Tensor | None) -> Tensor | None:
        """True where a query may look at a token of the memory: bool [B*H, Tq, Tk]; None where all are real."""
        if memory_mask is None:
            return None
        by_head = memory_mask[:, None, None, :].expand(-1, self.n_heads, x.shape[1], -1)
        return by_head.flatten(0, 1)

    def forward(
        self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None, return_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """x [B, Tq, C], memory [B, Tk, C] -> [B, Tq, C], with the weights [B, H, Tq, Tk] where they are asked for."""
        q, k, v = self.project(x, memory)
        keep = self.visible(x, memory_mask)
        _, weights = scaled_dot_attention(q, k, v, keep)
        if keep is not None:
            weights = weights.masked_fill(~keep, 0.0)  # a memory without a real token gives nothing
        mixed = self.dropout(weights) @ v
        values = self.unfolded(mixed)
        merged = values.transpose(1, 2).flatten(2)
        out = self.out_proj(merged)
        return (out, self.unfolded(weights)) if return_weights else out
