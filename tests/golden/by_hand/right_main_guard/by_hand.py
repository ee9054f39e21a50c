import numpy as np
from numpy import exp, sqrt


def causal_average(x):
    T, C = x.shape
    W = np.zeros((T, T))
    for i in range(T):
        W[i, :i+1] = 1 / (i + 1)
    return W.dot(x)

def dot_scores(q, k):
    Tq, Tk = q.shape[0], k.shape[0]
    out = np.empty((Tq, Tk))
    for i in range(Tq):
        out[i] = k.dot(q[i])
    return out

def scale_scores(scores, d_k):
    return scores / sqrt(d_k)

def softmax(scores):
    m = scores.max(axis=-1, keepdims=True)
    z = exp(scores - m)
    return z / z.sum(axis=-1, keepdims=True)

def weighted_sum(weights, v):
    return weights.dot(v)

def worked_example():
    q = np.array([[1., 1.]]); k = np.array([[1., 0.], [1., 1.], [0., 1.]]); v = np.array([[1., 0.], [0., 2.], [1., 1.]])
    s = dot_scores(q, k); c = scale_scores(s, k.shape[1]); w = softmax(c); o = weighted_sum(w, v)
    print("scores", s, "scaled", c, "weights", w, "output", o, sep="\n")
    return {"scores": s[0], "scaled": c[0], "weights": w[0], "output": o[0]}

def score_variance(d_k, n_pairs, seed):
    gen = np.random.Generator(np.random.PCG64(seed))
    q = gen.normal(size=(n_pairs, d_k)); k = gen.normal(size=(n_pairs, d_k))
    raw = np.diag(q @ k.T) if n_pairs <= 50 else np.array([a @ b for a, b in zip(q, k)])
    return np.var(raw), np.var(scale_scores(raw, d_k))

if __name__ == "__main__":
    print(worked_example())
    for d in (16, 64, 256):
        print(d, score_variance(d, 100000, 0))
