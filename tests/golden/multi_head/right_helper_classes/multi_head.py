import math

import torch
from torch import nn


class Head:
    """What one head does with its own slices; no parameters of its own."""

    def __init__(self, number, dim):
        self.rows = slice(number * dim, (number + 1) * dim)
        self.dim = dim

    def __call__(self, q, k, v, keep, drop):
        q, k, v = q[..., self.rows], k[..., self.rows], v[..., self.rows]
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.dim)
        scores = scores.masked_fill(~keep, -1e9)
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = e / e.sum(-1, keepdim=True)
        weights = torch.where(keep, weights, torch.zeros_like(weights))
        return drop(weights) @ v, weights


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("the heads must have equal width")
    d = x.shape[-1] // n_heads
    out = x.new_empty(x.shape[0], n_heads, x.shape[1], d)
    for h in range(n_heads):
        out[:, h] = x[..., h * d : (h + 1) * d]
    return out


def merge_heads(x):
    B, H, T, D = x.shape
    return x.permute(0, 2, 1, 3).flatten(start_dim=2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("the heads must have equal width")
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.heads = [Head(h, d_model // n_heads) for h in range(n_heads)]
        self.causal = causal

    def visible(self, x, padding_mask):
        B, T, _ = x.shape
        keep = torch.ones(B, T, T, dtype=torch.bool, device=x.device)
        if self.causal:
            keep = keep.tril()
        if padding_mask is not None:
            keep = keep & padding_mask.unsqueeze(1) & padding_mask.unsqueeze(2)
        return keep

    def forward(self, x, padding_mask=None, return_weights=False):
        q, k, v = torch.tensor_split(self.qkv_proj(x), 3, dim=-1)
        keep = self.visible(x, padding_mask)
        values, weights = zip(*[head(q, k, v, keep, self.drop) for head in self.heads])
        out = self.out_proj(torch.cat(values, dim=-1))
        if return_weights:
            return out, torch.stack(weights, dim=1)
        return out


class CausalSelfAttention(nn.Module):
    def __new__(cls, d_model, n_heads, dropout=0.0):
        return MultiHeadSelfAttention(d_model, n_heads, dropout=dropout, causal=True)
