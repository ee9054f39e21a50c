import torch
from torch import nn


def split_heads(x, n_heads):
    B, T, C = x.shape
    if C % n_heads:
        raise ValueError(f"{C} / {n_heads}")
    return x.reshape(B, T, n_heads, C // n_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, D = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * D)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} / {n_heads}")
        self.n_heads = n_heads
        self.causal = causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def _fold(self, x):
        """[B, T, C] -> [B*H, T, D], heads fastest."""
        B, T, C = x.shape
        x = x.reshape(B, T, self.n_heads, -1).permute(0, 2, 1, 3)
        return x.reshape(B * self.n_heads, T, -1)

    def _unfold(self, x):
        BH, T, D = x.shape
        return x.reshape(BH // self.n_heads, self.n_heads, T, D).permute(0, 2, 1, 3).reshape(-1, T, self.n_heads * D)

    def forward(self, x, padding_mask=None, return_weights=False):
        B, T, C = x.shape
        q, k, v = map(self._fold, self.qkv_proj(x).chunk(3, dim=-1))
        q = q / q.shape[-1] ** 0.5
        scores = torch.bmm(q, q.transpose(1, 2))
        if self.causal:
            scores = scores.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, -1e9)
        if padding_mask is not None:
            pad = padding_mask.repeat_interleave(self.n_heads, dim=0)
            scores = scores.masked_fill(~pad.unsqueeze(1), -1e9)
        weights = scores.softmax(dim=-1)
        if padding_mask is not None:
            weights = weights.masked_fill(~pad.unsqueeze(2), 0.0)
        out = self.out_proj(self._unfold(torch.bmm(self.dropout(weights), v)))
        if return_weights:
            return out, weights.view(B, self.n_heads, T, T)
        return out


class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout=dropout, causal=True)
