from functools import partial

import torch
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    if x.shape[-1] % n_heads:
        raise ValueError(f"{x.shape[-1]} features do not make {n_heads} equal heads")
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0, causal: bool = False) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features do not make {n_heads} equal heads")
        self.n_heads, self.causal = n_heads, causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def visible(self, x: Tensor, padding_mask: Tensor | None) -> Tensor:
        b, t, _ = x.shape
        keep = torch.ones(b, 1, t, t, dtype=torch.bool, device=x.device)
        if padding_mask is not None:
            keep = keep & padding_mask[:, None, None, :] & padding_mask[:, None, :, None]
        return keep.tril() if self.causal else keep

    def forward(self, x: Tensor, padding_mask: Tensor | None = None, return_weights: bool = False):
        q, k, v = (split_heads(part, self.n_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        keep = self.visible(x, padding_mask)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1).masked_fill(~keep, 0.0)
        out = self.out_proj(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if return_weights else out


CausalSelfAttention = partial(MultiHeadSelfAttention, causal=True)
