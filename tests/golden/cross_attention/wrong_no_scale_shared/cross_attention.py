import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_attention(q, k, v, mask=None):
    att = torch.bmm(q, k.transpose(1, 2))
    if mask is not None:
        blocked = (mask == 0).to(att.dtype)
        att = att + blocked * -1e30
    att = att - att.max(dim=-1, keepdim=True).values
    e = att.exp()
    att = e / e.sum(dim=-1, keepdim=True)
    return torch.bmm(att, v), att


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads, self.p = n_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def fold(self, x):
        # [B, T, C] -> [H*B, T, D]
        return torch.cat(x.chunk(self.n_heads, dim=-1), dim=0)

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q, k, v = self.fold(self.q_proj(x)), self.fold(self.k_proj(memory)), self.fold(self.v_proj(memory))
        mask = None
        if memory_mask is not None:
            mask = memory_mask.repeat(self.n_heads, 1).unsqueeze(1)
        _, w = scaled_dot_attention(q, k, v, mask)
        if mask is not None:
            w = w * mask.any(dim=-1, keepdim=True)
        y = torch.bmm(F.dropout(w, self.p, training=self.training), v)
        y = self.out_proj(torch.cat(y.chunk(self.n_heads, dim=0), dim=-1))
        if return_weights:
            return y, torch.stack(w.chunk(self.n_heads, dim=0), dim=1)
        return y
