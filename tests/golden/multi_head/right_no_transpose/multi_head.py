import torch
import torch.nn as nn


def split_heads(x, n_heads):
    B, T, C = x.shape
    if C % n_heads != 0:
        raise ValueError(f"C={C} is not divisible by n_heads={n_heads}")
    D = C // n_heads
    b = torch.arange(B)[:, None, None, None]
    t = torch.arange(T)[None, None, :, None]
    f = torch.arange(C).view(n_heads, 1, D)[None]
    return x[b, t, f]


def merge_heads(x):
    return torch.cat([x[:, h, :, :] for h in range(x.shape[1])], dim=2)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False, *, max_len=None):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by n_heads={n_heads}")
        self.H, self.D, self.causal = n_heads, d_model // n_heads, causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.attn_dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x, padding_mask=None, return_weights=False):
        B, T, C = x.shape
        qkv = self.qkv_proj(x).view(B, T, 3, self.H, self.D)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        s = torch.einsum("bihd,bjhd->bhij", q * self.D ** -0.25, k * self.D ** -0.25)
        hidden = torch.zeros(T, T, dtype=torch.bool, device=x.device)
        if self.causal:
            hidden = ~hidden.logical_not().tril()
        if padding_mask is not None:
            hidden = hidden | ~padding_mask[:, None, None, :]
        s[hidden.expand_as(s)] = -1e9
        w = self.softmax(s)
        if padding_mask is not None:
            w = w * padding_mask.to(w.dtype)[:, None, :, None]
        y = torch.einsum("bhij,bjhd->bihd", self.attn_dropout(w), v)
        y = self.out_proj(y.reshape(B, T, C))
        return (y, w) if return_weights else y


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, causal=True, **kwargs)
