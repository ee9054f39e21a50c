import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_attention(q, k, v, mask=None):
    keep = None if mask is None else mask != 0
    eye = torch.eye(k.size(1), dtype=v.dtype, device=v.device).expand(k.size(0), -1, -1)
    weights = F.scaled_dot_product_attention(q, k, eye, attn_mask=keep)
    return weights @ v, weights


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.n_heads = n_heads
        self.dropout = dropout

    def heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(memory)), self.heads(self.v_proj(memory))
        mask = None if memory_mask is None else memory_mask[:, None, None, :]
        p = self.dropout if self.training else 0.0
        values = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        if mask is not None:
            values = values.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        out = self.out_proj(values.transpose(1, 2).flatten(2))
        if not return_weights:
            return out
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if mask is None:
            return out, scores.softmax(-1)
        return out, scores.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0)
