from functools import partial

import torch
from einops import einsum, rearrange
from torch import Tensor, nn


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    if x.shape[-1] % n_heads != 0:
        raise ValueError(f"width {x.shape[-1]} is not a multiple of {n_heads}")
    return rearrange(x, "b t (h d) -> b h t d", h=n_heads)


def merge_heads(x: Tensor) -> Tensor:
    return rearrange(x, "b h t d -> b t (h d)")


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0, causal: bool = False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"width {d_model} is not a multiple of {n_heads}")
        self.h = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.attn_drop = nn.Dropout(dropout)

    def mask(self, x: Tensor, padding_mask: Tensor | None) -> Tensor:
        b, t, _ = x.shape
        keep = torch.ones(b, 1, t, t, dtype=torch.bool, device=x.device)
        if self.causal:
            keep = keep.tril()
        if padding_mask is not None:
            keep = keep & rearrange(padding_mask, "b j -> b 1 1 j") & rearrange(padding_mask, "b i -> b 1 i 1")
        return keep

    def forward(self, x: Tensor, padding_mask: Tensor | None = None, return_weights: bool = False):
        q, k, v = rearrange(self.qkv_proj(x), "b t (n h d) -> n b h t d", n=3, h=self.h)
        keep = self.mask(x, padding_mask)
        scores = einsum(q, k, "b h i d, b g j d -> b h i j") * q.shape[-1] ** -0.5
        weights = scores.masked_fill(~keep, -torch.inf).softmax(dim=-1)
        weights = weights.masked_fill(~keep, 0.0)
        values = einsum(self.attn_drop(weights), v, "b h i j, b h j d -> b h i d")
        out = self.out_proj(merge_heads(values))
        return (out, weights) if return_weights else out


CausalSelfAttention = partial(MultiHeadSelfAttention, causal=True)
