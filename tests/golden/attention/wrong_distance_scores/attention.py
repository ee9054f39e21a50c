import torch


def attention_scores(q, k):
    """Near keys get high scores."""
    dist = ((q.unsqueeze(-2) - k.unsqueeze(-3)) ** 2).sum(dim=-1)
    return -dist / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    m = (mask == 0)
    return scores.masked_fill(m, -1e9).softmax(-1).masked_fill(m, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
