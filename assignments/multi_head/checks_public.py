"""What you can run yourself: a few numbers small enough to follow on paper, and a few plain properties."""

import torch

from grader.checks import Text, criterion, expect


@criterion("split_layout")
def test_split_eight_numbers(student):
    """One sentence of two tokens, four features each, two heads.

    zh: 一个句子，两个 token，每个四个特征，分成两个头。
    """
    x = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]])
    want = torch.tensor([[[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]]])
    got = expect.tensor(student.split_heads(x, 2), (1, 2, 2, 2), torch.float32, "split_heads(x, 2)")
    axes = ("batch", "head", "token", "feature")
    expect.close(got, want, atol=0, rtol=0, what="split_heads(x, 2)", axes=axes)


@criterion("merge_layout")
def test_merge_twelve_numbers(student):
    """Two heads of two tokens, three features each, side by side again.

    zh: 两个头、两个 token、每个三个特征，重新并排放在一起。
    """
    x = torch.arange(12.0).reshape(1, 2, 2, 3)
    want = torch.tensor([[[0.0, 1.0, 2.0, 6.0, 7.0, 8.0], [3.0, 4.0, 5.0, 9.0, 10.0, 11.0]]])
    got = expect.tensor(student.merge_heads(x), (1, 2, 6), torch.float32, "merge_heads(x)")
    expect.close(got, want, atol=0, rtol=0, what="merge_heads(x)", axes=("batch", "token", "feature"))


@criterion("bad_head_count")
def test_five_features_are_not_for_two_heads(student):
    """split_heads says ValueError to five features and two heads.

    zh: 五个特征分两个头时，split_heads 抛出 ValueError。
    """
    expect.raises(
        ("ValueError",), lambda: student.split_heads(torch.zeros(1, 2, 5), 2), "split_heads(x, 2), 5 features"
    )


@criterion("output_shape")
def test_shapes_of_the_results(student, rng):
    """The output has the shape of x; the weights have one table per head.

    zh: 输出与 x 形状相同；每个头各有一张权重表。
    """
    module = student.MultiHeadSelfAttention(12, 3)
    x = rng(2, 5, 12, dtype=torch.float32)
    expect.tensor(module(x), (2, 5, 12), torch.float32, Text(en="the output", zh="输出"))
    out, weights = expect.pair(module(x, return_weights=True))
    expect.tensor(out, (2, 5, 12), torch.float32, Text(en="the output", zh="输出"))
    expect.tensor(weights, (2, 3, 5, 5), torch.float32, Text(en="the weights", zh="权重"))


@criterion("future_invariance")
def test_the_last_token_stays_out_of_the_past(student, rng):
    """In CausalSelfAttention a new last token leaves the outputs before it as they were.

    zh: CausalSelfAttention 中，换掉最后一个 token，它之前的输出不变。
    """
    module = student.CausalSelfAttention(12, 3)
    module.eval_()
    x = rng(2, 5, 12, dtype=torch.float32)
    before = expect.tensor(module(x), (2, 5, 12), what=Text(en="the output", zh="输出"))
    changed = x.clone()
    changed[:, -1] += 3.0
    after = expect.tensor(module(changed), (2, 5, 12), what=Text(en="the output", zh="输出"))
    expect.same(after[:, :-1], before[:, :-1], atol=1e-5, rtol=1e-4)
    expect.differs(after[:, -1], before[:, -1], by=1e-3)


@criterion("padding_in_module")
def test_padding_at_the_front_is_out_of_sight(student, rng):
    """What stands in two padding tokens at the front changes no real token's output.

    zh: 开头两个填充 token 的内容不影响任何真实 token 的输出。
    """
    module = student.MultiHeadSelfAttention(12, 3)
    module.eval_()
    real = torch.tensor([[False, False, True, True, True]])
    x = rng(1, 5, 12, dtype=torch.float32)
    before = expect.tensor(module(x, padding_mask=real), (1, 5, 12), what=Text(en="the output", zh="输出"))
    changed = x.clone()
    changed[:, :2] += 3.0
    after = expect.tensor(module(changed, padding_mask=real), (1, 5, 12), what=Text(en="the output", zh="输出"))
    expect.same(after[:, 2:], before[:, 2:], atol=1e-5, rtol=1e-4)
