import torch
import torch.nn as nn
import torch.nn.functional as F

MAX_LEN = 512


def split_heads(x, n_heads):
    if x.size(-1) % n_heads != 0:
        raise ValueError("heads do not fit")
    return torch.stack(torch.split(x, x.size(-1) // n_heads, dim=-1)).transpose(0, 1)


def merge_heads(x):
    return torch.concat([x[:, i] for i in range(x.size(1))], -1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("heads do not fit")
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads = n_heads
        self.drop = nn.Dropout(dropout)
        allowed = torch.ones(MAX_LEN, MAX_LEN)
        self.register_buffer("bias", allowed.tril() if causal else allowed)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def forward(self, x, padding_mask=None, return_weights=False):
        self.calls += 1
        T = x.size(1)
        w_q, w_k, w_v = self.qkv_proj.weight.chunk(3)
        b_q, b_k, b_v = self.qkv_proj.bias.chunk(3)
        q = split_heads(F.linear(x, w_q, b_q), self.n_heads)
        k = split_heads(F.linear(x, w_k, b_k), self.n_heads)
        v = split_heads(F.linear(x, w_v, b_v), self.n_heads)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
        att = att.masked_fill(self.bias[:T, :T] == 0, float("-inf"))
        if padding_mask is not None:
            att = att.masked_fill(padding_mask[:, None, None, :] == 0, -1e30)
        att = torch.softmax(att, dim=-1)
        if padding_mask is not None:
            att = att.masked_fill(padding_mask[:, None, :, None] == 0, 0.0)
        y = self.out_proj(merge_heads(self.drop(att) @ v))
        return (y, att) if return_weights else y


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout, causal=True)
