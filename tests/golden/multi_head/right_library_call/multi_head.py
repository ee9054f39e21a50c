import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    b, t, c = x.shape
    if c % n_heads != 0:
        raise ValueError("d_model must be a multiple of n_heads")
    return x.view(b, t, n_heads, c // n_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.dropout = dropout
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, padding_mask=None, return_weights=False):
        b, t, c = x.shape
        q, k, v = (split_heads(z, self.n_heads) for z in self.qkv_proj(x).split(c, dim=-1))
        mask = torch.ones(b, 1, t, t, dtype=torch.bool, device=x.device)
        if self.causal:
            mask = torch.tril(mask)
        if padding_mask is not None:
            mask = mask & padding_mask.view(b, 1, 1, t) & padding_mask.view(b, 1, t, 1)
        p = self.dropout if self.training else 0.0
        values = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        # a row without a visible key is zero in every version of the library
        values = values.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        out = self.out_proj(merge_heads(values))
        if not return_weights:
            return out
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.n_heads)
        weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1).masked_fill(~mask, 0.0)
        return out, weights


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout, causal=True)
