# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of the causal mask: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

HIDDEN = "torch.logical_not(causal_mask(q.shape[-2], q.device))"
ALL = "torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device)"
FILL = "scores.masked_fill(hidden, -math.inf)"
SOFTMAX = "torch.softmax(scores, dim=-1)"
AVERAGE = "values = weights @ v"
PRODUCTS = "products = q @ k.transpose(-2, -1)"
RETURN = "return values, weights"
LEAK = ["future_weights_zero", "future_invariance"]  # where causal_attention uses a wrong mask, these cannot be shown

FAULTS = [
    # -- causal_mask: its form -------------------------------------------------------------------
    Fault(
        "mask_floats",
        costs=["mask_shape"],
        text=Text(
            en="Your mask holds the numbers 0.0 and 1.0, not truth values. Whoever reads it cannot tell whether 1 means "
            "'visible' or is to be added to a score, and ~ refuses it. Look at the dtype of the table you start from in causal_mask.",
            zh="你的掩码里是 0.0 和 1.0，不是真假值。拿到它的人分不清 1 表示“可见”还是要加到分数上的数，而且 ~ 对它会报错。请看 causal_mask 里最初那张表的 dtype。",
        ),
        swap={"dtype=torch.bool, device=device": "device=device"},
    ),
    Fault(
        "mask_integers",
        costs=["mask_shape"],
        text=Text(
            en="Your mask holds the integers 0 and 1, not truth values. On integers ~ gives -1 and -2, both of which count as "
            "true: one negation further on, everything is hidden. Look at the dtype in causal_mask.",
            zh="你的掩码里是整数 0 和 1，不是真假值。对整数取 ~ 得到 -1 和 -2，两个都算“真”：之后只要取一次反，就全被遮住了。请看 causal_mask 里的 dtype。",
        ),
        swap={"dtype=torch.bool": "dtype=torch.long"},
    ),
    Fault(
        "mask_to_be_added",
        costs=["mask_shape", *LEAK, "past_visible"],
        text=Text(
            en="causal_mask returns numbers to be added to scores, 0 and minus infinity. That is a second step; the mask itself says "
            "True for visible, so that it can be joined with other masks. Look at what causal_mask returns.",
            zh="causal_mask 返回的是要加到分数上的数（0 和负无穷）。那是下一步的事；掩码本身只说“可见为 True”，这样才能与别的掩码合并。请看 causal_mask 的返回值。",
        ),
        swap={"return visible[": "return torch.zeros(t, t, device=device).masked_fill(~visible, -math.inf)["},
    ),
    Fault(
        "mask_two_axes",
        costs=["mask_shape"],
        text=Text(
            en="Your mask is [t, t]. It broadcasts over plain scores, but joined with a padding mask of one row per sample, "
            "its axes meet the wrong partners. Look at the axes for batch and heads in the return of causal_mask.",
            zh="你的掩码是 [t, t]。单独用时还能广播，一旦与“每个样本一行”的填充掩码合并，轴就会对错位。请看 causal_mask 返回时批次与头的两个轴。",
        ),
        swap={"visible[None, None, :, :]": "visible"},
    ),
    Fault(
        "mask_three_axes",
        costs=["mask_shape"],
        text=Text(
            en="Your mask has one axis in front of [t, t]; scores have two, batch and heads. Joined with a mask of [B, 1, 1, T] "
            "the single axis is taken for the heads. Count the new axes in the return of causal_mask.",
            zh="你的掩码在 [t, t] 前面只有一个轴，而分数有批次和头两个轴。与 [B, 1, 1, T] 的掩码合并时，这一个轴会被当成头。请数一数 causal_mask 返回时加了几个轴。",
        ),
        swap={"visible[None, None, :, :]": "visible[None, :, :]"},
    ),
    Fault(
        "mask_axes_at_the_end",
        costs=["mask_shape"],
        text=Text(
            en="The axes for batch and heads stand behind the table: your mask is [t, t, 1, 1]. Axes are matched from the end, so queries and keys of the mask would meet samples and heads. Look at where the new axes go in the return of causal_mask.",
            zh="批次与头的两个轴加在了表的后面：你的掩码是 [t, t, 1, 1]。广播是从末尾对齐的，于是掩码的 query 和 key 会对上样本和头。请看 causal_mask 返回时新轴加在了哪里。",
        ),
        swap={"visible[None, None, :, :]": "visible[:, :, None, None]", HIDDEN: f"{ALL}.triu(1)"},
    ),
    Fault(
        "mask_of_fixed_size",
        costs=["mask_shape", "lower_triangle"],
        text=Text(
            en="Your mask has the same size whatever t is. A language model meets texts of every length; with another length the "
            "mask no longer fits the scores. Look at where t is used in causal_mask.",
            zh="不论 t 是多少，你的掩码都一样大。语言模型会遇到各种长度的文本，换个长度，掩码就与分数对不上了。请看 causal_mask 里哪里用到了 t。",
        ),
        swap={"torch.ones(t, t, dtype": "torch.ones(8, 8, dtype"},
    ),
    # -- causal_mask: its table ------------------------------------------------------------------
    Fault(
        "mask_marks_hidden",
        costs=["lower_triangle", *LEAK, "past_visible"],
        text=Text(
            en="Your mask is True where a key is hidden. Here True means visible; the next one to use your mask would show each "
            "token nothing but its future. Look at which half of the table causal_mask marks.",
            zh="你的掩码在被遮住的位置是 True。这里约定 True 表示可见；别人照约定使用，每个 token 就只看得到未来。请看 causal_mask 标出的是哪一半。",
        ),
        swap={"return visible[": "return ~visible["},
    ),
    Fault(
        "mask_upper_triangle",
        costs=["lower_triangle", *LEAK, "past_visible"],
        text=Text(
            en="Your mask is the upper triangle: each query sees itself and what comes after it. Rows are queries, columns are keys, "
            "and the last row should see everything. Look at which triangle causal_mask keeps.",
            zh="你的掩码是上三角：每个 query 看到的是自己和后面的内容。行是 query，列是 key，最后一行才应当什么都看得到。请看 causal_mask 保留的是哪个三角。",
        ),
        swap={"torch.tril(": "torch.triu("},
    ),
    Fault(
        "mask_without_diagonal",
        costs=["lower_triangle", "past_visible"],
        text=Text(
            en="The diagonal of your mask is False: a token may not look at itself, and the first one at nothing at all. "
            "That row turns into NaN or zeros. Look at where the triangle in causal_mask begins.",
            zh="你的掩码对角线是 False：token 看不到自己，第一个 token 什么都看不到，那一行会变成 NaN 或全零。请看 causal_mask 的三角形从哪里开始。",
        ),
        swap={"device=device))": "device=device), diagonal=-1)"},
    ),
    Fault(
        "mask_one_too_many",
        costs=["lower_triangle", *LEAK],
        text=Text(
            en="Your mask shows each query one key of the future. That key is just the token a language model is to predict, so it "
            "learns to copy. Look at where the triangle in causal_mask ends.",
            zh="你的掩码让每个 query 多看到一个未来的 key。那正是语言模型要预测的下一个 token，它只会学着照抄。请看 causal_mask 的三角形到哪里为止。",
        ),
        swap={"device=device))": "device=device), diagonal=1)"},
    ),
    Fault(
        "mask_hides_nothing",
        costs=["mask_shape", "lower_triangle", *LEAK],
        text=Text(
            en="Your mask is True everywhere: nothing is hidden and each token can read what it should predict. "
            "Look at whether causal_mask cuts a triangle out of its table at all.",
            zh="你的掩码处处为 True：什么都没遮住，每个 token 都能读到自己该预测的内容。请看 causal_mask 究竟有没有从表里取出三角形。",
        ),
        swap={
            "torch.tril(torch.ones(t, t, dtype=torch.bool, device=device))": "torch.ones(t, t, dtype=torch.bool, device=device)"
        },
    ),
    # -- causal_attention: what is hidden --------------------------------------------------------
    Fault(
        "nothing_hidden",
        costs=LEAK,
        text=Text(
            en="Your attention with causal=True is the same as with causal=False: nothing is hidden. Either the mask is not used, or the "
            "filled scores are thrown away (masked_fill returns a new tensor). Look at what the softmax in causal_attention is given.",
            zh="causal=True 与 causal=False 的结果一样：什么都没遮住。要么没用掩码，要么填好的分数被丢掉了（masked_fill 返回的是新张量）。请看 causal_attention 里 softmax 拿到的是什么。",
        ),
        swap={"scores = scores.masked_fill": "scores.masked_fill"},
    ),
    Fault(
        "zero_fill",
        costs=LEAK,
        text=Text(
            en="Hidden keys get the score 0 (filled in, or multiplied by the mask), and exp(0) is 1: they keep a share of the attention, "
            "and the model reads the token it should predict. Look at what causal_attention writes into hidden scores.",
            zh="被遮住的 key 分数变成了 0（直接填 0，或者乘了掩码），而 exp(0) 等于 1：它们仍分到注意力，模型就读到了该预测的 token。请看 causal_attention 往被遮住的分数里写了什么。",
        ),
        swap={FILL: "scores.masked_fill(hidden, 0.0)"},
    ),
    Fault(
        "weak_fill",
        costs=LEAK,
        text=Text(
            en="Hidden keys get the score -10. That is small, not nothing: e to the -10 still lets the future through, and much of it "
            "where the visible scores are low themselves. Look at the number causal_attention fills in.",
            zh="被遮住的 key 分数填成了 -10。它小，但不是没有：e 的 -10 次方仍会漏出未来；可见的分数本身很低时，漏得更多。请看 causal_attention 填进去的数。",
        ),
        swap={FILL: "scores.masked_fill(hidden, -10.0)"},
    ),
    Fault(
        "plus_infinity",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="Hidden keys get the score plus infinity, so they would win all the attention; the softmax of infinity is NaN. "
            "Every row but the last is lost. Look at the sign of what causal_attention fills in.",
            zh="被遮住的 key 分数填成了正无穷，注意力全归它们，而对正无穷做 softmax 得到 NaN：除最后一行外都毁了。请看 causal_attention 填入值的正负号。",
        ),
        swap={FILL: "scores.masked_fill(hidden, math.inf)"},
    ),
    Fault(
        "zero_times_infinity",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="Your mask is multiplied by minus infinity and added. Where it is 0 that is 0 times infinity, NaN: so just the visible "
            "scores are spoiled, and every row with them. Look at how causal_attention makes the numbers it adds.",
            zh="你把掩码乘以负无穷再加到分数上。掩码为 0 的地方是 0 乘无穷，得 NaN：恰好毁掉可见的分数，于是每一行都是 NaN。请看 causal_attention 里要加的数是怎么得到的。",
        ),
        swap={FILL: "scores + hidden.to(scores.dtype) * -math.inf"},
    ),
    Fault(
        "mask_added",
        costs=LEAK,
        text=Text(
            en="Your mask is added to the scores as the numbers 0 and 1: visible keys gain a factor of e, hidden ones stay. "
            "The future is still read. Look at how the mask meets the scores in causal_attention.",
            zh="你把掩码当作 0 和 1 加到了分数上：可见的 key 只是多了 e 倍，被遮的照样在，未来仍读得到。请看 causal_attention 里掩码是怎样作用到分数上的。",
        ),
        swap={FILL: "scores + ~hidden"},
    ),
    Fault(
        "visible_part_filled",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="causal_attention fills the visible places and leaves the hidden ones: each query sees its future only, and the last one, "
            "for which there is none, nothing (NaN). Look at the condition of the fill.",
            zh="causal_attention 填掉的是可见的位置，留下的是该遮住的：每个 query 只看到未来，最后一个没有未来，得到 NaN。请看填充的条件。",
        ),
        swap={"torch.logical_not(causal_mask": "(causal_mask"},
    ),
    Fault(
        "one_future_key",
        costs=LEAK,
        text=Text(
            en="Your attention lets each query see one key of the future: the very token to be predicted. The training loss falls as if by "
            "magic, and the model cannot write. Look at the diagonal at which causal_attention begins to hide.",
            zh="你的注意力让每个 query 多看了一个未来的 key，正是它要预测的 token。训练损失会神奇地下降，模型却不会写。请看 causal_attention 从哪条对角线开始遮。",
        ),
        swap={HIDDEN: f"{ALL}.triu(2)"},
    ),
    Fault(
        "upper_triangle_seen",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="Your attention hides the past and shows the future: the lower triangle is filled instead of the upper one. "
            "Rows are queries, columns are keys. Look at the triangle causal_attention hides.",
            zh="你的注意力遮住了过去，露出了未来：填的是下三角，而不是上三角。行是 query，列是 key。请看 causal_attention 遮的是哪个三角。",
        ),
        swap={HIDDEN: f"{ALL}.tril(-1)"},
    ),
    Fault(
        "diagonal_hidden",
        costs=["past_visible", "rows_sum_to_one", "gradients"],
        text=Text(
            en="Your attention hides each token from itself too. The first one then sees nothing: its row is NaN, which spreads through "
            "every gradient. Look at the diagonal at which causal_attention begins to hide.",
            zh="你的注意力把 token 自己也遮住了。第一个 token 就什么都看不到：那一行是 NaN，还会传进所有梯度。请看 causal_attention 从哪条对角线开始遮。",
        ),
        swap={HIDDEN: f"{ALL}.triu()"},
    ),
    Fault(
        "visible_part_filled_finitely",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="causal_attention writes a hugely negative number into the visible places and leaves the hidden ones: each query sees its "
            "future, and the last one, with nothing left, all tokens alike. Look at the condition of the fill.",
            zh="causal_attention 把极大的负数填进了可见的位置，该遮的反而留着：每个 query 看到的是未来；最后一个什么都不剩，就平均看所有 token。请看填充的条件。",
        ),
        swap={HIDDEN: "causal_mask(q.shape[-2], q.device)", FILL: "scores.masked_fill(hidden, -1e9)"},
    ),
    Fault(
        "diagonal_hidden_finitely",
        costs=[*LEAK, "past_visible"],
        text=Text(
            en="Your attention hides each token from itself too. The first one then has only equally bad keys and spreads its "
            "attention evenly over all of them, the future included. Look at the diagonal at which causal_attention begins to hide.",
            zh="你的注意力把 token 自己也遮住了。第一个 token 面前的 key 全都一样差，于是平均看所有 token，连未来也看。请看 causal_attention 从哪条对角线开始遮。",
        ),
        swap={HIDDEN: f"{ALL}.triu()", FILL: "scores.masked_fill(hidden, -1e9)"},
    ),
    Fault(
        "diagonal_hidden_and_zeroed",
        costs=["past_visible", "rows_sum_to_one"],
        text=Text(
            en="Your attention hides each token from itself too, and the first row, which then sees nothing, is set to 0. Wiping out the NaN "
            "hides the sign of the mistake: that row should be 1 on itself. Look at the diagonal at which causal_attention begins to hide.",
            zh="你的注意力把 token 自己也遮住了，第一行因此什么都看不到，又被置成了 0。抹掉 NaN 只是盖住了症状：这一行本该全部看自己。请看 causal_attention 从哪条对角线开始遮。",
        ),
        swap={HIDDEN: f"{ALL}.triu()", SOFTMAX: "torch.softmax(scores, dim=-1).nan_to_num(0.0)"},
    ),
    Fault(
        "first_head_only",
        costs=LEAK,
        text=Text(
            en="Only the first head is masked; all others look into the future. One leaking head is enough for a model to copy its "
            "answers. Look at the part of the scores causal_attention fills.",
            zh="只有第一个头用了掩码，其余的头都看得到未来。只要有一个头泄漏，模型就能照抄答案。请看 causal_attention 填的是分数的哪一部分。",
        ),
        swap={FILL: "torch.cat([scores[:, :1].masked_fill(hidden, -math.inf), scores[:, 1:]], dim=1)"},
    ),
    Fault(
        "first_sample_only",
        costs=LEAK,
        text=Text(
            en="Only the first sample of the batch is masked; the texts behind it are read to their ends. A trial with one sample does not "
            "show it. Look at the part of the scores causal_attention fills.",
            zh="只有批次里的第一个样本用了掩码，后面的文本都能一直看到结尾。只拿一个样本试是看不出来的。请看 causal_attention 填的是分数的哪一部分。",
        ),
        swap={FILL: "torch.cat([scores[:1].masked_fill(hidden, -math.inf), scores[1:]])"},
    ),
    Fault(
        "last_token_only",
        costs=LEAK,
        text=Text(
            en="Only the last token is hidden from those before it; all others can still be read ahead of time. Every position is a "
            "prediction of its own, so every one needs its own limit. Look at the table causal_attention hides.",
            zh="只有最后一个 token 对前面是遮住的，其余的仍能被提前看到。每个位置都要做一次预测，所以每个位置都要有自己的界线。请看 causal_attention 遮住的那张表。",
        ),
        swap={HIDDEN: f"{HIDDEN} & (torch.arange(q.shape[-2], device=q.device) == q.shape[-2] - 1)"},
    ),
    Fault(
        "mask_after_softmax",
        costs=["rows_sum_to_one", "future_invariance"],
        text=Text(
            en="The mask strikes out weights after the softmax: rows no longer sum to 1, and later keys have already had their say in "
            "what was divided by. Look at the order of mask and softmax in causal_attention.",
            zh="掩码是在 softmax 之后才把权重划掉的：每行之和不再是 1，而且后面的 key 已经参与了归一化。请看 causal_attention 里掩码与 softmax 的先后。",
        ),
        swap={
            f"scores = {FILL}": "visible = ~hidden",
            AVERAGE: f"weights = weights * visible if causal else weights\n    {AVERAGE}",
        },
    ),
    Fault(
        "window_only",
        costs=["past_visible"],
        text=Text(
            en="Your attention forgets: a token sees only the last few tokens, not everything before it. The contract hides the future and nothing else. Look for a second limit beside the triangle in causal_attention.",
            zh="你的注意力会“忘事”：一个 token 只看得到最近的几个，而不是前面的全部。约定只遮未来，别的都不遮。请看 causal_attention 里三角形之外还有没有第二条界线。",
        ),
        swap={HIDDEN: f"{HIDDEN} | {ALL}.tril(-3)"},
    ),
    Fault(
        "values_centred",
        costs=["future_invariance", "weights_shape"],
        text=Text(
            en="Your weights are right, but the mean of all values, later ones among them, is taken off before the average. So "
            "the future comes in by the back door. Look for anything in causal_attention that runs over all tokens outside the mask.",
            zh="你的权重没错，但加权之前减去了所有 value（包括后面的）的均值，未来就从后门进来了。请找一找 causal_attention 里有什么绕过掩码、遍及所有 token 的计算。",
        ),
        swap={AVERAGE: "values = weights @ (v - v.mean(dim=-2, keepdim=True))"},
    ),
    # -- causal_attention: the switch ------------------------------------------------------------
    Fault(
        "always_causal",
        costs=["contrast"],
        text=Text(
            en="The future stays hidden with causal=False as well. A leak test that never sees a leak proves nothing, and an encoder needs "
            "both directions. Look at where causal_attention asks for causal.",
            zh="causal=False 时未来也被遮住了。永远看不到泄漏的测试证明不了什么，而且编码器需要双向注意力。请看 causal_attention 哪里用到了 causal。",
        ),
        swap={"if causal:": "if True:"},
    ),
    Fault(
        "switch_inverted",
        costs=[*LEAK, "contrast"],
        text=Text(
            en="The switch works the wrong way round: causal=True shows the future, causal=False hides it. "
            "Look at the condition on causal in causal_attention.",
            zh="开关反了：causal=True 时看得到未来，causal=False 时反而遮住。请看 causal_attention 里对 causal 的判断。",
        ),
        swap={"if causal:": "if not causal:"},
    ),
    Fault(
        "scaled_only_when_causal",
        costs=["contrast"],
        text=Text(
            en="Scores are scaled only with causal=True. Then the two ways differ by more than the mask, and comparing them says "
            "nothing about it. Look at which lines of causal_attention depend on causal.",
            zh="只有 causal=True 时才缩放分数。这样两种情形的差别就不只是掩码，拿来比较也说明不了掩码的作用。请看 causal_attention 里哪些行取决于 causal。",
        ),
        swap={
            "scores = products / math.sqrt(q.shape[-1])": "scores = products / (math.sqrt(q.shape[-1]) if causal else 1)"
        },
    ),
    # -- causal_attention: the softmax -----------------------------------------------------------
    Fault(
        "softmax_over_queries",
        costs=["rows_sum_to_one"],
        text=Text(
            en="Your softmax runs over the queries: columns sum to 1, rows do not. Each query has to share out its own attention. "
            "Look at the axis of the softmax in causal_attention.",
            zh="你的 softmax 沿 query 轴归一化：每列和为 1，每行却不是。每个 query 应当分配自己的注意力。请看 causal_attention 里 softmax 的轴。",
        ),
        swap={SOFTMAX: "torch.softmax(scores, dim=-2)"},
    ),
    Fault(
        "softmax_over_heads",
        costs=["rows_sum_to_one", *LEAK, "past_visible"],
        text=Text(
            en="Your softmax runs over the heads: they compete with one another instead of each choosing among the keys. An axis counted "
            "from the front is another one once there are heads. Look at the softmax in causal_attention.",
            zh="你的 softmax 沿头的轴归一化：各个头互相争夺，而不是各自在 key 之间分配。从前往后数的轴号，多了头这个轴就指错了。请看 causal_attention 里的 softmax。",
        ),
        swap={SOFTMAX: "torch.softmax(scores, dim=1)"},
    ),
    Fault(
        "softmax_over_heads_filled_finitely",
        costs=["rows_sum_to_one", *LEAK],
        text=Text(
            en="Your softmax runs over the heads, and where all of them are filled with the same number each gets an equal share: the future is seen, and rows sum to anything. Look at the axis of the softmax in causal_attention, counted from the end.",
            zh="你的 softmax 沿头的轴归一化；所有头都填成同一个数的地方，每个头分到一样多：未来被看到了，每行之和也不定。请看 causal_attention 里 softmax 的轴，要从末尾数起。",
        ),
        swap={FILL: "scores.masked_fill(hidden, -1e9)", SOFTMAX: "torch.softmax(scores, dim=1)"},
    ),
    Fault(
        "softmax_over_everything",
        costs=["rows_sum_to_one", "future_invariance"],
        text=Text(
            en="All queries of a head share a single softmax: the whole table sums to 1, so each row gets only a part of it and "
            "later tokens change earlier rows. Look at what the softmax in causal_attention runs over.",
            zh="一个头的所有 query 共用了一个 softmax：整张表的和是 1，每行只分到一部分。请看 causal_attention 里的 softmax 在哪些数之间归一化。",
        ),
        swap={SOFTMAX: "torch.softmax(scores.flatten(-2), dim=-1).reshape(scores.shape)"},
    ),
    Fault(
        "sigmoid",
        costs=["rows_sum_to_one"],
        text=Text(
            en="Your weights are a sigmoid of each score by itself: keys do not compete, and rows sum to more or less than 1 as it happens. "
            "Look at what turns scores into weights in causal_attention.",
            zh="你的权重是对每个分数单独做 sigmoid：key 之间没有竞争，每行之和忽大忽小。请看 causal_attention 里分数是怎样变成权重的。",
        ),
        swap={SOFTMAX: "torch.sigmoid(scores)"},
    ),
    Fault(
        "exp_not_divided",
        costs=["rows_sum_to_one"],
        text=Text(
            en="Your weights are exp(score) that nobody divided by their sum: the values grow with the number of tokens. "
            "Look at the last step of the softmax in causal_attention.",
            zh="你的权重是 exp(分数)，却没有除以总和：token 越多，values 越大。请看 causal_attention 里 softmax 的最后一步。",
        ),
        swap={SOFTMAX: "torch.exp(scores)"},
    ),
    Fault(
        "scaled_after_softmax",
        costs=["rows_sum_to_one"],
        text=Text(
            en="You divide by the root of D after the softmax: every row sums to 1 over that root. Scaling is there to keep the scores "
            "moderate, so its place is before. Look at where causal_attention divides.",
            zh="你在 softmax 之后才除以 D 的平方根：每行之和变成它的倒数。缩放是为了让分数适中，所以要放在前面。请看 causal_attention 里除法的位置。",
        ),
        swap={
            "scores = products / math.sqrt(q.shape[-1])": "scores = products",
            AVERAGE: f"weights = weights / math.sqrt(q.shape[-1])\n    {AVERAGE}",
        },
    ),
    Fault(
        "scores_returned",
        costs=["rows_sum_to_one"],
        text=Text(
            en="Your second result are the masked scores, with minus infinity in them, not the weights made of them. "
            "A picture of them says little about who looks where. Look at what causal_attention returns.",
            zh="你返回的第二项是遮过的分数（里面有负无穷），而不是由它得到的权重，看不出谁在看谁。请看 causal_attention 的返回值。",
        ),
        swap={RETURN: "return values, scores"},
    ),
    # -- causal_attention: its two results -------------------------------------------------------
    Fault(
        "results_exchanged",
        costs=["weights_shape"],
        text=Text(
            en="Your results come in the order (weights, values). Whoever unpacks them goes on with a table of weights as if it were "
            "the tokens. Look at the last line of causal_attention.",
            zh="你返回的顺序是 (weights, values)。调用者拆开之后，会把权重表当成 token 继续算。请看 causal_attention 的最后一行。",
        ),
        swap={RETURN: "return weights, values"},
    ),
    Fault(
        "only_values",
        costs=["weights_shape"],
        text=Text(
            en="Only the values come back. Without the weights nobody can look at where your model looks, or test that it does not look "
            "ahead. Look at the last line of causal_attention.",
            zh="只返回了 values。没有权重，就看不到模型在看哪里，也没法检查它有没有偷看后面。请看 causal_attention 的最后一行。",
        ),
        swap={RETURN: "return values"},
    ),
    Fault(
        "list_returned",
        costs=["weights_shape"],
        text=Text(
            en="Your two results come in a list; asked for is a tuple, the form of several results in Python and what the modules that "
            "follow rely on. Look at the brackets in the last line of causal_attention.",
            zh="两个结果装在了列表里；要求的是元组，这是 Python 返回多个结果的通行形式，后面的模块也依赖它。请看 causal_attention 最后一行的括号。",
        ),
        swap={RETURN: "return [values, weights]"},
    ),
    Fault(
        "heads_and_tokens_exchanged",
        costs=["weights_shape"],
        text=Text(
            en="Your values come as [B, T, H, D]: heads and tokens have changed places. That is a step of joining the heads, which whoever "
            "calls this function does later; done twice, it mixes tokens up. Look at the axes of the first result of causal_attention.",
            zh="你的 values 形状是 [B, T, H, D]：头轴和 token 轴换了位置。那是合并多个头时的一步，由调用这个函数的人后面去做；做两次就会把 token 弄乱。请看 causal_attention 第一个返回值的轴。",
        ),
        swap={AVERAGE: "values = (weights @ v).transpose(1, 2)"},
    ),
    Fault(
        "heads_joined",
        costs=["weights_shape"],
        text=Text(
            en="Your values come as [B, T, H*D]: the heads are joined already. This function works on single heads; whoever calls it joins them, "
            "after what is still to be done to each. Look at the last reshape in causal_attention.",
            zh="你的 values 形状是 [B, T, H*D]：各个头已经拼接好了。这个函数处理的是单个头；拼接由调用它的人在后面去做。请看 causal_attention 里最后一次 reshape。",
        ),
        swap={AVERAGE: "values = (weights @ v).transpose(1, 2).flatten(2)"},
    ),
    Fault(
        "weights_averaged",
        costs=["weights_shape"],
        text=Text(
            en="Your weights come back averaged over the heads. Each head looks elsewhere; a leak in one of them drowns in the mean. "
            "Look at the second result of causal_attention.",
            zh="返回的权重已经对各个头取了平均。每个头看的地方不同，某个头的泄漏会被平均掩盖。请看 causal_attention 的第二个返回值。",
        ),
        swap={RETURN: "return values, weights.mean(dim=1)"},
    ),
    Fault(
        "results_float32",
        costs=["weights_shape"],
        text=Text(
            en="Your results are float32 whatever came in. The next product with a tensor of the input's dtype fails, or precision is lost "
            "without a word. Look for a cast in causal_attention and at where it is undone.",
            zh="不论输入是什么类型，你的结果都是 float32。下一步与输入同类型的张量相乘就会报错，或者悄悄丢掉精度。请看 causal_attention 里在哪里转了类型，又有没有转回来。",
        ),
        swap={PRODUCTS: f"q, k, v = q.float(), k.float(), v.float()\n    {PRODUCTS}"},
    ),
    Fault(
        "keys_for_values",
        costs=["weights_shape"],
        text=Text(
            en="Your values are an average of the keys; v is never used. Keys say where a token can be found, values what it has to "
            "say. Look at what the weights are multiplied with in causal_attention.",
            zh="你的 values 是对 key 的加权平均，v 根本没有用上。key 决定一个 token 怎样被找到，value 才是它要传递的内容。请看 causal_attention 里权重乘的是谁。",
        ),
        swap={AVERAGE: "values = weights @ k"},
    ),
    Fault(
        "queries_for_values",
        costs=["weights_shape", "past_visible"],
        text=Text(
            en="Your values are an average of the queries; v is never used. What a token is looking for is not what it has to say. "
            "Look at what the weights are multiplied with in causal_attention.",
            zh="你的 values 是对 query 的加权平均，v 根本没有用上。一个 token 在找什么，并不等于它要说什么。请看 causal_attention 里权重乘的是谁。",
        ),
        swap={AVERAGE: "values = weights @ q"},
    ),
    Fault(
        "values_added_again",
        costs=["weights_shape"],
        text=Text(
            en="Each token's own v is added to its average. Such a shortcut belongs around the attention, where a block adds its input; here "
            "the weights you return no longer tell what was mixed. Look at how causal_attention makes its values.",
            zh="每个 token 的加权平均又加上了它自己的 v。残差连接属于注意力外面的那一层；放在这里，返回的权重就说明不了混合了什么。请看 causal_attention 怎样得到 values。",
        ),
        swap={AVERAGE: "values = weights @ v + v"},
    ),
    Fault(
        "weights_transposed",
        costs=["weights_shape", *LEAK, "past_visible"],
        text=Text(
            en="The values are averaged with the transposed weights: each token collects what later ones gave to it, which "
            "turns the mask round. Look at the product of weights and v in causal_attention.",
            zh="加权时用了转置后的权重：每个 token 收集的是后面的 token 分给它的份额，掩码等于反了过来。请看 causal_attention 里 weights 与 v 的乘积。",
        ),
        swap={AVERAGE: "values = weights.transpose(-2, -1) @ v"},
    ),
    # -- causal_attention: gradients and side effects --------------------------------------------
    Fault(
        "no_gradient",
        costs=["gradients"],
        text=Text(
            en="Your results are cut off from the inputs (detach, .data, no_grad, NumPy): nothing before the attention would ever learn. "
            "Look for such a step in causal_attention.",
            zh="你的结果与输入断开了（detach、.data、no_grad 或 NumPy）：注意力之前的部分永远学不到东西。请在 causal_attention 里找这样的一步。",
        ),
        swap={RETURN: "return values.detach(), weights.detach()"},
    ),
    Fault(
        "scores_cut_off",
        costs=["gradients"],
        text=Text(
            en="The gradient reaches v, but not q and k: the way through the weights is cut. So the model never learns where to look. "
            "Look for a detach between the scores and the values in causal_attention.",
            zh="梯度能到 v，却到不了 q 和 k：经过权重的那条路断了，模型永远学不会该看哪里。请看 causal_attention 从分数到 values 之间有没有 detach。",
        ),
        swap={PRODUCTS: "products = q.detach() @ k.detach().transpose(-2, -1)"},
    ),
    Fault(
        "queries_scaled_in_place",
        costs=["gradients"],
        text=Text(
            en="Your function divides the q it was handed in place: afterwards the caller's q is smaller, and a second call gives another "
            "result. Look for /=, *= and methods ending in an underscore in causal_attention.",
            zh="你的函数直接就地修改了传入的 q：调用之后，外面的 q 变小了，再调用一次结果就不同。请看 causal_attention 里的 /=、*= 和以下划线结尾的方法。",
        ),
        swap={
            PRODUCTS: f"q /= math.sqrt(q.shape[-1])\n    {PRODUCTS}",
            "scores = products / math.sqrt(q.shape[-1])": "scores = products",
        },
    ),
]
