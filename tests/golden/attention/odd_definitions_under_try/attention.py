import math

import torch


try:
    import flash_attn
    attention_scores = flash_attn.scores
except ImportError:
    def attention_scores(q, k):
        return q @ k.mT / math.sqrt(q.shape[-1])


try:
    def attention_weights(scores, mask=None):
        if mask is None:
            return torch.softmax(scores, dim=-1)
        hidden = mask == 0
        return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0.0)
finally:
    print('weights are ready')


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights
