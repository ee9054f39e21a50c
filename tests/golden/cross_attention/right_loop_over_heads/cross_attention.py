# 交叉注意力：Q 来自 x，K/V 来自 memory
import torch
from torch import nn
import torch.nn.functional as F


def scaled_dot_attention(q, k, v, mask=None):
    d = q.shape[2]
    s = (q.unsqueeze(2) * k.unsqueeze(1)).sum(-1) / d ** 0.5
    if mask is None:
        mask = torch.ones_like(s)
    keep = (mask != 0).expand_as(s)
    s[~keep] = float("-inf")
    w = torch.exp(s - torch.logsumexp(s, dim=2, keepdim=True))
    return (w.unsqueeze(-1) * v.unsqueeze(1)).sum(2), w


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.n_heads = n_heads
        self.rate = dropout

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        d = x.shape[-1] // self.n_heads
        parts, ws = [], []
        for h in range(self.n_heads):
            rows = slice(h * d, h * d + d)
            q = F.linear(x, self.q_proj.weight[rows], self.q_proj.bias[rows])
            k = F.linear(memory, self.k_proj.weight[rows], self.k_proj.bias[rows])
            v = F.linear(memory, self.v_proj.weight[rows], self.v_proj.bias[rows])
            s = q.matmul(k.mT) / d ** 0.5
            if memory_mask is not None:
                s = s.masked_fill(memory_mask.logical_not().unsqueeze(1), float("-inf"))
            w = torch.softmax(s, dim=-1)
            if memory_mask is not None:
                nothing = ~memory_mask.any(dim=1)
                w = w.masked_fill(nothing[:, None, None], 0.0)
            ws.append(w)
            if self.training and self.rate > 0:
                w = w * (torch.rand(w.shape, device=w.device) > self.rate) / (1 - self.rate)
            parts.append(w.matmul(v))
        out = self.out_proj(torch.cat(parts, dim=-1))
        if return_weights:
            return out, torch.stack(ws, dim=1)
        return out
