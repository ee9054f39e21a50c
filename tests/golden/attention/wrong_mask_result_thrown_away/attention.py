import math
import torch


def attention_scores(q, k):
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores = scores / math.sqrt(q.size(-1))
    return scores


def attention_weights(scores, mask=None):
    if mask is not None:
        scores.masked_fill(mask == 0, float('-inf'))
    weights = torch.softmax(scores, dim=-1)
    return weights


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    weights = attention_weights(scores, mask)
    output = torch.matmul(weights, v)
    return output, weights
