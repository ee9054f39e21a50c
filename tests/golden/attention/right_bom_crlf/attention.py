import math
import torch


def attention_scores(q, k):
    # 从 Windows 记事本保存
    return torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))


def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    hidden = (mask == 0)
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1) * (~hidden)


def scaled_dot_product_attention(q, k, v, mask=None):
    """Two lines
    of docstring."""
    w = attention_weights(attention_scores(q, k), mask)
    return torch.matmul(w, v), w
