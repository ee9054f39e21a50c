import torch
from einops import einsum, rearrange


def attention_scores(q, k):
    d = q.shape[-1]
    kt = rearrange(k, "... j d -> ... d j")
    return einsum(q, kt, "... i d, ... d j -> ... i j") * d ** -0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(dim=-1)
    mask = mask.bool()
    attn = scores.masked_fill(~mask, -torch.finfo(scores.dtype).max).softmax(dim=-1)
    return attn.masked_fill(~mask, 0.)


def scaled_dot_product_attention(q, k, v, mask=None):
    attn = attention_weights(attention_scores(q, k), mask)
    return einsum(attn, v, "... i j, ... j d -> ... i d"), attn
