"""Public checks of padding_mask: numbers from the handout and plain properties."""

import torch

from grader.checks import Text, criterion, expect

MASK = Text(en="the mask", zh="掩码")
RESULT = Text(en="the result", zh="返回值")
VALUES = Text(en="values", zh="values ")
WEIGHTS = Text(en="weights", zh="weights ")


def _two_sentences() -> torch.Tensor:
    """Three real tokens and one of padding; then one real token and three of padding."""
    return torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0]]).bool()


@criterion("valid_tokens")
def test_lengths_three_and_one(student):
    """Lengths 3 and 1, filled up to 4 tokens.

    zh: 长度 3 和 1，补齐到 4 个 token。
    """
    expect.mask(student.valid_tokens(torch.tensor([3, 1]), 4), _two_sentences(), MASK)
    expect.mask(student.valid_tokens([3, 1], 4), _two_sentences(), MASK)


@criterion("key_mask")
def test_key_mask_has_its_axis_last(student):
    """For two sentences of four tokens the key mask is bool, [2, 1, 1, 4].

    zh: 两个四 token 的句子，key 的 mask 是 bool 类型，形状为 [2, 1, 1, 4]。
    """
    expect.tensor(student.padding_key_mask(_two_sentences()), (2, 1, 1, 4), torch.bool, MASK)


@criterion("query_mask")
def test_query_mask_has_its_axis_third(student):
    """For two sentences of four tokens the query mask is bool, [2, 1, 4, 1].

    zh: 两个四 token 的句子，query 的 mask 是 bool 类型，形状为 [2, 1, 4, 1]。
    """
    expect.tensor(student.padding_query_mask(_two_sentences()), (2, 1, 4, 1), torch.bool, MASK)


@criterion("combined_mask")
def test_combined_mask_of_the_handout(student):
    """Three real tokens and one of padding, causal: the table of the handout.

    zh: 三个真实 token 加一个填充，因果：与讲义中的表一致。
    """
    by_hand = torch.tensor([[[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]]]]).bool()
    expect.mask(student.combined_mask(_two_sentences()[:1]), by_hand, MASK)


@criterion("padding_unseen")
def test_padding_at_the_end_is_not_read(student, rng):
    """Other numbers in the padded token leave the values of the real tokens as they were; a real key moves them.

    zh: 填充 token 换成别的数，真实 token 的 values 不变；换一个真实的 key 则会变。
    """
    q, k, v = rng(1, 2, 4, 6), rng(1, 2, 4, 6), rng(1, 2, 4, 6)
    valid = _two_sentences()[:1]
    before, _ = expect.pair(student.masked_attention(q, k, v, causal=False, padding_mask=valid), RESULT)
    expect.tensor(before, (1, 2, 4, 6), what=VALUES)
    k[:, :, -1], v[:, :, -1] = rng(1, 2, 6), rng(1, 2, 6) + 10
    after, _ = expect.pair(student.masked_attention(q, k, v, causal=False, padding_mask=valid), RESULT)
    expect.tensor(after, (1, 2, 4, 6), what=VALUES)
    expect.same(after[:, :, :3], before[:, :, :3], atol=1e-5, rtol=1e-4, what=VALUES)
    other_k = torch.cat([k[:, :, :1] + 1, k[:, :, 1:]], dim=2)
    moved, _ = expect.pair(student.masked_attention(q, other_k, v, causal=False, padding_mask=valid), RESULT)
    expect.tensor(moved, (1, 2, 4, 6), what=VALUES)
    expect.differs(moved[:, :, :3], after[:, :, :3], by=1e-3, what=VALUES)


@criterion("valid_rows_sum_to_one")
def test_real_rows_sum_to_one(student, rng):
    """The weights of the three real tokens sum to 1.

    zh: 三个真实 token 的权重之和都是 1。
    """
    q, k, v = rng(1, 2, 4, 6), rng(1, 2, 4, 6), rng(1, 2, 4, 6)
    _, weights = expect.pair(student.masked_attention(q, k, v, padding_mask=_two_sentences()[:1]), RESULT)
    expect.tensor(weights, (1, 2, 4, 4), what=WEIGHTS)
    expect.close(weights[:, :, :3].sum(-1), torch.ones(1, 2, 3), atol=1e-5, rtol=1e-4, what=WEIGHTS)


@criterion("padding_queries_zero")
def test_the_padded_row_is_zero(student, rng):
    """The row of the padded token is 0 in values and weights, while the others are not.

    zh: 填充 token 那一行的 values 和权重都是 0，其他行不是。
    """
    q, k, v = rng(1, 2, 4, 6), rng(1, 2, 4, 6), rng(1, 2, 4, 6)
    values, weights = expect.pair(student.masked_attention(q, k, v, padding_mask=_two_sentences()[:1]), RESULT)
    expect.tensor(values, (1, 2, 4, 6), what=VALUES)
    expect.tensor(weights, (1, 2, 4, 4), what=WEIGHTS)
    expect.below(values[:, :, 3:], 1e-6, Text(en="the values of padding", zh="填充 token 的 values "))
    expect.below(weights[:, :, 3:], 1e-6, Text(en="the weights of padding", zh="填充 token 的 weights "))
    expect.differs(values[:, :, :3], torch.zeros(1, 2, 3, 6), by=1e-3, what=VALUES)


@criterion("causal_and_padding")
def test_no_mask_is_the_same_as_all_real(student, rng):
    """padding_mask=None gives what a mask of nothing but True gives.

    zh: padding_mask=None 与全为 True 的 mask 结果相同。
    """
    q, k, v = rng(2, 2, 4, 6), rng(2, 2, 4, 6), rng(2, 2, 4, 6)
    without, _ = expect.pair(student.masked_attention(q, k, v), RESULT)
    everyone = torch.ones(2, 4, dtype=torch.bool)
    with_all, _ = expect.pair(student.masked_attention(q, k, v, padding_mask=everyone), RESULT)
    expect.same(without, expect.tensor(with_all, (2, 2, 4, 6), what=VALUES), atol=1e-5, rtol=1e-4, what=VALUES)
    expect.differs(with_all, torch.zeros(2, 2, 4, 6), by=1e-3, what=VALUES)
