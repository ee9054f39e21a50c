import math
import torch


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention_weights(scores, mask=None):
    if mask is not None:
        return torch.softmax(scores.masked_fill(mask == 0, -torch.inf), -1).nan_to_num(0.0)
    return torch.softmax(scores, -1)


def scaled_dot_product_attention(q, k, v, mask=None):
    scale = 1 / math.sqrt(q.shape[-1])
    scores = attention_scores(q, k) * scale
    weights = attention_weights(scores, mask)
    return weights @ v, weights
