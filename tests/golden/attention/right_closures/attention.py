import torch


def make_scorer(power):
    def score(q, k):
        return torch.einsum("...td,...sd->...ts", q, k) * (q.shape[-1] ** power)
    return score


def make_normaliser(fill):
    def normalise(scores, mask=None):
        if mask is None:
            return scores.softmax(-1)
        gone = mask == 0
        return scores.masked_fill(gone, fill).softmax(-1).masked_fill(gone, 0)
    return normalise


def make_attention(score, normalise):
    def attend(q, k, v, mask=None):
        w = normalise(score(q, k), mask)
        return torch.einsum("...ts,...sd->...td", w, v), w
    return attend


attention_scores = make_scorer(-0.5)
attention_weights = make_normaliser(-1e9)
scaled_dot_product_attention = make_attention(attention_scores, attention_weights)
