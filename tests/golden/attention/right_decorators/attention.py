import functools
import torch


def check_dims(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        result = fn(*args, **kwargs)
        first = result[0] if isinstance(result, tuple) else result
        assert torch.is_tensor(first), "no tensor came back"
        return result
    return inner


def with_default_mask(fn):
    def inner(scores, mask=None):
        if mask is None:
            mask = torch.ones(scores.shape[-1], dtype=torch.bool, device=scores.device)
        return fn(scores, mask)
    return inner


@check_dims
def attention_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / (k.shape[-1] ** 0.5)


@check_dims
@with_default_mask
def attention_weights(scores, mask):
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1).masked_fill(hidden, 0)


@check_dims
def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
