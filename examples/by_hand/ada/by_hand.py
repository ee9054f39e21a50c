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
    q = np.array([[1.0, 1.0]])
    k = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    v = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    scores = dot_scores(q, k)
    scaled = scale_scores(scores, d_k=2)
    weights = softmax(scaled)
    return {"scores": scores, "scaled": scaled, "weights": weights, "output": weighted_sum(weights, v)}


def score_variance(d_k, n_pairs, seed):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((n_pairs, d_k))
    k = rng.standard_normal((n_pairs, d_k))
    dots = (q * k).sum(axis=1)
    return dots.var(), scale_scores(dots, d_k).var()
