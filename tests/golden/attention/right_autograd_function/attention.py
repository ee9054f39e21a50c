import torch


class MaskedSoftmax(torch.autograd.Function):
    """Softmax with its own backward; empty rows are 0 in both directions."""

    @staticmethod
    def forward(ctx, scores, visible):
        s = scores.masked_fill(~visible, -1e9)
        e = torch.exp(s - s.amax(-1, keepdim=True)) * visible
        w = e / e.sum(-1, keepdim=True).clamp_min(1.0e-30)
        ctx.save_for_backward(w)
        return w

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return w * (grad - (grad * w).sum(-1, keepdim=True)), None


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5


def attention_weights(scores, mask=None):
    if mask is None:
        visible = torch.ones_like(scores, dtype=torch.bool)
    else:
        visible = (mask != 0).expand_as(scores)
    return MaskedSoftmax.apply(scores, visible)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
