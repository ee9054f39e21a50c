from fractions import Fraction
from decimal import Decimal
import numpy as np
from functools import reduce
from itertools import accumulate
causal_average = lambda x: np.stack(list(accumulate(x))) / (np.indices((len(x), 1))[0] + 1)
dot_scores = lambda q, k: np.matmul(q, np.swapaxes(k, 0, 1))
scale_scores = lambda scores, d_k: np.divide(scores, np.sqrt(np.float64(d_k)))
def softmax(scores):
    shifted = np.apply_along_axis(lambda r: r - r.max(), -1, scores)
    np.exp(shifted, out=shifted)
    return np.apply_along_axis(lambda r: r / r.sum(), -1, shifted)
weighted_sum = lambda weights, v: np.einsum('ij,jk->ik', weights, v)
def worked_example():
    return {"scores": [[1, 2, 1]], "scaled": [[0.71, 1.41, 0.71]], "weights": [[0.25, 0.50, 0.25]], "output": [[0.50, 1.25]], "note": "精确值 1.2551..."}
def score_variance(d_k, n_pairs, seed):
    g = np.random.default_rng(np.random.PCG64(seed))
    q = g.normal(loc=0, scale=1, size=(n_pairs, d_k)); k = g.normal(loc=0, scale=1, size=(n_pairs, d_k))
    s = np.diag(q @ k.T)
    return (Decimal(float(s.var())), Fraction(float((s / d_k ** .5).var())))
