import numpy as np

# computed on paper, two decimals
SCORES = [1.00, 2.00, 1.00]
SCALED = [0.71, 1.41, 0.71]
WEIGHTS = [0.25, 0.50, 0.25]
OUTPUT = [0.50, 1.25]


def worked_example():
    return {"scores": SCORES, "scaled": SCALED, "weights": WEIGHTS, "output": OUTPUT}


def causal_average(x):
    return np.array([x[:i + 1].mean(axis=0) for i in range(len(x))])


def dot_scores(q, k):
    return np.dot(q, np.transpose(k))


def scale_scores(scores, d_k):
    return np.divide(scores, np.sqrt(float(d_k)))


def softmax(scores):
    shifted = scores - np.amax(scores, axis=-1, keepdims=True)
    return np.exp(shifted) / np.sum(np.exp(shifted), axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.matmul(weights, v)


def score_variance(d_k, n_pairs, seed):
    np.random.seed(seed)
    s = np.array([np.random.randn(d_k) @ np.random.randn(d_k) for _ in range(n_pairs)])
    return np.var(s), np.var(s / np.sqrt(d_k))
