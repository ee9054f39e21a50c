import torch
import torch.nn.functional as F


class Attention:
    """The mask is added to the scores, as in nn.Transformer's attn_mask."""

    @staticmethod
    def scores(q, k):
        return torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5

    @staticmethod
    def weights(scores, mask=None):
        if mask is not None:
            scores = scores + mask
        return F.softmax(scores, dim=-1).to(scores.dtype)


attention_scores = Attention.scores
attention_weights = Attention.weights


def scaled_dot_product_attention(q, k, v, mask=None):
    w = Attention.weights(Attention.scores(q, k), mask).to(v.dtype)
    return torch.matmul(w, v), w
