import torch


def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def attention_weights(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return scores.masked_fill(mask == 0, -1e9).softmax(-1).masked_fill(mask == 0, 0)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    # weighted mean over the keys
    out = (w.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)
    return out, w
