import contextlib
import itertools
import operator
import torch


def attention_scores(q, k):
    """Adds up the D outer products one by one."""
    outer = (q[..., :, d:d + 1] * k[..., None, :, d] for d in range(q.shape[-1]))
    total = list(itertools.accumulate(outer, operator.add))[-1]
    return total / q.shape[-1] ** 0.5


@contextlib.contextmanager
def visible_only(mask, scores):
    keep = torch.ones_like(scores).bool() if mask is None else mask.bool()
    yield keep


def attention_weights(scores, mask=None):
    with visible_only(mask, scores) as keep:
        powers = scores.masked_fill(~keep, -1e9)
        powers = powers.sub(powers.max(dim=-1, keepdim=True).values).exp().mul(keep)
        total = powers.sum(dim=-1, keepdim=True)
        return powers.div(total + (total == 0))


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = sum(w[..., :, j:j + 1] * v[..., j:j + 1, :] for j in range(k.shape[-2]))
    return out, w
