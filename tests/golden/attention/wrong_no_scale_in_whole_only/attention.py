from math import sqrt
from torch import einsum, softmax


def attention_scores(q, k):
    return einsum("...id,...jd->...ij", q, k) / sqrt(k.shape[-1])


def attention_weights(scores, mask=None):
    if mask is None:
        return softmax(scores, -1)
    gone = ~mask.bool()
    return softmax(scores.masked_fill(gone, -1e9), -1).masked_fill(gone, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = einsum("...id,...jd->...ij", q, k)
    w = attention_weights(scores, mask)
    return einsum("...ij,...jd->...id", w, v), w
