import numpy as np


def causal_average(x):
    """Running mean: mean_i = mean_{i-1} + (x_i - mean_{i-1}) / (i + 1)."""
    out = np.empty_like(x, dtype=np.float64)
    mean = np.zeros(x.shape[1])
    for i, row in enumerate(x):
        mean = mean + (row - mean) / (i + 1)
        out[i] = mean
    return out


def dot_scores(q, k):
    return (q[:, None, :] * k[None, :, :]).sum(-1)


def scale_scores(scores, d_k):
    return scores / d_k ** 0.5


def softmax(scores):
    x = np.array(scores, dtype=np.float64)
    x -= x.max(-1)[..., None]
    np.exp(x, out=x)
    x /= x.sum(-1)[..., None]
    return x


def weighted_sum(weights, v):
    return (weights[:, :, None] * v[None]).sum(axis=1)


def worked_example():
    q = np.array([[1, 1]])
    k = np.array([[1, 0], [1, 1], [0, 1]])
    v = np.array([[1, 0], [0, 2], [1, 1]])
    s = dot_scores(q, k)
    z = scale_scores(s, 2)
    w = softmax(z)
    o = weighted_sum(w, v)
    return {name: np.round(a[0], 2).tolist() for name, a in zip(("scores", "scaled", "weights", "output"), (s, z, w, o))}


def score_variance(d_k, n_pairs, seed):
    r = np.random.RandomState(seed)
    qs, ks = r.normal(0, 1, (n_pairs, d_k)), r.normal(0, 1, (n_pairs, d_k))
    raw = np.einsum("ij,ij->i", qs, ks)
    return np.array([raw.var(), scale_scores(raw, d_k).var()])[0], np.array([raw.var() / d_k])[0]
