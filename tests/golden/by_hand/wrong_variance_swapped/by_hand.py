import numpy as np


def causal_average(x):
    rows = []
    for i in range(len(x)):
        rows.append(x[:i + 1].mean(axis=0))
    return np.array(rows)


def dot_scores(q, k):
    return np.einsum("id,jd->ij", q, k)


def scale_scores(scores, d_k):
    return scores * d_k ** -0.5


def softmax(scores):
    m = np.max(scores, axis=-1, keepdims=True)
    z = np.exp(scores - m)
    return z / np.sum(z, axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.einsum("ij,jd->id", weights, v)


def worked_example():
    return {"scores": [1, 2, 1], "scaled": [0.71, 1.41, 0.71], "weights": [0.25, 0.50, 0.25], "output": [0.50, 1.26]}


def score_variance(d_k, n_pairs, seed):
    rng = np.random.default_rng(seed)
    dots = (rng.normal(size=(n_pairs, d_k)) * rng.normal(size=(n_pairs, d_k))).sum(-1)
    return np.var(dots / np.sqrt(d_k)), np.var(dots)
