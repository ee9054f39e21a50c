import math
import torch


def attention_scores(q, k):
    return torch.tensordot(q, k.transpose(-2, -1), dims=1) / math.sqrt(q.shape[-1]) \
        if q.dim() == 2 else torch.matmul(q, k.mT).div(math.sqrt(q.shape[-1]))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    hidden = torch.eq(mask, 0)
    scores = scores.masked_fill(hidden, -1e9)
    log_w = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
    return log_w.exp().masked_fill(hidden, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(weights, v), weights
