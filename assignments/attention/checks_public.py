"""Public checks of ``attention``: a few numbers from the handout and a few properties.

They show whether the code runs and means the right thing; they do not cover every criterion.
"""

import math

import torch

from grader.checks import Text, criterion, expect

Q = torch.tensor([[0.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
K = torch.tensor([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])

SCORES = Text(en="the scores", zh="分数")
WEIGHTS = Text(en="the weights", zh="权重")
OUTPUT = Text(en="the output", zh="输出")
ANSWER = Text(en="the answer", zh="返回值")
AXES = ("query", "key")


@criterion("scores_shape")
def test_scores_have_the_shape_of_queries_by_keys(student, rng):
    """attention_scores gives [..., Tq, Tk] with no, one and two leading axes.

    zh: attention_scores 在没有、有一个和有两个前置维度时都返回 [..., Tq, Tk]。
    """
    for lead in ((), (2,), (2, 3)):
        q, k = rng(*lead, 4, 6), rng(*lead, 4, 6)
        got = expect.tensor(student.attention_scores(q, k), (*lead, 4, 4), torch.float64, SCORES)
        expect.close(student.attention_scores(q, k), got, atol=1e-5, rtol=1e-4, what=SCORES)
        expect.differs(student.attention_scores(q + 1, k - 1), got, by=1e-2, what=SCORES)


@criterion("dot_products")
def test_scores_of_the_handout_keep_their_proportions(student):
    """The scores of the handout's three tokens stand to each other as the dot products do.

    zh: 讲义中三个 token 的分数，相互之间的比例与点积一致。
    """
    got = expect.finite(expect.tensor(student.attention_scores(Q, K), (3, 3), what=SCORES), SCORES).double()
    largest = float(got.max())
    expect.that(largest > 0, Text(en="all scores are zero or negative", zh="所有分数都是零或负数"))
    what = Text(en="the score, as a part of the largest,", zh="分数（除以最大的分数后）")
    want = torch.tensor([[0.0, 0.5, 1.0], [1.0, 1.0, 1.0], [1.0, 0.5, 0.0]])
    expect.close(got / largest, want, atol=1e-5, rtol=1e-4, what=what, axes=AXES)


@criterion("scale")
def test_scores_of_the_handout_are_scaled(student):
    """The largest score of the handout's three tokens is 2.83.

    zh: 讲义中三个 token 的最大分数是 2.83。
    """
    got = expect.finite(expect.tensor(student.attention_scores(Q, K), (3, 3), what=SCORES), SCORES)
    largest = float(got.double().abs().max())
    note = Text(en=f"the largest score is {largest:.4g}, expected 2.83", zh=f"最大的分数是 {largest:.4g}，应当是 2.83")
    expect.that(abs(largest - 2 * math.sqrt(2)) < 5e-3, note)


@criterion("softmax_over_keys")
def test_weights_of_a_row_add_up_to_one(student, rng):
    """The weights of each query are above 0, add up to 1, and follow the scores.

    zh: 每个 query 的权重都大于 0，和为 1，并随分数变化。
    """
    scores = torch.tensor([[0.0, math.log(2.0), math.log(5.0)], [1.0, 1.0, 1.0], [math.log(8.0), 0.0, 0.0]])
    want = torch.tensor([[1 / 8, 2 / 8, 5 / 8], [1 / 3, 1 / 3, 1 / 3], [8 / 10, 1 / 10, 1 / 10]])
    expect.close(student.attention_weights(scores), want, atol=1e-5, rtol=1e-4, what=WEIGHTS, axes=AXES)
    got = expect.positive(student.attention_weights(rng(2, 3, 4, 4)), (2, 3, 4, 4), WEIGHTS)
    what = Text(en="the sum of the weights over the keys", zh="权重对 key 求和")
    axes = ("batch", "head", "query")
    expect.close(got.sum(-1), torch.ones(2, 3, 4), atol=1e-5, rtol=1e-4, what=what, axes=axes)


@criterion("mask_blocks")
def test_hidden_keys_have_no_weight(student):
    """With three equal scores in a row and one key hidden, the other two get one half each; masks are bool or 0/1.

    zh: 一行有三个相等的分数、遮住一个 key 时，另外两个各得一半；mask 可以是 bool 或 0/1。
    """
    scores, mask = torch.zeros(3, 3), torch.tensor([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    for given in (mask.bool(), mask):
        got = student.attention_weights(scores, given)
        expect.close(got, mask / 2, atol=1e-6, rtol=1e-4, what=WEIGHTS, axes=AXES)


@criterion("weighted_values")
def test_identity_as_values_gives_the_weights_back(student, rng):
    """The answer is (output, weights); with an identity matrix as v, the output is the weights.

    zh: 返回值是 (output, weights)；v 为单位矩阵时，output 就是权重。
    """
    q, k, v = rng(2, 3, 4, 6), rng(2, 3, 4, 6), torch.eye(4, 5, dtype=torch.float64).expand(2, 3, 4, 5)
    output, weights = expect.pair(student.scaled_dot_product_attention(q, k, v.contiguous()), ANSWER)
    expect.tensor(output, (2, 3, 4, 5), torch.float64, OUTPUT)
    expect.positive(expect.tensor(weights, (2, 3, 4, 4), torch.float64), (2, 3, 4, 4), WEIGHTS)
    wider = torch.cat([weights, torch.zeros(2, 3, 4, 1, dtype=torch.float64)], dim=-1)  # v has a column of zeros, too
    expect.close(output, wider, atol=1e-5, rtol=1e-4, what=OUTPUT, axes=("batch", "head", "query", "feature"))
    _, again = expect.pair(student.scaled_dot_product_attention(q, k, v.contiguous()), ANSWER)
    expect.close(again, weights, atol=1e-5, rtol=1e-4, what=WEIGHTS)
    _, moved = expect.pair(student.scaled_dot_product_attention(q - 1, k + 1, v.contiguous()), ANSWER)
    expect.differs(moved, weights, by=1e-2, what=WEIGHTS)


@criterion("cross_lengths")
def test_more_keys_than_queries(student, rng):
    """Two queries may look at five keys, whose values have a width of their own.

    zh: 两个 query 可以看五个 key，它们的 value 可以有自己的宽度。
    """
    q, k, v = rng(2, 6), rng(5, 6), rng(5, 3)
    output, weights = expect.pair(student.scaled_dot_product_attention(q, k, v), ANSWER)
    expect.tensor(output, (2, 3), what=OUTPUT)
    expect.positive(weights, (2, 5), WEIGHTS)
    doubled, _ = expect.pair(student.scaled_dot_product_attention(q, k, 2 * v), ANSWER)
    what = Text(en="the output for doubled values", zh="value 加倍后的输出")
    expect.close(doubled, 2 * output, atol=1e-5, rtol=1e-4, what=what, axes=("query", "feature"))
    _, moved = expect.pair(student.scaled_dot_product_attention(q - 1, k + 1, v), ANSWER)
    expect.differs(moved, weights, by=1e-2, what=WEIGHTS)
