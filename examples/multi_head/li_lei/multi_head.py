import math

import torch
import torch.nn as nn


def split_heads(x, n_heads):
    B, T, C = x.shape
    if C % n_heads != 0:
        raise ValueError("C 不能被 n_heads 整除")
    # [B, T, C] -> [B, H, T, D]
    return x.reshape(B, n_heads, T, C // n_heads)


def merge_heads(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, H * D)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model 不能被 n_heads 整除")
        self.n_heads = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        B, T, C = x.shape
        q, k, v = self.qkv_proj(x).split(C, dim=-1)
        q = split_heads(q, self.n_heads)
        k = split_heads(k, self.n_heads)
        v = split_heads(v, self.n_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if self.causal:
            future = torch.triu(torch.ones(T, T, device=x.device), diagonal=1).bool()
            scores = scores.masked_fill(future, -1e9)
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, None, :], -1e9)
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
        super().__init__(d_model, n_heads, dropout, causal=True)
