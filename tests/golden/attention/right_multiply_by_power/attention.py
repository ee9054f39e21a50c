import torch.nn.functional as F


def attention_scores(q, k):
    return q @ k.mT * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    if mask is not None:
        visible = mask.bool()
        scores = scores.masked_fill(~visible, -1e9)
        return F.softmax(scores, dim=-1) * visible.any(dim=-1, keepdim=True)
    return F.softmax(scores, dim=-1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask=mask)
    return w @ v, w
