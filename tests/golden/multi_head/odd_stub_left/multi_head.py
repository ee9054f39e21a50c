import torch
import torch.nn as nn
import torch.nn.functional as F


def split_heads(x, n_heads):
    b, t, c = x.size()
    if c % n_heads:
        raise ValueError("c % n_heads != 0")
    return x.reshape(b, t, n_heads, c // n_heads).permute(0, 2, 1, 3)


def merge_heads(x):
    raise NotImplementedError("TODO: merge_heads")


class MultiHeadSelfAttention(nn.Module):

    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model % n_heads != 0")
        self.d_model, self.n_heads, self.head_dim = d_model, n_heads, d_model // n_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.p = dropout
        self.causal = causal

    def forward(self, x, padding_mask=None, return_weights=False):
        b, t, c = x.size()
        q, k, v = self.qkv_proj(x).split(self.d_model, dim=2)
        q = q.reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        k = k.reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        v = v.reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)

        att = torch.matmul(q, k.permute(0, 1, 3, 2)) * self.head_dim ** -0.5
        if self.causal:
            future = torch.triu(torch.ones(t, t, device=x.device), diagonal=1).bool()
            att = att.masked_fill(future, -1e9)
        if padding_mask is not None:
            att = att.masked_fill(~padding_mask[:, None, None, :], -1e9)
        att = F.softmax(att, dim=-1)
        if padding_mask is not None:
            att = att.masked_fill(~padding_mask[:, None, :, None], 0)
        y = torch.matmul(F.dropout(att, self.p, training=self.training), v)
        y = y.permute(0, 2, 1, 3).reshape(b, t, c)
        y = self.out_proj(y)
        return (y, att) if return_weights else y


class CausalSelfAttention(MultiHeadSelfAttention):

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout=dropout, causal=True)
