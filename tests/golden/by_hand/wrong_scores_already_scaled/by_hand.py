import numpy as np


def causal_average(x):
    return np.cumsum(x, axis=0) / np.arange(1, len(x) + 1)[:, None]


def dot_scores(q, k):
    return np.dot(q, k.T) / np.sqrt(q.shape[1])


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return weights @ v


def worked_example():
    scaled = np.array([1.0, 2.0, 1.0]) / 2 ** 0.5
    weights = np.exp(scaled) / np.exp(scaled).sum()
    values = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    return {"scores": [1, 2, 1], "scaled": scaled, "weights": weights, "output": weights @ values}


def score_variance(d_k, n_pairs, seed):
    rng = np.random.default_rng(seed)
    s = (rng.standard_normal((n_pairs, d_k)) * rng.standard_normal((n_pairs, d_k))).sum(axis=1)
    return s.var(), s.var() / d_k
