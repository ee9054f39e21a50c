import math
import random

import numpy as np


def causal_average(x):
    result = np.zeros(x.shape)
    for i in range(x.shape[0]):
        total = np.zeros(x.shape[1])
        for j in range(i + 1):
            total += x[j]
        result[i] = total / (i + 1)
    return result


def dot_scores(q, k):
    result = np.zeros((len(q), len(k)))
    for i, a in enumerate(q):
        for j, b in enumerate(k):
            result[i, j] = sum(x * y for x, y in zip(a, b))
    return result


def scale_scores(scores, d_k):
    return scores / math.sqrt(d_k)


def softmax(scores):
    scores = np.asarray(scores, dtype=float)
    if scores.ndim > 1:
        return np.stack([softmax(row) for row in scores])
    biggest = max(scores)
    exps = [math.exp(s - biggest) for s in scores]
    return np.array([e / sum(exps) for e in exps])


def weighted_sum(weights, v):
    rows = []
    for w in weights:
        row = np.zeros(v.shape[1])
        for share, value in zip(w, v):
            row += share * value
        rows.append(row)
    return np.array(rows)


def worked_example():
    scores = [1, 2, 1]
    scaled = [s / math.sqrt(2) for s in scores]
    total = sum(math.exp(s) for s in scaled)
    weights = [math.exp(s) / total for s in scaled]
    a, b, c = weights
    return dict(scores=scores, scaled=scaled, weights=weights, output=[a + c, 2 * b + c])


def score_variance(d_k, n_pairs, seed):
    gen = random.Random(seed)
    dots = []
    for _ in range(n_pairs):
        q = [gen.gauss(0, 1) for _ in range(d_k)]
        k = [gen.gauss(0, 1) for _ in range(d_k)]
        dots.append(sum(a * b for a, b in zip(q, k)))
    mean = sum(dots) / n_pairs
    raw = sum((s - mean) ** 2 for s in dots) / (n_pairs - 1)
    return raw, raw / d_k
