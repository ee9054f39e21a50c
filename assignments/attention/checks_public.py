"""Public checks of ``attention``: a few numbers from the handout and a few properties.

They show whether the code runs and means the right thing; they do not cover every criterion.
"""

import math

import torch

from grader.checks import Text, criterion, expect

Q = torch.tensor([[0.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
K = torch.tensor([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
V = torch.tensor([[4.0, 0.0], [0.0, 4.0], [2.0, 2.0]])


@criterion("scores_shape")
def test_scores_have_the_shape_of_queries_by_keys(student, rng):
    """attention_scores gives [..., Tq, Tk] with no, one and two leading axes."""
    for lead in ((), (2,), (2, 3)):
        q, k = rng(*lead, 4, 6), rng(*lead, 4, 6)
        got = expect.tensor(student.attention_scores(q, k), (*lead, 4, 4), torch.float64, "the scores")
        other = expect.tensor(student.attention_scores(q + 1, k - 1), (*lead, 4, 4), what="the scores")
        expect.differs(other, got, by=1e-2, what="the scores")


@criterion("dot_products")
def test_scores_of_the_handout_keep_their_proportions(student):
    """The scores of the handout's three tokens stand to each other as the dot products do."""
    got = expect.finite(expect.tensor(student.attention_scores(Q, K), (3, 3), what="the scores"), "the scores").double()
    want = torch.tensor([[0.0, 2.0, 4.0], [4.0, 4.0, 4.0], [4.0, 2.0, 0.0]])
    largest = float(got.max())
    expect.that(largest > 0, Text(en="all scores are zero or negative", zh="所有分数都是零或负数"))
    what = Text(en="the scores, as parts of the largest,", zh="分数（除以最大的分数后）")
    expect.close(got / largest, want / 4, atol=1e-5, rtol=1e-4, what=what, axes=("query", "key"))


@criterion("scale")
def test_scores_of_the_handout_are_scaled(student):
    """The largest score of the handout's three tokens is 2.83."""
    got = expect.finite(expect.tensor(student.attention_scores(Q, K), (3, 3), what="the scores"), "the scores").double()
    expect.close(got.max(), torch.tensor(2 * math.sqrt(2)), atol=5e-3, rtol=0, what="the largest score", axes=())


@criterion("softmax_over_keys")
def test_weights_of_a_row_add_up_to_one(student, rng):
    """The weights of each query are above 0, add up to 1, and follow the scores."""
    scores = torch.tensor([[0.0, math.log(2.0), math.log(5.0)], [1.0, 1.0, 1.0], [math.log(8.0), 0.0, 0.0]])
    want = torch.tensor([[1 / 8, 2 / 8, 5 / 8], [1 / 3, 1 / 3, 1 / 3], [8 / 10, 1 / 10, 1 / 10]])
    axes = ("query", "key")
    expect.close(student.attention_weights(scores), want, atol=1e-5, rtol=1e-4, what="the weights", axes=axes)
    batch = rng(2, 3, 4, 4)
    got = expect.positive(student.attention_weights(batch), (2, 3, 4, 4), "the weights")
    expect.close(got.sum(-1), torch.ones(2, 3, 4), atol=1e-5, rtol=1e-4, what="the sum of the weights over the keys")


@criterion("mask_blocks")
def test_hidden_keys_have_no_weight(student):
    """With three equal scores and one key hidden, the other two get one half each; the mask may be bool or 0/1."""
    scores, mask = torch.zeros(1, 3), torch.tensor([[True, False, True]])
    want = torch.tensor([[0.5, 0.0, 0.5]])
    for given in (mask, mask.long()):
        got = student.attention_weights(scores, given)
        expect.close(got, want, atol=1e-6, rtol=1e-4, what="the weights", axes=("query", "key"))


@criterion("weighted_values")
def test_output_of_the_handout(student):
    """Output and weights of the handout's three tokens come back in this order."""
    output, weights = expect.pair(student.scaled_dot_product_attention(Q, K, V), "the answer")
    expect.tensor(output, (3, 2), what="the output")
    expect.tensor(weights, (3, 3), what="the weights")
    want = torch.tensor([[0.045, 0.187, 0.768], [0.333, 0.333, 0.333], [0.768, 0.187, 0.045]])
    expect.close(weights, want, atol=1e-3, rtol=0, what="the weights", axes=("query", "key"))
    want = torch.tensor([[1.717, 2.283], [2.0, 2.0], [3.162, 0.838]])
    expect.close(output, want, atol=2e-3, rtol=0, what="the output", axes=("query", "feature"))


@criterion("cross_lengths")
def test_more_keys_than_queries(student, rng):
    """Two queries may look at five keys, whose values have a width of their own."""
    q, k, v = rng(2, 6), rng(5, 6), rng(5, 3)
    output, weights = expect.pair(student.scaled_dot_product_attention(q, k, v), "the answer")
    expect.tensor(output, (2, 3), what="the output")
    expect.positive(weights, (2, 5), "the weights")
    moved, _ = expect.pair(student.scaled_dot_product_attention(q, k, v + 1), "the answer")
    expect.close(moved, output + 1, atol=1e-5, rtol=1e-4, what="the output for values that are all larger by one")
