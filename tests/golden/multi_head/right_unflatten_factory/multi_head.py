import math
import torch
import torch.nn as nn


def _check(c, h):
    if h <= 0 or c % h:
        raise ValueError(f"cannot cut {c} features into {h} equal heads")


def split_heads(x, n_heads):
    _check(x.size(-1), n_heads)
    return x.unflatten(-1, (n_heads, -1)).movedim(-2, -3)


def merge_heads(x):
    return x.movedim(-3, -2).flatten(-2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        _check(d_model, n_heads)
        self.n_heads = n_heads
        self.is_causal = bool(causal)
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        t = x.size(1)
        qkv = self.qkv_proj(x).unflatten(-1, (3, self.n_heads, -1))  # [B, T, 3, H, D]
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        bias = x.new_zeros(t, t)
        if self.is_causal:
            bias = torch.full_like(bias, float("-inf")).triu(1)
        att = q @ k.mT / math.sqrt(q.size(-1)) + bias
        if padding_mask is not None:
            att = att.masked_fill(padding_mask[:, None, None, :].logical_not(), -1e9)
        att = att.softmax(-1)
        if padding_mask is not None:
            att = att * padding_mask[:, None, :, None]
        y = self.out_proj(merge_heads(self.drop(att) @ v))
        if return_weights:
            return y, att
        return y


def CausalSelfAttention(d_model, n_heads, dropout=0.0):
    return MultiHeadSelfAttention(d_model, n_heads, dropout=dropout, causal=True)
