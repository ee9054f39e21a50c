import torch
import torch.nn.functional as F


def attention_scores(q, k):
    scores = torch.matmul(q, k.transpose(-1, -2))
    return scores


def attention_weights(scores, mask=None):
    if mask is not None:
        blocked = ~mask.bool()
        scores = scores.masked_fill(blocked, -1e9)
        return F.softmax(scores, dim=-1).masked_fill(blocked, 0)
    return F.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    attn = attention_weights(attention_scores(q, k), mask=mask)
    return torch.matmul(attn, v), attn
