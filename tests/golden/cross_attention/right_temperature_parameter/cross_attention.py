from math import sqrt
import torch
from torch import nn
class Cfg:
    NEG = -1e30
def masked_softmax(s, keep):
    if keep is None: keep = torch.ones_like(s, dtype=torch.bool)
    keep = keep.expand_as(s)
    m = torch.where(keep, s, torch.tensor(Cfg.NEG, dtype=s.dtype)).max(-1, keepdim=True)[0]
    e = torch.where(keep, torch.exp(torch.where(keep, s - m, torch.zeros_like(s))), torch.zeros_like(s))
    z = e.sum(-1, keepdim=True)
    return e / torch.where(z == 0, torch.ones_like(z), z)
def scaled_dot_attention(q, k, v, mask=None):
    s = torch.bmm(q, k.permute(0, 2, 1)) / sqrt(k.shape[-1])
    w = masked_softmax(s, None if mask is None else (mask > 0))
    return torch.bmm(w, v), w
class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, *, temperature=1.0):
        super().__init__()
        (self.q_proj, self.k_proj, self.v_proj, self.out_proj) = (nn.Linear(d_model, d_model) for _ in range(4))
        self.H, self.p = n_heads, dropout
        self.tau = nn.Parameter(torch.tensor(float(temperature)), requires_grad=False)
    def heads(self, t): return torch.stack(t.chunk(self.H, -1), 1)
    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(memory)), self.heads(self.v_proj(memory))
        s = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / (sqrt(q.shape[-1]) * self.tau)
        w = masked_softmax(s, None if memory_mask is None else memory_mask[:, None, None])
        d = w * (torch.rand_like(w) >= self.p) / (1 - self.p) if self.training and self.p else w
        y = self.out_proj(torch.cat((d @ v).unbind(1), -1))
        return (y, w) if return_weights else y
