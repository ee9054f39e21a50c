# 第 7 章：多头自注意力
import torch
from torch import nn


def split_heads(x, n_heads):
    batch, length, width = x.shape
    if width % n_heads != 0:
        raise ValueError("宽度必须能被头数整除")
    return x.reshape(batch, length, n_heads, width // n_heads).transpose(1, 2)


def merge_heads(x):
    batch, heads, length, dim = x.shape
    return x.transpose(1, 2).reshape(batch, length, heads * dim)


def masked_attention(q, k, v, causal, padding_mask, drop):
    score = q @ k.transpose(-2, -1) / (q.shape[-1] ** 0.5)
    length = q.shape[-2]
    if causal:
        score = score + torch.triu(torch.full_like(score[0, 0], -1e30), diagonal=1)
    if padding_mask is not None:
        score = score.masked_fill(~padding_mask.reshape(-1, 1, 1, length), -1e30)
    weight = torch.softmax(score, dim=-1)
    if padding_mask is not None:
        weight = weight * padding_mask.reshape(-1, 1, 1, length) * padding_mask.reshape(-1, 1, length, 1)
    return drop(weight) @ v, weight


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model 必须能被 n_heads 整除")
        self.n_heads = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        q, k, v = [split_heads(z, self.n_heads) for z in self.qkv_proj(x).chunk(3, -1)]
        value, weight = masked_attention(q, k, v, self.causal, padding_mask, self.drop)
        out = self.out_proj(merge_heads(value))
        return (out, weight) if return_weights else out


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout, True)
