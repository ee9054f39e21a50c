import numpy as np


def causal_average(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        out[i] = x[:i + 1].mean(axis=0)
    return out


def dot_scores(q, k):
    return np.einsum('id,jd->ij', q, k)


def scale_scores(scores, d_k):
    return scores * d_k ** -0.5


def softmax(scores):
    m = np.max(scores, axis=-1, keepdims=True)
    e = np.exp(scores - m)
    return e / np.sum(e, axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.einsum('ij,jd->id', weights, v)


def worked_example():
    return {"scores": [1, 2, 1], "scaled": [0.71, 1.41, 0.71], "weights": [0.25, 0.5, 0.25], "output": [0.5, 1.25]}


def score_variance(d_k, n_pairs, seed):
    r = np.random.RandomState(seed)
    q, k = r.randn(n_pairs, d_k), r.randn(n_pairs, d_k)
    s = np.einsum('nd,nd->n', q, k)
    s = s / np.sqrt(d_k)
    return s.var(ddof=1), (s / np.sqrt(d_k)).var(ddof=1)
