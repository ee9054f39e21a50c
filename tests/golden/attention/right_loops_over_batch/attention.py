import torch


def one_sample_scores(q, k):
    if q.dim() > 2:
        return torch.stack([one_sample_scores(a, b) for a, b in zip(q, k)])
    result = torch.zeros(q.size(0), k.size(0), dtype=q.dtype, device=q.device)
    for i, query in enumerate(q):
        for j, key in enumerate(k):
            result[i, j] = torch.dot(query, key)
    return result / q.size(1) ** 0.5


def attention_scores(q, k):
    return one_sample_scores(q, k)


def one_row(row, seen):
    if not bool(seen.any()):
        return row * 0
    weights = torch.zeros_like(row)
    weights[seen] = torch.softmax(row[seen], dim=0)     # only the keys we may look at
    return weights


def attention_weights(scores, mask=None):
    if mask is None:
        mask = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    mask = mask.bool().expand(scores.shape)
    if scores.dim() == 1:
        return one_row(scores, mask)
    return torch.stack([attention_weights(s, m) for s, m in zip(scores, mask)])


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
