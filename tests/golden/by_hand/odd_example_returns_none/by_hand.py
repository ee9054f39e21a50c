import numpy as np


def causal_average(x):
    return np.cumsum(x, axis=0) / np.arange(1, len(x) + 1)[:, None]


def dot_scores(q, k):
    return q @ k.T


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return weights @ v


def worked_example():
    print({"scores": [1, 2, 1], "scaled": [0.71, 1.41, 0.71], "weights": [0.25, 0.50, 0.25], "output": [0.50, 1.26]})


def score_variance(d_k, n_pairs, seed):
    rng = np.random.default_rng(seed)
    s = (rng.standard_normal((n_pairs, d_k)) * rng.standard_normal((n_pairs, d_k))).sum(axis=1)
    return s.var(), s.var() / d_k
