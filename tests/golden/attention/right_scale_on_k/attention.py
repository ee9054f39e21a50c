import math
import torch
from torch import nn

softmax = nn.Softmax(dim=-1)


def attention_scores(q, k):
    k = k * (1 / math.sqrt(k.size(-1)))
    return q.matmul(k.transpose(-1, -2))


def attention_weights(scores, mask=None):
    if mask is None:
        return softmax(scores)
    mask = mask.to(torch.bool).expand_as(scores)
    empty = ~mask.any(-1, keepdim=True)
    # let an empty row see everything for a moment, so that no nan can appear at all
    scores = scores.masked_fill(~(mask | empty), -torch.inf)
    return softmax(scores).masked_fill(empty, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    output = weights.matmul(v)
    return output, weights
