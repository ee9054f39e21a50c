import torch
from torch import nn, Tensor
def scaled_dot_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None):
    logits = torch.einsum('bqc,bkc->bqk', q, k) * (q.size(-1) ** -0.5)
    if mask is not None:
        while mask.dim() < 3: mask = mask.unsqueeze(0)
        logits = logits + (1 - mask.to(logits.dtype)) * torch.finfo(logits.dtype).min
    w = (logits - logits.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum('bqk,bkv->bqv', w, v), w
class 注意力(nn.Module):
    def __init__(self, n, p):
        super().__init__()
        self.n, self.drop = n, nn.Dropout(p)
    def forward(self, q, k, v, mask):
        B, Tq, C = q.shape
        sp = lambda t: t.view(B, t.shape[1], self.n, -1).transpose(1, 2)
        q, k, v = sp(q), sp(k), sp(v)
        s = q @ k.mT / (C // self.n) ** 0.5
        if mask is not None:
            s = torch.where(mask[:, None, None, :], s, -1e9)
        w = s.softmax(-1)
        if mask is not None: w = w * mask[:, None, None, :]
        return (self.drop(w) @ v).transpose(1, 2).reshape(B, Tq, C), w
class MultiHeadCrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleDict({n: nn.Linear(d_model, d_model) for n in ('q_proj', 'k_proj', 'v_proj', 'out_proj')})
        for n, l in self.layers.items(): self.add_module(n, l)
        self.core = 注意力(n_heads, dropout)
    def forward(self, x, memory, memory_mask=None, return_weights=False):
        y, w = self.core(self.q_proj(x), self.k_proj(memory), self.v_proj(memory), memory_mask)
        y = self.out_proj(y)
        return (y, w) if return_weights else y
