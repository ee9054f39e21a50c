import math

import torch
from torch import nn


def split_heads(x, n_heads):
    B, T, C = x.shape
    if C % n_heads != 0:
        raise ValueError(f"{C} features cannot be split into {n_heads} heads")
    return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, H * D)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        T = x.size(1)
        q, k, v = self.qkv_proj(x).chunk(3, dim=-1)
        q, k, v = (split_heads(part, self.n_heads) for part in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        visible = torch.ones(T, T, dtype=torch.bool, device=x.device)
        if self.causal:
            visible = visible.tril()
        if padding_mask is not None:
            visible = visible & padding_mask[:, None, None, :]
        scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if padding_mask is not None:
            weights = weights.masked_fill(~padding_mask[:, None, :, None], 0.0)
        values = self.dropout(weights) @ v
        out = self.out_proj(merge_heads(values))
        if return_weights:
            return out, weights
        return out


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        raise NotImplementedError("TODO: CausalSelfAttention.__init__")
