import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_attention(q, k, v, mask=None):
    raise NotImplementedError("TODO: scaled_dot_attention")


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        B, T, C = x.shape
        return x.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q = self.split(self.q_proj(x))
        k = self.split(self.k_proj(memory))
        v = self.split(self.v_proj(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if memory_mask is not None:
            hidden = ~memory_mask[:, None, None, :]
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if memory_mask is not None:
            weights = weights.masked_fill(hidden, 0.0)
        values = self.dropout(weights) @ v
        B, H, T, D = values.shape
        out = self.out_proj(values.transpose(1, 2).reshape(B, T, H * D))
        if return_weights:
            return out, weights
        return out
