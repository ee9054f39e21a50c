import torch


def attention_scores(q, k):
    """Scaled dot products."""
    raise NotImplementedError("TODO: attention_scores")


def attention_weights(scores, mask=None):
    """Softmax over the keys."""
    raise NotImplementedError("TODO: attention_weights")


def scaled_dot_product_attention(q, k, v, mask=None):
    """Output and weights."""
    raise NotImplementedError("TODO: scaled_dot_product_attention")
