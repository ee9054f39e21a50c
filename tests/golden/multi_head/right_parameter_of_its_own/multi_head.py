"""Weight properties, checks in a decorator, dropout as a closure over self.training."""
import torch
from torch import nn
def divides(fn):
    def wrapped(*a, **kw):
        try:
            return fn(*a, **kw)
        except (RuntimeError, ZeroDivisionError) as e:
            raise ValueError(str(e))
    return wrapped
@divides
def split_heads(x, n_heads):
    return x.reshape(x.shape[0], x.shape[1], n_heads, x.shape[2] // n_heads).transpose(1, 2)
@divides
def merge_heads(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)
class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, causal=False):
        super().__init__()
        self.h, r = divmod(d_model, n_heads)
        if r: raise ValueError("bad")
        self.n, self.causal = n_heads, causal
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.keep_rate = nn.Parameter(torch.tensor(1.0 - dropout), requires_grad=False)
        self.register_buffer("minus", torch.tensor(-1e9))
    @property
    def weights3(self): return self.qkv_proj.weight.view(3, self.n, self.h, -1)
    @property
    def bias3(self): return self.qkv_proj.bias.view(3, 1, self.n, 1, self.h)
    def forward(self, x, padding_mask=None, return_weights=False):
        q, k, v = torch.einsum('btc,nhdc->nbhtd', x, self.weights3) + self.bias3
        t = x.shape[1]
        ok = torch.ones(t, t, dtype=torch.bool).tril(0 if self.causal else t)
        if padding_mask is not None:
            ok = ok & torch.einsum('bi,bj->bij', padding_mask.float(), padding_mask.float()).bool()[:, None]
        s = torch.where(ok, q @ k.mT / self.h ** .5, self.minus.to(x.dtype))
        w = s.softmax(-1) * ok
        used = w * (torch.rand_like(w) < self.keep_rate) / self.keep_rate if self.training else w
        y = torch.einsum('bhtd,chd->btc', used @ v, self.out_proj.weight.view(-1, self.n, self.h)) + self.out_proj.bias
        return (y, used) if return_weights else y
class CausalSelfAttention(MultiHeadSelfAttention):
    def __init__(self, d_model, n_heads, dropout=0.0): super().__init__(d_model, n_heads, dropout, True)
