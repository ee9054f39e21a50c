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
    scores = np.array([1.0, 2.0, 1.0])
    weights = softmax(scores)
    output = weights @ np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    return {"scores": scores, "scaled": scores, "weights": weights, "output": output}


def score_variance(d_k, n_pairs, seed):
    np.random.seed(seed)
    q, k = np.random.randn(n_pairs, d_k), np.random.randn(n_pairs, d_k)
    dots = np.sum(q * k, axis=1)
    return np.var(dots), np.var(dots / np.sqrt(d_k))
