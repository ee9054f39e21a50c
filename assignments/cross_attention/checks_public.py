"""What you can run yourself: a few numbers small enough to follow on paper, and a few plain properties."""

import torch

from grader.checks import Text, criterion, expect

OUT, WEIGHTS = Text(en="the output", zh="输出"), Text(en="the weights", zh="权重")


@criterion("shapes")
def test_three_queries_and_five_keys(student, rng):
    """Three queries and five keys give three rows of five weights, and three rows as wide as a value.

    zh: 三个 query 和五个 key 得到三行、每行五个权重，以及三行与 value 同宽的输出。
    """
    out, weights = expect.pair(student.scaled_dot_attention(rng(2, 3, 4), rng(2, 5, 4), rng(2, 5, 6)))
    expect.tensor(out, (2, 3, 6), torch.float64, OUT)
    expect.tensor(weights, (2, 3, 5), torch.float64, WEIGHTS)


@criterion("weighted_values")
def test_a_query_of_zeros_takes_the_plain_mean(student):
    """A query of zeros likes all keys equally: its output is the plain mean of the values.

    zh: 全零的 query 对所有 key 一视同仁：输出就是 value 的平均值。
    """
    k = torch.tensor([[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]])
    v = torch.tensor([[[3.0, 0.0], [0.0, 6.0], [0.0, 3.0]]])
    out, _ = expect.pair(student.scaled_dot_attention(torch.zeros(1, 1, 2), k, v))
    want = torch.tensor([[[1.0, 3.0]]])
    expect.close(out, want, atol=1e-5, rtol=1e-4, what=OUT, axes=("batch", "query", "feature"))


@criterion("mask_forms")
def test_a_blocked_key_has_no_weight(student, rng):
    """With two of four keys blocked, a query of zeros gives the other two half each.

    zh: 四个 key 遮住两个时，全零的 query 给另外两个各一半。
    """
    mask = torch.tensor([[1, 0, 0, 1]])
    q, k, v = torch.zeros(1, 1, 3), rng(1, 4, 3, dtype=torch.float32), rng(1, 4, 3, dtype=torch.float32)
    _, weights = expect.pair(student.scaled_dot_attention(q, k, v, mask=mask))
    want = torch.tensor([[[0.5, 0.0, 0.0, 0.5]]])
    expect.close(weights, want, atol=1e-5, rtol=1e-4, what=WEIGHTS, axes=("batch", "query", "key"))


@criterion("shapes")
def test_module_takes_two_lengths(student, rng):
    """The module takes three queries and a memory of five tokens.

    zh: 模块接受三个 query 和五个 token 的 memory。
    """
    module = student.MultiHeadCrossAttention(8, 2)
    x, memory = rng(2, 3, 8, dtype=torch.float32), rng(2, 5, 8, dtype=torch.float32)
    expect.tensor(module(x, memory), (2, 3, 8), torch.float32, OUT)
    out, weights = expect.pair(module(x, memory, return_weights=True))
    expect.tensor(out, (2, 3, 8), torch.float32, OUT)
    expect.tensor(weights, (2, 2, 3, 5), torch.float32, WEIGHTS)


@criterion("memory_padding")
def test_padding_at_the_end_of_the_memory_is_unseen(student, rng):
    """What stands in the last two tokens of the memory, both padding, changes no output.

    zh: memory 的最后两个 token 是填充，其内容不影响任何输出。
    """
    module = student.MultiHeadCrossAttention(8, 2)
    module.eval_()
    x, memory = rng(1, 3, 8, dtype=torch.float32), rng(1, 5, 8, dtype=torch.float32)
    real = torch.tensor([[True, True, True, False, False]])
    before = expect.tensor(module(x, memory, memory_mask=real), (1, 3, 8), what=OUT)
    changed = memory.clone()
    changed[:, 3:] += 3.0
    after = expect.tensor(module(x, changed, memory_mask=real), (1, 3, 8), what=OUT)
    expect.same(after, before, atol=1e-5, rtol=1e-4)
