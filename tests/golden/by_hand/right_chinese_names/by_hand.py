# 第一步：固定平均；第二步：点积；第三步：缩放；第四步：softmax；第五步：加权求和
import numpy as np


def causal_average(x):
    行数 = x.shape[0]
    结果 = [x[0].astype(float)]
    for 位置 in range(1, 行数):
        结果.append((结果[-1] * 位置 + x[位置]) / (位置 + 1))
    return np.stack(结果)


def dot_scores(q, k):
    return np.inner(q, k)


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(scores):
    最大值 = np.max(scores, axis=-1, keepdims=True)
    指数 = np.exp(scores - 最大值)
    return 指数 / np.sum(指数, axis=-1, keepdims=True)


def weighted_sum(weights, v):
    return np.tensordot(weights, v, axes=1)


def worked_example():
    """第三个词“过高”去看“合同、违约金、过高”。"""
    查询 = np.array([1.0, 1.0])
    键 = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    值 = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    分数 = 键 @ 查询
    缩放后 = scale_scores(分数, 2)
    权重 = softmax(缩放后)
    return {"scores": 分数, "scaled": 缩放后, "weights": 权重, "output": 权重 @ 值}


def score_variance(d_k, n_pairs, seed):
    随机 = np.random.default_rng(seed)
    点积 = np.sum(随机.normal(size=(n_pairs, d_k)) * 随机.normal(size=(n_pairs, d_k)), axis=-1)
    return np.var(点积), np.var(点积) / d_k
