import torch
import torch.nn as nn


def make_attention(fill=-1e9):
    def attend(q, k, v, mask=None):
        logits = torch.einsum("bqd,bkd->bqk", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            logits = logits.masked_fill(mask.logical_not(), fill)
        w = torch.softmax(logits, dim=-1, dtype=torch.float32).to(q.dtype)
        return torch.einsum("bqk,bkd->bqd", w, v), w

    return attend


scaled_dot_attention = make_attention()


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.register_buffer("scale", torch.tensor((d_model / n_heads) ** -0.5))
        self.drop = nn.Dropout(dropout)
        self.n_heads = n_heads

    def _project(self, layer, x):
        c = x.shape[-1]
        w = layer.weight.view(self.n_heads, c // self.n_heads, c)
        b = layer.bias.view(self.n_heads, 1, c // self.n_heads)
        return torch.einsum("btc,hdc->bhtd", x, w) + b

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q = self._project(self.q_proj, x) * self.scale
        k, v = self._project(self.k_proj, memory), self._project(self.v_proj, memory)
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if memory_mask is not None:
            # a memory without any token is opened here and emptied below
            empty = ~memory_mask.any(dim=-1, keepdim=True)
            logits = logits.masked_fill(~(memory_mask | empty)[:, None, None, :], float("-inf"))
        w = torch.softmax(logits, dim=-1, dtype=torch.float32).to(x.dtype)
        if memory_mask is not None:
            w = w * (~empty)[:, None, None, :]
        y = torch.einsum("bhqk,bhkd->bqhd", self.drop(w), v).flatten(2)
        y = self.out_proj(y)
        return (y, w) if return_weights else y
