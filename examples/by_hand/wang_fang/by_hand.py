import numpy as np


def causal_average(x):
    # 第 i 行：前面所有行的平均
    rows = []
    for i in range(len(x)):
        rows.append(x.mean(axis=0))
    return np.array(rows)


def dot_scores(q, k):
    return np.dot(q, k.T)


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.dot(weights, v)


def worked_example():
    return {
        "scores": [1, 2, 1],
        "scaled": [0.71, 1.41, 0.71],
        "weights": [0.25, 0.50, 0.25],
        "output": [0.50, 1.25],
    }


def score_variance(d_k, n_pairs, seed):
    np.random.seed(seed)
    s = np.array([np.random.randn(d_k).dot(np.random.randn(d_k)) for _ in range(n_pairs)])
    return s.var(), (s / np.sqrt(d_k)).var()
