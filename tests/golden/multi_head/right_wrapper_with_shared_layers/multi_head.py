import torch
from torch import nn
import math


def split_heads(x, n_heads):
    b, t, c = x.size()
    d, r = divmod(c, n_heads)
    if r: raise ValueError
    return x.view(b, t, n_heads, d).movedim(2, 1)


def merge_heads(x):
    return x.movedim(1, 2).flatten(-2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        if d_model % n_heads: raise ValueError('d_model, n_heads')
        super().__init__()
        self.h, self.causal, self.p = n_heads, causal, dropout
        self.qkv_proj, self.out_proj = nn.Linear(d_model, d_model * 3), nn.Linear(d_model, d_model)

    def forward(self, x, padding_mask=None, return_weights=False):
        q, k, v = [split_heads(a, self.h) for a in self.qkv_proj(x).tensor_split(3, dim=2)]
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        T = x.shape[1]
        if self.causal:
            s = s + torch.full((T, T), float('-inf'), device=x.device, dtype=s.dtype).triu(1)
        if padding_mask is not None:
            s = torch.where(padding_mask[:, None, None, :], s, float('-inf'))
        w = torch.softmax(s, -1)
        w = torch.nan_to_num(w)
        if padding_mask is not None:
            w = w * padding_mask[:, None, :, None]
        o = self.out_proj(merge_heads(nn.functional.dropout(w, self.p, self.training) @ v))
        if return_weights: return o, w
        return o


class CausalSelfAttention(nn.Module):
    """wraps, does not inherit; the layers can be reached under their names as well"""
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.inner = MultiHeadSelfAttention(d_model, n_heads, dropout, causal=True)
        self.qkv_proj = self.inner.qkv_proj
        self.out_proj = self.inner.out_proj

    def forward(self, *args, **kwargs):
        return self.inner(*args, **kwargs)
