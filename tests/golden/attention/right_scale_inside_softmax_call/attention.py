import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / k.shape[-1]**0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    blocked = ~mask.bool()
    return torch.softmax(scores.masked_fill(blocked, -torch.inf), dim=-1).masked_fill(blocked, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    attn_scores = q @ k.transpose(-2, -1)
    if mask is not None:
        mask_bool = ~mask.bool()
        attn_scores = attn_scores.masked_fill(mask_bool, -torch.inf)
    attn_weights = torch.softmax(attn_scores / k.shape[-1]**0.5, dim=-1)
    if mask is not None:
        attn_weights = attn_weights.masked_fill(mask_bool, 0)
    context_vec = attn_weights @ v
    return context_vec, attn_weights
