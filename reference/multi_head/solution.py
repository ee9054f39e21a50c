"""Multi-head self-attention: several attentions side by side, each on its own slice of the features."""

import math

import torch
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """[B, T, C] -> [B, H, T, D]; head h holds features h*D .. (h+1)*D - 1."""
    batch, time, width = x.shape
    if width % n_heads != 0:
        raise ValueError(f"{width} features cannot be dealt out evenly to {n_heads} heads")
    features = width // n_heads
    by_head = x.reshape(batch, time, n_heads, features)
    return by_head.permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    """[B, H, T, D] -> [B, T, H*D]; undoes split_heads."""
    batch, heads, time, features = x.shape
    by_token = x.transpose(1, 2)
    return by_token.reshape(batch, time, heads * features)


class MultiHeadSelfAttention(nn.Module):
    """Queries, keys and values from one packed projection; heads attend apart; one projection out."""

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0, causal: bool = False) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model = {d_model} is not a multiple of n_heads = {n_heads}")
        self.n_heads = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[B, T, C] -> q, k, v, each [B, H, T, D]."""
        packed = self.qkv_proj(x)
        q, k, v = packed.chunk(3, dim=-1)
        return split_heads(q, self.n_heads), split_heads(k, self.n_heads), split_heads(v, self.n_heads)

    def visible(self, x: Tensor, padding_mask: Tensor | None) -> Tensor:
        """True where a query may look at a key: bool [1 or B, 1, T, T]."""
        time = x.shape[1]
        keep = torch.ones(1, 1, time, time, dtype=torch.bool, device=x.device)
        if self.causal:
            keep = keep.tril()
        if padding_mask is not None:
            real_key = padding_mask[:, None, None, :]
            real_query = padding_mask[:, None, :, None]
            keep = keep & real_key & real_query
        return keep

    def forward(
        self, x: Tensor, padding_mask: Tensor | None = None, return_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """[B, T, C] -> [B, T, C], with the weights [B, H, T, T] where they are asked for."""
        q, k, v = self.project(x)
        keep = self.visible(x, padding_mask)
        scores = q @ k.transpose(-2, -1)
        scores = scores / math.sqrt(q.shape[-1])
        shown = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        weights = shown.softmax(dim=-1)
        weights = weights.masked_fill(~keep, 0.0)  # a row with no visible key looks at nothing
        values = self.dropout(weights) @ v
        merged = merge_heads(values)
        out = self.out_proj(merged)
        return (out, weights) if return_weights else out


class CausalSelfAttention(MultiHeadSelfAttention):
    """Multi-head self-attention that never looks ahead."""

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, n_heads, dropout=dropout, causal=True)
