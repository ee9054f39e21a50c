import my_ops
from my_ops import matmul_t


def attention_scores(q, k):
    return matmul_t(q, k) * my_ops.inverse_root(q.shape[-1])


def attention_weights(scores, mask=None):
    return my_ops.masked_softmax(scores, mask)


def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
