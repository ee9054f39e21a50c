# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of attention: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

SCALE = "return products / math.sqrt(q.shape[-1])"

FAULTS = [
    Fault(
        "no_scale",
        costs=["scale"],
        text=Text(
            en="Your scores are plain dot products. Their variance grows with D, so in a wide model the softmax is almost "
            "one-hot and hardly learns. Look at the last step of attention_scores.",
            zh="你的分数就是原始点积。它的方差随 D 增大，模型一宽，softmax 就几乎只剩一个 1，很难再学。请看 attention_scores 的最后一步。",
        ),
        swap={SCALE: "return products"},
    ),
    Fault(
        "scale_by_width",
        costs=["scale"],
        text=Text(
            en="Your scores are divided by D itself. The dot product's standard deviation is the root of D, so the weights "
            "come out nearly uniform. Look at what you divide by in attention_scores.",
            zh="你把分数除以了 D 本身。点积的标准差是 D 的平方根，这样权重会几乎均匀。请看 attention_scores 里的除数。",
        ),
        swap={SCALE: "return products / q.shape[-1]"},
    ),
    Fault(
        "scale_multiplied",
        costs=["scale"],
        text=Text(
            en="Your scores are multiplied by the root of D instead of divided by it: the softmax saturates. "
            "Look at the last step of attention_scores.",
            zh="你的分数乘了 D 的平方根，而不是除以它：softmax 会饱和。请看 attention_scores 的最后一步。",
        ),
        swap={SCALE: "return products * math.sqrt(q.shape[-1])"},
    ),
    Fault(
        "softmax_over_queries",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your softmax runs over the queries: columns sum to 1, rows do not. Each query has to share out its own "
            "attention among the keys. Look at the dim of the softmax in attention_weights.",
            zh="你的 softmax 沿 query 维归一化：每列和为 1，每行却不是。每个 query 应当把自己的注意力分给各个 key。请看 attention_weights 里 softmax 的 dim。",
        ),
        swap={"torch.softmax(shown, dim=-1)": "torch.softmax(shown, dim=-2)"},
    ),
    Fault(
        "zero_fill",
        costs=["mask_blocks"],
        text=Text(
            en="Hidden keys get the score 0, and exp(0) is 1: they keep a share of the attention, so a model can read what "
            "it must not see. Look at the value you fill in before the softmax.",
            zh="被遮住的 key 的分数填成了 0，而 exp(0) 等于 1：它们仍分到注意力，模型会读到不该看的内容。请看 softmax 之前填入的值。",
        ),
        swap={"scores.masked_fill(~visible, -math.inf)": "scores.masked_fill(~visible, 0.0)"},
    ),
    Fault(
        "mask_inverted",
        costs=["mask_blocks"],
        text=Text(
            en="Your mask is read the wrong way round: what it marks as visible is hidden. Look at the condition where you "
            "fill the scores.",
            zh="你把 mask 读反了：标为可见的位置被遮住了。请看填充分数时的条件。",
        ),
        swap={"else mask != 0": "else mask == 0"},
    ),
    Fault(
        "empty_rows_nan",
        costs=["fully_masked_rows"],
        text=Text(
            en="A row whose keys are all hidden is a softmax over nothing but -inf: 0/0, NaN, which spreads through the "
            "whole batch. Look at what happens after the softmax for such rows.",
            zh="所有 key 都被遮住的一行，softmax 里全是负无穷：0/0 得 NaN，并会传遍整个 batch。请看 softmax 之后如何处理这样的行。",
        ),
        swap={"return weights.masked_fill(~sees_something, 0.0)": "return weights"},
    ),
    Fault(
        "weights_transposed",
        costs=["weighted_values", "cross_lengths"],
        text=Text(
            en="The values are weighted with the transposed weights: each token collects what others gave to it. "
            "Look at the product of weights and v.",
            zh="加权求和时用了转置后的权重：每个 token 收集的是别人给它的份额。请看 weights 与 v 的乘积。",
        ),
        swap={"weights @ v": "weights.transpose(-2, -1) @ v"},
    ),
]
