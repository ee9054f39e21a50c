import torch
from einops import einsum, rearrange
from torch import Tensor, nn


def scaled_dot_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None):
    scores = einsum(q, k, "b i d, b j d -> b i j") * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask.bool(), scores, -torch.inf)
    weights = scores.softmax(dim=-1)
    return einsum(weights, v, "b i j, b j d -> b i d"), weights


class MultiHeadCrossAttention(nn.Module):
    """Queries from x, keys and values from the memory."""

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0):
        super().__init__()
        self.h = n_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(d_model, d_model))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None, return_weights=False):
        q = rearrange(self.q_proj(x), "b i (h d) -> b h i d", h=self.h)
        k = rearrange(self.k_proj(memory), "b j (h d) -> b h j d", h=self.h)
        v = rearrange(self.v_proj(memory), "b j (h d) -> b h j d", h=self.h)
        scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
        if memory_mask is not None:
            keep = rearrange(memory_mask, "b j -> b 1 1 j")
            scores = torch.where(keep, scores, -1e9)
            weights = scores.softmax(-2) * keep
        else:
            weights = scores.softmax(-2)
        out = einsum(self.drop(weights), v, "b h i j, b h j d -> b h i d")
        out = self.out_proj(rearrange(out, "b h i d -> b i (h d)"))
        return (out, weights) if return_weights else out
