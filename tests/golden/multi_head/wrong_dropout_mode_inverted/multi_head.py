import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    b, t, c = x.size()
    if c % n_heads:
        raise ValueError("d_model not divisible")
    return torch.stack(x.split(c // n_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat([x[:, i] for i in range(x.size(1))], dim=-1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model not divisible")
        self.h, self.d, self.c = n_heads, d_model // n_heads, d_model
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.p = dropout
        self.causal = causal

    def forward(self, x, padding_mask=None, return_weights=False):
        b, t, c = x.shape
        qkv = self.qkv_proj(x)
        q = split_heads(qkv[..., :c], self.h)
        k = split_heads(qkv[..., c:2 * c], self.h)
        v = split_heads(qkv[..., 2 * c:], self.h)
        s = torch.einsum('bhid,bhjd->bhij', q, k) / math.sqrt(self.d)
        keep = torch.ones(b, 1, t, t, dtype=torch.bool)
        if self.causal:
            keep = keep & torch.ones(t, t).tril().bool()
        if padding_mask is not None:
            keep = keep & padding_mask.view(b, 1, 1, t)
            keep = keep & padding_mask.view(b, 1, t, 1)
        w = torch.softmax(s.masked_fill(~keep, -1e9), dim=-1) * keep
        a = F.dropout(w, self.p, training=not self.training)
        y = merge_heads(torch.einsum('bhij,bhjd->bhid', a, v))
        y = self.out_proj(y)
        if return_weights:
            return y, w
        return y


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout, True)
