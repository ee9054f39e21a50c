import numpy as np


def causal_average(x):
    rows = []
    for i in range(len(x)):
        rows.append(x[:i + 1].mean(axis=0))
    return np.array(rows)


def dot_scores(q, k):
    return np.einsum("id,jd->ij", q, k)


def scale_scores(scores, d_k):
    return scores * np.sqrt(d_k)


def softmax(scores):
    m = np.max(scores, axis=-1, keepdims=True)
    z = np.exp(scores - m)
    return z / np.sum(z, axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.einsum("ij,jd->id", weights, v)


def worked_example():
    q = np.array([[1.0, 1.0]])
    k = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    v = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    scores = dot_scores(q, k)
    scaled = scale_scores(scores, 2)
    weights = softmax(scaled)
    return {"scores": scores, "scaled": scaled, "weights": weights, "output": weighted_sum(weights, v)}


def score_variance(d_k, n_pairs, seed):
    rng = np.random.default_rng(seed)
    s = np.sum(rng.normal(size=(n_pairs, d_k)) * rng.normal(size=(n_pairs, d_k)), axis=1)
    return np.var(s), np.var(scale_scores(s, d_k))
