import torch
from torch import nn
import torch.nn.functional as F


def scaled_dot_attention(q, k, v, mask=None):
    d = q.shape[-1]
    s = torch.bmm(q, k.permute(0, 2, 1)) / d ** 0.5
    if mask is not None:
        if mask.dim() == 2 and mask.shape[0] == q.shape[0]:
            mask = mask[:, None, :]
        s = s.masked_fill(mask == 0, -1e9)
    w = F.softmax(s, dim=2)
    return torch.bmm(w, v), w


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n = n_heads
        self.d = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        b, tq, c = x.shape
        tk = memory.shape[1]
        q = self.q_proj(x).view(b, tq, self.n, self.d)
        k = self.k_proj(memory).view(b, tk, self.n, self.d)
        v = self.v_proj(memory).view(b, tk, self.n, self.d)
        s = torch.einsum('bqhd,bkhd->bhqk', q, k) / self.d ** 0.5
        if memory_mask is not None:
            gone = ~memory_mask[:, None, None, :]
            s = s.masked_fill(gone, -1e9)
        w = s.softmax(dim=-1)
        if memory_mask is not None:
            w = w.masked_fill(gone, 0.0)
        out = torch.einsum('bhqk,bkhd->bqhd', self.drop(w), v).reshape(b, tq, c)
        out = self.out_proj(out)
        return (out, w) if return_weights else out
