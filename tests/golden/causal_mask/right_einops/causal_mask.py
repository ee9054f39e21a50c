import torch
from einops import einsum, rearrange


def causal_mask(t, device=None):
    i = rearrange(torch.arange(t, device=device), "i -> 1 1 i 1")
    j = rearrange(torch.arange(t, device=device), "j -> 1 1 1 j")
    return j <= i


def causal_attention(q, k, v, causal=True):
    scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
    if causal:
        future = ~causal_mask(q.shape[-2], q.device)[0, 0]
        scores[:, :, future] = -1e9
    weights = scores.softmax(dim=-1)
    return einsum(weights, v, "b h i j, b h j d -> b h i d"), weights
