import torch
import torch.nn.functional as F


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.size(-1) ** 0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return F.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    p_attn = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...qk,...kd->...qd", p_attn, v), p_attn
