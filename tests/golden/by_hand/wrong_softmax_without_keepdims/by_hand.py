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
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1)


def weighted_sum(weights, v):
    return np.einsum("ij,jd->id", weights, v)


def worked_example():
    return {"scores": [1, 2, 1], "scaled": [0.71, 1.41, 0.71], "weights": [0.25, 0.50, 0.25], "output": [0.50, 1.26]}


def score_variance(d_k, n_pairs, seed):
    np.random.seed(seed)
    q, k = np.random.randn(n_pairs, d_k), np.random.randn(n_pairs, d_k)
    dots = np.sum(q * k, axis=1)
    return np.var(dots), np.var(dots / np.sqrt(d_k))
