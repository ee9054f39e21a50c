import torch
from torch import nn


def split_heads(x, n_heads):
    b, t, c = x.shape
    if c % n_heads != 0:
        raise ValueError("n_heads does not divide the width")
    return torch.einsum("bthd->bhtd", x.reshape(b, t, n_heads, -1))


def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).reshape(x.shape[0], x.shape[2], -1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("n_heads does not divide d_model")
        self.n_heads, self.causal = n_heads, causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        h, c, t = self.n_heads, x.shape[-1], x.shape[1]
        w = self.qkv_proj.weight.reshape(3, h, c // h, c)
        b = self.qkv_proj.bias.reshape(3, h, 1, c // h)
        q, k, v = (torch.einsum("btc,hdc->bhtd", x, w[n]) + b[n] for n in range(3))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / (c // h) ** 0.5
        drop = torch.zeros(x.shape[0], 1, t, t, dtype=torch.bool, device=x.device)
        if self.causal:
            drop = drop | torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        if padding_mask is not None:
            drop = drop | ~padding_mask[:, None, None, :] | ~padding_mask[:, None, :, None]
        weights = scores.masked_fill(drop, -torch.inf).softmax(-1).masked_fill(drop, 0)
        z = torch.einsum("bhqk,bhkd->bhqd", self.drop(weights), v)
        # the output projection, one slice for each head
        w_o = self.out_proj.weight.reshape(c, h, c // h)
        out = torch.einsum("bhqd,chd->bqc", z, w_o) + self.out_proj.bias
        return (out, weights) if return_weights else out


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout, True)
