import torch
from torch import nn


def split_heads(x, n_heads):
    if x.shape[2] % n_heads != 0:
        raise ValueError("bad number of heads")
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)


def attention(q, k, v, keep, dropout):
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
    scores = torch.where(keep, scores, torch.finfo(scores.dtype).min / 2)
    weights = torch.softmax(scores, dim=-1)
    # rows without any visible key give nothing
    weights = weights * keep.any(dim=-1, keepdim=True)
    return torch.einsum("bhij,bhjd->bhid", dropout(weights), v), weights


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        if d_model % n_heads != 0:
            raise ValueError("bad number of heads")
        super().__init__()
        self.config = dict(n_heads=n_heads, causal=causal)
        self.qkv_proj = nn.Linear(d_model, d_model * 3)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None, return_weights=False):
        b, t, c = x.shape
        qkv = self.qkv_proj(x)
        q, k, v = qkv[..., :c], qkv[..., c : 2 * c], qkv[..., 2 * c :]
        heads = [split_heads(z, self.config["n_heads"]) for z in (q, k, v)]
        keep = torch.ones(1, 1, t, t, dtype=torch.bool, device=x.device)
        if self.config["causal"]:
            pos = torch.arange(t, device=x.device)
            keep = (pos[None, :] <= pos[:, None])[None, None]
        if padding_mask is not None:
            keep = keep & padding_mask[:, None, None] & padding_mask[:, None, :, None]
        values, weights = attention(*heads, keep, self.dropout)
        out = self.out_proj(merge_heads(values))
        return (out, weights) if return_weights else out


class CausalSelfAttention(nn.Module):
    """Holds the same two layers and lends its forward from the general module."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        inner = MultiHeadSelfAttention(d_model, n_heads, dropout, causal=True)
        super().__init__()
        self.config, self.dropout = inner.config, inner.dropout
        self.qkv_proj, self.out_proj = inner.qkv_proj, inner.out_proj

    forward = MultiHeadSelfAttention.forward
