import torch
from einops import einsum, rearrange

INF = float("inf")


def valid_tokens(lengths, t):
    lengths = torch.as_tensor(lengths)
    return rearrange(lengths, "b -> b 1") > rearrange(torch.arange(t, device=lengths.device), "t -> 1 t")


def padding_key_mask(valid):
    return rearrange(valid, "b j -> b 1 1 j")


def padding_query_mask(valid):
    return rearrange(valid, "b i -> b 1 i 1")


def combined_mask(valid, causal=True):
    mask = padding_query_mask(valid) & padding_key_mask(valid)
    if causal:
        pos = torch.arange(valid.shape[-1], device=valid.device)
        mask = mask & (rearrange(pos, "j -> 1 1 1 j") <= rearrange(pos, "i -> 1 1 i 1"))
    return mask


def _limit(keep, like):
    low, high = torch.finfo(like.dtype).min, torch.finfo(like.dtype).max
    return torch.where(keep, torch.full_like(like, high), torch.full_like(like, low))


def masked_attention(q, k, v, causal=True, padding_mask=None):
    scores = einsum(q, k, "b h i d, b h j d -> b h i j") * q.shape[-1] ** -0.5
    pos = torch.arange(q.shape[2], device=q.device)
    if causal:
        scores = torch.minimum(scores, _limit(pos[None, :] <= pos[:, None], scores))
    if padding_mask is not None:
        scores = torch.minimum(scores, _limit(padding_key_mask(padding_mask), scores))
    weights = scores.softmax(dim=-1)
    if padding_mask is not None:
        weights = torch.where(padding_query_mask(padding_mask), weights, 0.0)
    return einsum(weights, v, "b h i j, b h j d -> b h i d"), weights
