"""Public checks of causal_mask: numbers from the handout and plain properties."""

import torch

from grader.checks import Text, criterion, expect

MASK = Text(en="the mask", zh="掩码")
RESULT = Text(en="the result", zh="返回值")
VALUES = Text(en="values", zh="values ")
WEIGHTS = Text(en="weights", zh="weights ")


@criterion("mask_shape")
def test_mask_for_three_tokens_has_four_axes(student):
    """The mask for three tokens is bool and has the shape [1, 1, 3, 3].

    zh: 三个 token 的 mask 是 bool 类型，形状为 [1, 1, 3, 3]。
    """
    expect.tensor(student.causal_mask(3), (1, 1, 3, 3), torch.bool, MASK)


@criterion("lower_triangle")
def test_mask_for_three_tokens_as_in_the_handout(student):
    """For three tokens the first row sees one token, the second two, the third three.

    zh: 三个 token 时，第一行看到一个 token，第二行两个，第三行三个。
    """
    by_hand = torch.tensor([[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]])
    expect.truth(student.causal_mask(3), by_hand, MASK)


@criterion("weights_shape")
def test_values_and_weights_come_back(student, rng):
    """The function returns the tuple (values, weights) with their shapes.

    zh: 函数返回元组 (values, weights)，两者形状正确。
    """
    q, k, v = rng(2, 3, 4, 6), rng(2, 3, 4, 6), rng(2, 3, 4, 6)
    values, weights = expect.pair(student.causal_attention(q, k, v), RESULT)
    expect.tensor(values, (2, 3, 4, 6), torch.float64, VALUES)
    expect.tensor(weights, (2, 3, 4, 4), torch.float64, WEIGHTS)


@criterion("rows_sum_to_one")
def test_equal_scores_share_evenly(student, rng):
    """Where all scores are equal, three tokens share as in the handout: 1, then 1/2 each, then 1/3 each.

    zh: 所有分数相等时，三个 token 按讲义所示分配：1，然后各 1/2，再然后各 1/3。
    """
    k, v = rng(1, 1, 3, 2), rng(1, 1, 3, 2)
    _, weights = expect.pair(student.causal_attention(torch.zeros_like(k), k, v), RESULT)
    by_hand = torch.tensor([[[[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]]])
    expect.close(weights, by_hand, atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("future_invariance")
def test_a_new_last_token_leaves_the_first_row(student, rng):
    """Changing the last token leaves the values of the first query as they were, and moves its own.

    zh: 改动最后一个 token，第一个 query 的 values 不变，它自己的会变。
    """
    q, k, v = rng(1, 2, 4, 6), rng(1, 2, 4, 6), rng(1, 2, 4, 6)
    before, _ = expect.pair(student.causal_attention(q, k, v), RESULT)
    expect.tensor(before, (1, 2, 4, 6), what=VALUES)
    k[:, :, -1], v[:, :, -1] = rng(1, 2, 6), rng(1, 2, 6) + 10
    after, _ = expect.pair(student.causal_attention(q, k, v), RESULT)
    expect.tensor(after, (1, 2, 4, 6), what=VALUES)
    expect.same(after[:, :, 0], before[:, :, 0], atol=1e-5, rtol=1e-4, what=VALUES)
    expect.differs(after[:, :, -1], before[:, :, -1], by=1e-3, what=VALUES)


@criterion("contrast")
def test_without_the_mask_the_last_token_reaches_the_first_row(student, rng):
    """With causal=False the same change does move the first query.

    zh: causal=False 时，同样的改动会影响第一个 query。
    """
    q, k, v = rng(1, 2, 4, 6), rng(1, 2, 4, 6), rng(1, 2, 4, 6)
    before, _ = expect.pair(student.causal_attention(q, k, v, causal=False), RESULT)
    expect.tensor(before, (1, 2, 4, 6), what=VALUES)
    v[:, :, -1] += 10
    after, _ = expect.pair(student.causal_attention(q, k, v, causal=False), RESULT)
    expect.tensor(after, (1, 2, 4, 6), what=VALUES)
    expect.differs(after[:, :, 0], before[:, :, 0], by=1e-3, what=VALUES)
