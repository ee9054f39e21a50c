# No matmul anywhere: multiply with broadcasting and add up.


def attention_scores(q, k):
    prod = q.unsqueeze(-2) * k.unsqueeze(-3)          # [..., Tq, Tk, D]
    return prod.sum(dim=-1) / (q.shape[-1] ** 0.5)


def attention_weights(scores, mask=None):
    m = scores.amax(dim=-1, keepdim=True)
    if mask is not None:
        m = scores.masked_fill(mask == 0, -1e30).amax(dim=-1, keepdim=True)
        scores = (scores - m).masked_fill(mask == 0, float("-inf"))
        e = scores.exp()
    else:
        e = (scores - m).exp()
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = (w.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)
    return out, w
