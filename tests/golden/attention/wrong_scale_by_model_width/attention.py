import math
import torch


def attention_scores(q, k):
    # d_model = heads * head size
    d_model = q.shape[-1]
    if q.dim() == 4:
        d_model = q.shape[1] * q.shape[3]
    return torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(d_model)


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(dim=-1)
    return scores.masked_fill(mask == 0, -1e9).softmax(dim=-1).masked_fill(mask == 0, 0.)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return torch.einsum("...ts,...sd->...td", w, v), w
