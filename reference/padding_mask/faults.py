# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of the padding mask: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

BEFORE = "position[None, :] < lengths[:, None]"
KEY = "valid[:, None, None, :]"
QUERY = "valid[:, None, :, None]"
BOTH = "padding_query_mask(valid) & padding_key_mask(valid)"
JOINED = "visible & past"
NONE = "if padding_mask is None:"
ALLOWED = "allowed = combined_mask(padding_mask, causal)"
PRODUCTS = "products = q @ k.transpose(-2, -1)"
SCORES = "scores = products / math.sqrt(q.shape[-1])"
FILL = "scores.masked_fill(~allowed, -math.inf)"
SOFTMAX = "torch.softmax(shown, dim=-1)"
ZEROED = "weights.masked_fill(~allowed, 0.0)"
AVERAGE = "values = weights @ v"
RETURN = "return values, weights"

# masked_attention in two steps, as many write it: fill the future, fill the keys of padding; then the rows of padding
FUTURE = "~combined_mask(torch.ones_like(padding_mask), causal)"
PAST_ONLY = f"scores.masked_fill({FUTURE}, -math.inf)"
KEYS = "padding_key_mask(padding_mask)"
ROWS = "weights.masked_fill(~padding_query_mask(padding_mask), 0.0)"
LOW = "torch.finfo(scores.dtype).min"
KEYS_FILLED = f"scores.masked_fill({FUTURE}, {LOW}).masked_fill(~{KEYS}, {LOW})"

FAULTS = [
    # -- valid_tokens ----------------------------------------------------------------------------
    Fault(
        "lengths_one_too_many",
        costs=["valid_tokens"],
        text=Text(
            en="Your mask is True at one position too many: positions count from 0, so the last real token stands at length - 1. "
            "The first padding token would be read as text. Look at the comparison in valid_tokens.",
            zh="你的掩码多出一个 True：位置从 0 数起，最后一个真实 token 在“长度减 1”处。第一个填充 token 会被当成正文。请看 valid_tokens 里的比较。",
        ),
        swap={BEFORE: "position[None, :] <= lengths[:, None]"},
    ),
    Fault(
        "lengths_one_too_few",
        costs=["valid_tokens"],
        text=Text(
            en="Your mask is True at one position too few: the last real token, at position length - 1, is taken for padding. Look at the comparison in valid_tokens.",
            zh="你的掩码少了一个 True：最后一个真实 token（位置“长度减 1”）被当成了填充。请看 valid_tokens 里的比较。",
        ),
        swap={BEFORE: "position[None, :] < lengths[:, None] - 1"},
    ),
    Fault(
        "valid_inverted",
        costs=["valid_tokens"],
        text=Text(
            en="valid_tokens marks the padding. True means a real token here; the wrong way round, a model would read nothing but filling. "
            "Look at the comparison in valid_tokens.",
            zh="valid_tokens 标出的是填充。这里 True 表示真实 token；反过来，模型读到的就全是填充。请看 valid_tokens 里的比较。",
        ),
        swap={BEFORE: "position[None, :] >= lengths[:, None]"},
    ),
    Fault(
        "real_tokens_at_the_end",
        costs=["valid_tokens"],
        text=Text(
            en="valid_tokens puts the real tokens at the end of each row. With lengths alone, text comes first and padding fills up "
            "behind it. Look at which end of the row valid_tokens counts from.",
            zh="valid_tokens 把真实 token 放在了每行的末尾。只给长度时，正文在前，填充补在后面。请看 valid_tokens 是从哪一头数起的。",
        ),
        swap={BEFORE: "position[None, :] >= t - lengths[:, None]"},
    ),
    Fault(
        "valid_transposed",
        costs=["valid_tokens"],
        text=Text(
            en="Your mask is [t, B]: samples lie along the columns. Everything else has the batch first, so a sample would get another one's "
            "padding. Look at which of the two gets the new axis in valid_tokens.",
            zh="你的掩码是 [t, B]：样本成了列。其他地方都是批次在前，这样一个样本会用上别人的填充。请看 valid_tokens 里新轴加在了谁身上。",
        ),
        swap={BEFORE: "position[:, None] < lengths[None, :]"},
    ),
    Fault(
        "valid_numbers",
        costs=["valid_tokens"],
        text=Text(
            en="valid_tokens returns the integers 0 and 1. On integers ~ gives -1 and -2, which both count as true, so a mask "
            "negated later hides everything or nothing. Look at the dtype valid_tokens returns.",
            zh="valid_tokens 返回的是整数 0 和 1。对整数取 ~ 得到 -1 和 -2，两个都算“真”，之后一取反，掩码就全遮或全不遮。请看 valid_tokens 返回值的 dtype。",
        ),
        swap={BEFORE: "(position[None, :] < lengths[:, None]).long()"},
    ),
    Fault(
        "width_of_the_longest",
        costs=["valid_tokens"],
        text=Text(
            en="Your mask is as wide as the longest sample, not t. Where a batch is padded further than that, it no longer fits the "
            "scores. Look at where t is used in valid_tokens.",
            zh="你的掩码宽度是最长样本的长度，而不是 t。批次若填充得更长，掩码就与分数对不上。请看 valid_tokens 里哪里用到了 t。",
        ),
        swap={"torch.arange(t, device": "torch.arange(int(lengths.max()), device"},
    ),
    # -- padding_key_mask, padding_query_mask ----------------------------------------------------
    Fault(
        "key_mask_on_queries",
        costs=["key_mask"],
        text=Text(
            en="Your key mask lies along the queries: it says who looks, not who is looked at. Real tokens would go on reading "
            "padding. Look at which axis of [B, 1, 1, T] padding_key_mask leaves long.",
            zh="你的 key 掩码放在了 query 轴上：它说的是谁在看，而不是谁被看。真实 token 仍会读到填充。请看 padding_key_mask 让哪个轴保持长度。",
        ),
        swap={KEY: "valid[:, None, :, None]"},
    ),
    Fault(
        "key_mask_three_axes",
        costs=["key_mask"],
        text=Text(
            en="Your key mask is [B, 1, T]. Beside scores with four axes, your batch axis meets the heads, and samples get one another's "
            "padding. Count the new axes in padding_key_mask.",
            zh="你的 key 掩码是 [B, 1, T]。遇到四个轴的分数，批次轴会对上头，样本就用错了别人的填充。请数一数 padding_key_mask 加了几个轴。",
        ),
        swap={KEY: "valid[:, None, :]"},
    ),
    Fault(
        "key_mask_inverted",
        costs=["key_mask"],
        text=Text(
            en="Your key mask is True for padding. True means visible everywhere in this course: padding would be all there is to "
            "see. Look for a negation in padding_key_mask.",
            zh="你的 key 掩码在填充处是 True。本课程里 True 一律表示可见：这样能看的就只剩填充了。请看 padding_key_mask 里有没有取反。",
        ),
        swap={KEY: "~valid[:, None, None, :]"},
    ),
    Fault(
        "query_mask_on_keys",
        costs=["query_mask"],
        text=Text(
            en="Your query mask lies along the keys: it says who is looked at, not who looks. The rows of padding would not be "
            "emptied. Look at which axis of [B, 1, T, 1] padding_query_mask leaves long.",
            zh="你的 query 掩码放在了 key 轴上：它说的是谁被看，而不是谁在看。填充的那些行不会被清空。请看 padding_query_mask 让哪个轴保持长度。",
        ),
        swap={QUERY: "valid[:, None, None, :].clone()"},
    ),
    Fault(
        "query_mask_three_axes",
        costs=["query_mask"],
        text=Text(
            en="Your query mask is [B, T, 1]. Beside scores with four axes, your batch axis meets the heads. "
            "Count the new axes in padding_query_mask.",
            zh="你的 query 掩码是 [B, T, 1]。遇到四个轴的分数，批次轴会对上头。请数一数 padding_query_mask 加了几个轴。",
        ),
        swap={QUERY: "valid[:, :, None]"},
    ),
    Fault(
        "query_mask_inverted",
        costs=["query_mask"],
        text=Text(
            en="Your query mask is True for padding: just the rows that should stay empty would look around, and real tokens would not. "
            "Look for a negation in padding_query_mask.",
            zh="你的 query 掩码在填充处是 True：该空着的行在看，真实 token 反而看不到。请看 padding_query_mask 里有没有取反。",
        ),
        swap={QUERY: "~valid[:, None, :, None]"},
    ),
    # -- combined_mask ---------------------------------------------------------------------------
    Fault(
        "combined_either",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask asks for a real query OR a real key. Both have to be real, or padding is read after all. "
            "Look at how combined_mask joins its two parts.",
            zh="你的合并掩码只要求 query 或 key 之一是真实 token。两者都必须是，否则填充照样被读到。请看 combined_mask 怎样把两部分合在一起。",
        ),
        swap={BOTH: "padding_query_mask(valid) | padding_key_mask(valid)"},
    ),
    Fault(
        "combined_keys_only",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask leaves out the query side: rows of padding still look at real tokens and carry numbers on. "
            "Look at what combined_mask starts from.",
            zh="你的合并掩码漏了 query 这一边：填充的行仍在看真实 token，把数带了下去。请看 combined_mask 从什么开始合并。",
        ),
        swap={BOTH: "(padding_key_mask(valid) & torch.ones_like(padding_query_mask(valid)))"},
    ),
    Fault(
        "combined_queries_only",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask leaves out the key side: real tokens go on reading padding. Look at what combined_mask starts from.",
            zh="你的合并掩码漏了 key 这一边：真实 token 仍会读到填充。请看 combined_mask 从什么开始合并。",
        ),
        swap={BOTH: "(padding_query_mask(valid) & torch.ones_like(padding_key_mask(valid)))"},
    ),
    Fault(
        "combined_without_causal",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask is the same with causal=True and False: the future stays visible, and a language model copies what it "
            "should predict. Look at where combined_mask uses causal.",
            zh="causal=True 与 False 时你的合并掩码一样：未来始终可见，语言模型只会照抄该预测的内容。请看 combined_mask 哪里用到了 causal。",
        ),
        swap={"        visible = visible & past": "        visible = visible | (visible & past)"},
    ),
    Fault(
        "combined_always_causal",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask hides the future with causal=False, too. An encoder looks both ways. "
            "Look at the condition on causal in combined_mask.",
            zh="causal=False 时你的合并掩码也遮住了未来。编码器是要双向看的。请看 combined_mask 里对 causal 的判断。",
        ),
        swap={"    if causal:\n        past": "    if True:\n        past"},
    ),
    Fault(
        "combined_future_instead_of_past",
        costs=["combined_mask"],
        text=Text(
            en="The triangle of your combined mask is the upper one: each query sees itself and what comes after it. "
            "Rows are queries, columns are keys. Look at the triangle in combined_mask.",
            zh="你的合并掩码用的是上三角：每个 query 看到的是自己和后面。行是 query，列是 key。请看 combined_mask 里的三角形。",
        ),
        swap={".tril()": ".triu()"},
    ),
    Fault(
        "combined_without_diagonal",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask hides each token from itself; the first real one then sees nothing and its row is empty. "
            "Look at where the triangle in combined_mask begins.",
            zh="你的合并掩码让 token 看不到自己；第一个真实 token 于是什么都看不到，整行都空了。请看 combined_mask 的三角形从哪里开始。",
        ),
        swap={".tril()": ".tril(-1)"},
    ),
    Fault(
        "combined_switch_inverted",
        costs=["combined_mask"],
        text=Text(
            en="The switch of combined_mask works the wrong way round: causal=True shows the future, causal=False hides it. Look at the condition on causal in combined_mask.",
            zh="combined_mask 的开关反了：causal=True 时看得到未来，causal=False 时反而遮住。请看 combined_mask 里对 causal 的判断。",
        ),
        swap={"    if causal:\n        past": "    if not causal:\n        past"},
    ),
    Fault(
        "combined_one_future_key",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask shows one key of the future: the very token that is to be predicted. "
            "Look at where the triangle in combined_mask ends.",
            zh="你的合并掩码多放出一个未来的 key，正是要预测的那个 token。请看 combined_mask 的三角形到哪里为止。",
        ),
        swap={".tril()": ".tril(1)"},
    ),
    Fault(
        "combined_padding_or_past",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask shows what EITHER mask shows: padding in the past, real tokens in the future. Each mask takes something "
            "away; what is left must pass both. Look at how combined_mask adds the causal part.",
            zh="你的合并掩码只要有一张掩码放行就放行：过去的填充、未来的真实 token 都看得到。每张掩码都在做减法，两张都放行的才留下。请看 combined_mask 怎样加入因果部分。",
        ),
        swap={"        visible = visible & past": "        visible = visible | past"},
    ),
    Fault(
        "combined_three_axes",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask is [B, T, T], without an axis for the heads; beside the scores its samples are taken for heads. "
            "Look at the shape combined_mask returns.",
            zh="你的合并掩码是 [B, T, T]，缺了头的轴；与分数放在一起时，样本会被当成头。请看 combined_mask 返回的形状。",
        ),
        swap={"    return visible\n": "    return visible[:, 0]\n"},
    ),
    Fault(
        "combined_of_first_sample",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask is the first sample's for all of them. Sentences of a batch differ in length; the others would read their own "
            "padding. Look at what combined_mask does with the batch axis.",
            zh="你的合并掩码让所有样本都用第一个样本的。一个批次里句子长短不一，其余样本会读到自己的填充。请看 combined_mask 怎样处理批次轴。",
        ),
        swap={"    return visible\n": "    return visible[:1]\n"},
    ),
    Fault(
        "combined_inverted",
        costs=["combined_mask"],
        text=Text(
            en="Your combined mask is True where something is hidden. True means visible; whoever uses it would see just what is "
            "forbidden. Look at the last line of combined_mask.",
            zh="你的合并掩码在该遮住的地方是 True。True 表示可见；别人用它，看到的恰好是不许看的。请看 combined_mask 的最后一行。",
        ),
        swap={"    return visible\n": "    return ~visible\n"},
    ),
    # -- masked_attention: padding that is seen --------------------------------------------------
    Fault(
        "padding_seen",
        costs=["padding_unseen"],
        text=Text(
            en="Keys of padding are never hidden: no mask on them, one on the query axis only, or a filled copy that is thrown away. "
            "What a real token gets then hangs on how long its neighbours in the batch are. Look at what masked_attention fills.",
            zh="填充的 key 没有被遮住：没用掩码、只遮了 query 轴，或者填好的副本被丢掉了。这样，一个真实 token 得到什么，竟取决于同批句子有多长。请看 masked_attention 填充的是什么。",
        ),
        swap={FILL: PAST_ONLY, ZEROED: ROWS},
    ),
    Fault(
        "padding_zero_fill",
        costs=["padding_unseen"],
        text=Text(
            en="Keys of padding get the score 0, and exp(0) is 1: they keep a share of the attention, the more of it the more padding there is. "
            "Look at the number masked_attention fills in.",
            zh="填充 key 的分数填成了 0，而 exp(0) 等于 1：它们仍分到注意力，填充越多分得越多。请看 masked_attention 填进去的数。",
        ),
        swap={FILL: f"{PAST_ONLY}.masked_fill(~{KEYS}, 0.0)", ZEROED: ROWS},
    ),
    Fault(
        "padding_weak_fill",
        costs=["padding_unseen"],
        text=Text(
            en="Keys of padding get the score -10: small, but not nothing, and much where real scores are low themselves. "
            "Look at the number masked_attention fills in.",
            zh="填充 key 的分数填成了 -10：小，但不是没有；真实 token 的分数本身很低时，漏得就多。请看 masked_attention 填进去的数。",
        ),
        swap={FILL: f"{PAST_ONLY}.masked_fill(~{KEYS}, -10.0)", ZEROED: ROWS},
    ),
    Fault(
        "padding_mask_added",
        costs=["padding_unseen"],
        text=Text(
            en="The padding mask is added to the scores as 0 and 1: real keys gain a factor of e, padding keeps its own. "
            "Look at how the padding mask meets the scores in masked_attention.",
            zh="填充掩码被当作 0 和 1 加到了分数上：真实的 key 只多了 e 倍，填充照样在。请看 masked_attention 里填充掩码怎样作用到分数上。",
        ),
        swap={FILL: f"({PAST_ONLY} + {KEYS})", ZEROED: ROWS},
    ),
    Fault(
        "both_masks_after_softmax",
        costs=["padding_unseen", "causal_and_padding", "valid_rows_sum_to_one"],
        text=Text(
            en="Both masks strike out weights after the softmax: rows of real tokens no longer sum to 1, and padding and later tokens have had their say in what was divided by. Look at the order of masks and softmax in masked_attention.",
            zh="两张掩码都是在 softmax 之后才划掉权重的：真实 token 的行之和不再是 1，填充和后面的 token 已经参与了归一化。请看 masked_attention 里掩码与 softmax 的先后。",
        ),
        swap={FILL: "scores"},
    ),
    Fault(
        "real_tokens_filled",
        costs=["padding_unseen", "causal_and_padding"],
        text=Text(
            en="masked_attention fills the keys of real tokens and leaves the padding: its mask is read the wrong way round. A model would learn "
            "from filling alone. Look at the condition of the fill.",
            zh="masked_attention 填掉的是真实 token 的 key，留下的是填充：掩码读反了，模型学到的全是填充。请看填充分数的条件。",
        ),
        swap={
            NONE: f"given = padding_mask is not None\n    {NONE}",
            FILL: f"scores.masked_fill({FUTURE}, {LOW}).masked_fill({KEYS} & given, {LOW})",
            ZEROED: ROWS,
        },
    ),
    Fault(
        "keys_and_values_zeroed",
        costs=["padding_unseen"],
        text=Text(
            en="k and v of padding are set to 0 instead of being masked. A zero key gives the score 0, not minus infinity: padding "
            "still takes its share and the values shrink. Look at what masked_attention does with the padding mask.",
            zh="你把填充的 k 和 v 置成了 0，而没有遮住。零 key 的分数是 0，不是负无穷：填充仍占一份，values 随之变小。请看 masked_attention 拿填充掩码做了什么。",
        ),
        swap={
            PRODUCTS: f"k, v = (x * padding_query_mask(padding_mask) for x in (k, v))\n    {PRODUCTS}",
            FILL: PAST_ONLY,
            ZEROED: ROWS,
        },
    ),
    Fault(
        "padding_masked_after_softmax",
        costs=["padding_unseen", "valid_rows_sum_to_one"],
        text=Text(
            en="Padding is struck out after the softmax: rows of real tokens no longer sum to 1, and padding has had its say in what "
            "was divided by. Look at the order of mask and softmax in masked_attention.",
            zh="填充是在 softmax 之后才划掉的：真实 token 的行不再和为 1，而且填充已经参与了归一化。请看 masked_attention 里掩码与 softmax 的先后。",
        ),
        swap={FILL: PAST_ONLY},
    ),
    Fault(
        "real_tokens_taken_to_come_first",
        costs=["padding_unseen", "padding_queries_zero", "causal_and_padding", "valid_rows_sum_to_one"],
        text=Text(
            en="Your function counts the real tokens and takes them to stand at the front. A batch for generation is padded on the left; there "
            "you would hide the text and read the filling. Look at what masked_attention makes of its padding mask.",
            zh="你的函数只数出有几个真实 token，就当它们都在最前面。生成时常在左边填充，那样遮住的是正文，读的是填充。请看 masked_attention 对填充掩码做了什么。",
        ),
        swap={
            ALLOWED: f"padding_mask = valid_tokens(padding_mask.sum(dim=1), q.shape[-2])\n    {ALLOWED}",
        },
    ),
    # -- masked_attention: rows of padding -------------------------------------------------------
    Fault(
        "keys_emptied_twice",
        costs=["padding_queries_zero"],
        text=Text(
            en="After the softmax the columns of padding are set to 0 instead of its rows; they were 0 already, and rows of padding still look around. Look at the axis on which the padding mask lies behind the softmax.",
            zh="softmax 之后清零的是填充的列，而不是填充的行；那些列本来就是 0，填充的行却仍在看别人。请看 softmax 之后填充掩码放在了哪个轴上。",
        ),
        swap={FILL: KEYS_FILLED, ZEROED: "weights.masked_fill(~padding_key_mask(padding_mask), 0.0)"},
    ),
    Fault(
        "rows_of_padding_kept",
        costs=["padding_queries_zero"],
        text=Text(
            en="Queries of padding still look around: their weights and values are not 0. Whatever adds up the rows later, a loss or a "
            "mean, counts filling as text. Look at what masked_attention does with rows of padding.",
            zh="填充的 query 仍在看别人：它们的 weights 和 values 不是 0。后面凡是对各行求和的（损失、平均），都会把填充当正文算进去。请看 masked_attention 怎样处理填充的行。",
        ),
        swap={FILL: KEYS_FILLED, ZEROED: "weights"},
    ),
    Fault(
        "key_mask_twice",
        costs=["padding_queries_zero"],
        text=Text(
            en="The key mask is used twice and the query mask never: keys of padding are emptied, rows of padding are not, and "
            "filling goes on looking at the text. Look at which mask masked_attention puts on its rows.",
            zh="key 掩码用了两次，query 掩码一次没用：填充的列空了，填充的行却没有，填充仍在看正文。请看 masked_attention 给各行用的是哪张掩码。",
        ),
        swap={ALLOWED: f"allowed = {KEYS} & combined_mask(torch.ones_like(padding_mask), causal)"},
    ),
    Fault(
        "empty_rows_uniform",
        costs=["padding_queries_zero"],
        text=Text(
            en="Rows of padding, where all is filled with the same huge negative number, come out uniform instead of 0: equal scores, "
            "equal shares. Look at what masked_attention does after the softmax with rows that see nothing.",
            zh="填充的行全被填成同一个极大的负数，softmax 之后是平均分配，而不是 0：分数相等，份额就相等。请看 masked_attention 在 softmax 之后怎样处理什么都看不到的行。",
        ),
        swap={FILL: f"scores.masked_fill(~allowed, {LOW})", ZEROED: "weights"},
    ),
    Fault(
        "only_weights_zeroed",
        costs=["padding_queries_zero"],
        text=Text(
            en="The weights you return are 0 in rows of padding, the values are not: they were averaged before that. "
            "Look at the order of zeroing and averaging in masked_attention.",
            zh="返回的 weights 在填充的行里是 0，values 却不是：加权发生在清零之前。请看 masked_attention 里清零与加权的先后。",
        ),
        swap={FILL: KEYS_FILLED, ZEROED: "weights", RETURN: f"return values, {ROWS}"},
    ),
    Fault(
        "only_values_zeroed_of_even_rows",
        costs=["padding_queries_zero"],
        text=Text(
            en="The values are 0 in rows of padding, but the weights you return are even there: all was filled with the same number. Look at which of the two masked_attention zeroes.",
            zh="填充的行 values 是 0，返回的权重在那里却是均匀的：整行填的是同一个数。请看 masked_attention 清零的是哪一个。",
        ),
        swap={
            FILL: f"scores.masked_fill(~allowed, {LOW})",
            ZEROED: "weights",
            AVERAGE: f"{AVERAGE}\n    values = values.masked_fill(~padding_query_mask(padding_mask), 0.0)",
        },
    ),
    Fault(
        "only_values_zeroed",
        costs=["padding_queries_zero"],
        text=Text(
            en="The values are 0 in rows of padding, the weights you return are not: a picture of them shows filling that attends. "
            "Look at which of the two masked_attention zeroes.",
            zh="values 在填充的行里是 0，返回的 weights 却不是：画出来会看到填充也在“注意”别人。请看 masked_attention 清零的是哪一个。",
        ),
        swap={
            FILL: KEYS_FILLED,
            ZEROED: "weights",
            AVERAGE: f"{AVERAGE}\n    values = values.masked_fill(~padding_query_mask(padding_mask), 0.0)",
        },
    ),
    # -- masked_attention: NaN -------------------------------------------------------------------
    Fault(
        "empty_rows_nan",
        costs=["no_nan"],
        text=Text(
            en="Rows that see nothing are NaN: a softmax over minus infinity alone is 0/0. One such row makes the loss of the whole batch "
            "NaN (and NaN times 0 is NaN still). Look at what masked_attention does with them after the softmax.",
            zh="什么都看不到的行是 NaN：只有负无穷的 softmax 是 0/0。有一行这样，整个批次的损失就是 NaN（而 NaN 乘 0 还是 NaN）。请看 masked_attention 在 softmax 之后怎样处理它们。",
        ),
        swap={ZEROED: "weights"},
    ),
    Fault(
        "nan_times_zero",
        costs=["no_nan"],
        text=Text(
            en="Rows of padding are multiplied by 0 after the softmax. Padding at the front sees nothing under the causal mask, its row is NaN, and "
            "NaN times 0 is NaN. Look at how masked_attention empties those rows.",
            zh="填充的行是在 softmax 之后乘 0 的。左边的填充在因果掩码下什么都看不到，那一行是 NaN，而 NaN 乘 0 还是 NaN。请看 masked_attention 怎样清空这些行。",
        ),
        swap={
            FILL: f"{PAST_ONLY}.masked_fill(~{KEYS}, -math.inf)",
            ZEROED: "weights * padding_query_mask(padding_mask)",
        },
    ),
    Fault(
        "nan_times_zero_without_real_tokens",
        costs=["no_nan"],
        text=Text(
            en="Rows of padding are multiplied by 0 after the softmax. In a sample without a real token all its keys are minus infinity, its rows "
            "are NaN, and NaN times 0 is NaN. Look at how masked_attention empties those rows.",
            zh="填充的行在 softmax 之后被乘以 0。一个样本若没有真实 token，所有 key 都是负无穷，各行都是 NaN，而 NaN 乘 0 还是 NaN。请看 masked_attention 怎样清空这些行。",
        ),
        swap={
            FILL: f"scores.masked_fill({FUTURE}, {LOW}).masked_fill(~{KEYS}, -math.inf)",
            ZEROED: "weights * padding_query_mask(padding_mask)",
        },
    ),
    Fault(
        "values_cleaned_too_late",
        costs=["no_nan"],
        text=Text(
            en="The NaN is taken out of the values, after the NaN weights have met v. What you see is clean, but the gradient of v is "
            "NaN, and one step of training ruins the model. Look at where masked_attention cleans up.",
            zh="NaN 是在 values 里才清掉的，而 NaN 权重早已与 v 相乘。看上去干净，v 的梯度却是 NaN，训练一步模型就毁了。请看 masked_attention 在哪里清理。",
        ),
        swap={
            ZEROED: "weights",
            AVERAGE: "values = (weights @ v).nan_to_num(0.0)\n    weights = weights.nan_to_num(0.0)",
        },
    ),
    Fault(
        "infinity_added",
        costs=["no_nan"],
        text=Text(
            en="Minus infinity is ADDED to the scores and the NaN replaced later. Forward all looks well; backward, the gradients of q and k are "
            "NaN in rows that see nothing. Look at how the mask enters the scores of masked_attention.",
            zh="你把负无穷加到分数上，之后再替换 NaN。前向看着没事，反向时什么都看不到的行会让 q、k 的梯度变成 NaN。请看 masked_attention 里掩码怎样作用到分数上。",
        ),
        swap={
            FILL: "scores + torch.zeros_like(scores).masked_fill(~allowed, -math.inf)",
            ZEROED: "weights.nan_to_num(0.0)",
        },
    ),
    Fault(
        "no_gradient",
        costs=["no_nan"],
        text=Text(
            en="Your results are cut off from q, k and v (detach, .data, no_grad, NumPy): nothing before the attention would ever learn. "
            "Look for such a step in masked_attention.",
            zh="你的结果与 q、k、v 断开了（detach、.data、no_grad 或 NumPy）：注意力之前的部分永远学不到东西。请在 masked_attention 里找这样的一步。",
        ),
        swap={RETURN: "return values.detach(), weights.detach()"},
    ),
    Fault(
        "scores_cut_off",
        costs=["no_nan"],
        text=Text(
            en="The gradient reaches v, but not q and k: the way through the weights is cut, and the model never learns where to look. "
            "Look for a detach between scores and values in masked_attention.",
            zh="梯度能到 v，却到不了 q 和 k：经过权重的路断了，模型永远学不会该看哪里。请看 masked_attention 从分数到 values 之间有没有 detach。",
        ),
        swap={PRODUCTS: "products = q.detach() @ k.detach().transpose(-2, -1)"},
    ),
    # -- masked_attention: both masks ------------------------------------------------------------
    Fault(
        "causal_lost_beside_padding",
        costs=["causal_and_padding"],
        text=Text(
            en="Once a padding mask is given, the causal mask is gone (an elif?): in real batches, which have padding, the model sees the "
            "future. Look at the branches of masked_attention.",
            zh="一给填充掩码，因果掩码就没了（是不是写成了 elif？）：真实的批次都有填充，模型于是看得到未来。请看 masked_attention 的分支。",
        ),
        swap={NONE: f"causal = causal and padding_mask is None\n    {NONE}"},
    ),
    Fault(
        "causal_lost_without_padding",
        costs=["causal_and_padding"],
        text=Text(
            en="Without a padding mask the causal mask is not applied either: padding_mask=None is taken for 'no mask at all'. It means that "
            "all tokens are real. Look at what masked_attention does with None.",
            zh="没给填充掩码时，因果掩码也没有用上：padding_mask=None 被当成了“什么都不遮”。它的意思只是所有 token 都是真的。请看 masked_attention 怎样处理 None。",
        ),
        swap={NONE: f"causal = causal and padding_mask is not None\n    {NONE}"},
    ),
    Fault(
        "padding_lost_beside_causal",
        costs=["causal_and_padding"],
        text=Text(
            en="With causal=True the padding mask is gone: padding at the front is earlier than everybody, so all of them read it. "
            "Look at the branches of masked_attention.",
            zh="causal=True 时填充掩码就没了：左边的填充排在所有 token 之前，谁都会读到它。请看 masked_attention 的分支。",
        ),
        swap={
            ALLOWED: "allowed = combined_mask(torch.ones_like(padding_mask) if causal else padding_mask, causal)",
            ZEROED: ROWS,
        },
    ),
    Fault(
        "causal_ignored",
        costs=["causal_and_padding"],
        text=Text(
            en="causal has no effect in masked_attention: the future is always visible, and a language model copies the token it should "
            "predict. Look at where masked_attention uses causal.",
            zh="causal 在 masked_attention 里不起作用：未来始终可见，语言模型只会照抄该预测的 token。请看 masked_attention 哪里用到了 causal。",
        ),
        swap={ALLOWED: "allowed = combined_mask(padding_mask, False)"},
    ),
    Fault(
        "always_causal",
        costs=["causal_and_padding"],
        text=Text(
            en="masked_attention hides the future with causal=False, too; an encoder looks both ways. "
            "Look at what masked_attention does with causal.",
            zh="causal=False 时 masked_attention 也遮住了未来；编码器是要双向看的。请看 masked_attention 怎样使用 causal。",
        ),
        swap={ALLOWED: "allowed = combined_mask(padding_mask, True)"},
    ),
    Fault(
        "either_mask_lets_through",
        costs=["causal_and_padding"],
        text=Text(
            en="A key is visible where EITHER mask shows it, so each undoes the other: future tokens that are real, padding that is past. "
            "Look at how masked_attention joins the two masks.",
            zh="只要有一张掩码放行，key 就可见，于是两张掩码互相抵消：真实的未来看得到，过去的填充也看得到。请看 masked_attention 怎样合并两张掩码。",
        ),
        swap={
            ALLOWED: f"allowed = {KEYS}\n    if causal:\n        allowed = allowed | combined_mask(torch.ones_like(padding_mask), True)",
            ZEROED: ROWS,
        },
    ),
    Fault(
        "one_future_key",
        costs=["causal_and_padding"],
        text=Text(
            en="With causal=True each query still sees one key of the future: the very token to be predicted. "
            "Look at the triangle masked_attention uses.",
            zh="causal=True 时每个 query 仍多看到一个未来的 key，正是要预测的那个 token。请看 masked_attention 用的三角形。",
        ),
        swap={
            ALLOWED: "allowed = combined_mask(padding_mask, False)\n    allowed = allowed.tril(1) if causal else allowed",
        },
    ),
    Fault(
        "padding_mask_inverted_in_place",
        costs=["causal_and_padding"],
        text=Text(
            en="Your function inverts the padding mask it was handed in place: the next layer gets the same tensor and reads it the wrong "
            "way round. Look for methods ending in an underscore in masked_attention.",
            zh="你的函数就地把传入的填充掩码取了反：下一层拿到的还是这个张量，于是全读反了。请看 masked_attention 里以下划线结尾的方法。",
        ),
        swap={ALLOWED: "hidden = padding_mask.logical_not_()\n    allowed = combined_mask(~hidden, causal)"},
    ),
    Fault(
        "values_zeroed_in_place",
        costs=["causal_and_padding"],
        text=Text(
            en="Your function sets the v it was handed to 0 at padding, in place: afterwards the caller's v has changed. Look for *=, an assignment into v or a method ending in an underscore in masked_attention.",
            zh="你的函数直接就地把传入的 v 在填充处改成了 0：调用之后外面的 v 变了。请看 masked_attention 里对 v 的 *=、赋值或以下划线结尾的方法。",
        ),
        swap={PRODUCTS: f"v.mul_(padding_query_mask(padding_mask))\n    {PRODUCTS}"},
    ),
    Fault(
        "queries_scaled_in_place",
        costs=["causal_and_padding"],
        text=Text(
            en="Your function divides the q it was handed in place: afterwards the caller's q is smaller, and a second call gives something "
            "else. Look for /= and *= in masked_attention.",
            zh="你的函数直接就地改小了传入的 q：调用之后外面的 q 变了，再调用一次结果就不同。请看 masked_attention 里的 /= 和 *=。",
        ),
        swap={PRODUCTS: f"q /= math.sqrt(q.shape[-1])\n    {PRODUCTS}", SCORES: "scores = products"},
    ),
    # -- masked_attention: samples ---------------------------------------------------------------
    Fault(
        "first_samples_mask",
        costs=["samples_independent"],
        text=Text(
            en="All samples get the padding mask of the first one. A trial with a single sample does not show it. "
            "Look at what masked_attention does with the batch axis of its mask.",
            zh="所有样本用的都是第一个样本的填充掩码。只拿一个样本试是看不出来的。请看 masked_attention 怎样处理掩码的批次轴。",
        ),
        swap={FILL: f"scores.masked_fill({FUTURE}, {LOW}).masked_fill(~{KEYS}[:1], {LOW})", ZEROED: ROWS},
    ),
    Fault(
        "last_samples_mask",
        costs=["samples_independent"],
        text=Text(
            en="All samples get the padding mask of the last one. A trial with a single sample does not show it. Look at what masked_attention does with the batch axis of its mask, or which variable of a loop is still in use behind it.",
            zh="所有样本用的都是最后一个样本的填充掩码。只拿一个样本试是看不出来的。请看 masked_attention 怎样处理掩码的批次轴，循环结束后是不是还在用循环变量。",
        ),
        swap={ALLOWED: "allowed = combined_mask(padding_mask[-1:].expand(len(q), -1), causal)"},
    ),
    Fault(
        "any_samples_mask",
        costs=["samples_independent"],
        text=Text(
            en="A key is visible where any sample of the batch has a real token: the shorter ones read their padding. "
            "Look at what masked_attention does with the batch axis of its mask.",
            zh="只要批次里有一个样本在该位置是真实 token，这个 key 就对所有样本可见：短的样本会读到自己的填充。请看 masked_attention 怎样处理掩码的批次轴。",
        ),
        swap={ALLOWED: "allowed = combined_mask(padding_mask.any(dim=0, keepdim=True), causal)", ZEROED: ROWS},
    ),
    Fault(
        "batch_axis_on_heads",
        costs=["samples_independent"],
        text=Text(
            en="The batch axis of your mask meets the heads: where there are as many samples as heads, each head gets another sample's padding, "
            "without an error. Count the axes of the mask in masked_attention.",
            zh="你的掩码的批次轴对上了头：样本数与头数相同时不会报错，但每个头用的是另一个样本的填充。请数一数 masked_attention 里掩码的轴。",
        ),
        swap={FILL: f"scores.masked_fill({FUTURE}, {LOW}).masked_fill(~padding_mask[:, None, :], {LOW})", ZEROED: ROWS},
    ),
    # -- masked_attention: weights and results ---------------------------------------------------
    Fault(
        "softmax_over_queries",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your softmax runs over the queries: columns sum to 1, rows do not. Each query has to share out its own attention. "
            "Look at the axis of the softmax in masked_attention.",
            zh="你的 softmax 沿 query 轴归一化：每列和为 1，每行却不是。每个 query 应当分配自己的注意力。请看 masked_attention 里 softmax 的轴。",
        ),
        swap={FILL: f"scores.masked_fill(~allowed, {LOW})", SOFTMAX: "torch.softmax(shown, dim=-2)"},
    ),
    Fault(
        "softmax_over_heads",
        costs=["valid_rows_sum_to_one", "causal_and_padding"],
        text=Text(
            en="Your softmax runs over the heads: they compete with one another instead of each choosing among the keys. "
            "Look at the axis of the softmax in masked_attention.",
            zh="你的 softmax 沿头的轴归一化：各个头互相争夺，而不是各自在 key 之间分配。请看 masked_attention 里 softmax 的轴。",
        ),
        swap={SOFTMAX: "torch.softmax(shown, dim=1)"},
    ),
    Fault(
        "sigmoid",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your weights are a sigmoid of each score by itself: keys do not compete, and rows sum to more or less than 1 as it happens. "
            "Look at what turns scores into weights in masked_attention.",
            zh="你的权重是对每个分数单独做 sigmoid：key 之间没有竞争，每行之和忽大忽小。请看 masked_attention 里分数是怎样变成权重的。",
        ),
        swap={SOFTMAX: "torch.sigmoid(shown)"},
    ),
    Fault(
        "exp_not_divided",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your weights are exp(score), never divided by their sum: longer texts get larger values. "
            "Look at the last step of the softmax in masked_attention.",
            zh="你的权重是 exp(分数)，没有除以总和：文本越长，values 越大。请看 masked_attention 里 softmax 的最后一步。",
        ),
        swap={SOFTMAX: "torch.exp(shown)"},
    ),
    Fault(
        "scaled_after_softmax",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="You divide by the root of D after the softmax: every row sums to 1 over that root. Scaling keeps the scores moderate, "
            "so its place is before. Look at where masked_attention divides.",
            zh="你在 softmax 之后才除以 D 的平方根：每行之和变成它的倒数。缩放是为了让分数适中，所以要放在前面。请看 masked_attention 里除法的位置。",
        ),
        swap={SCORES: "scores = products", AVERAGE: f"weights = weights / math.sqrt(q.shape[-1])\n    {AVERAGE}"},
    ),
    Fault(
        "scores_returned",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your second result are the masked scores, minus infinity among them, not the weights made of them. "
            "Look at what masked_attention returns.",
            zh="你返回的第二项是遮过的分数（里面有负无穷），而不是由它得到的权重。请看 masked_attention 的返回值。",
        ),
        swap={RETURN: "return values, shown"},
    ),
    Fault(
        "results_exchanged",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your results come in the order (weights, values). Whoever unpacks them goes on with a table of weights as if it were "
            "the tokens. Look at the last line of masked_attention.",
            zh="你返回的顺序是 (weights, values)。调用者拆开之后，会把权重表当成 token 继续算。请看 masked_attention 的最后一行。",
        ),
        swap={RETURN: "return weights, values"},
    ),
    Fault(
        "only_values",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Only the values come back. Without the weights nobody can check that no attention lies on padding. "
            "Look at the last line of masked_attention.",
            zh="只返回了 values。没有权重，就没法检查注意力有没有落在填充上。请看 masked_attention 的最后一行。",
        ),
        swap={RETURN: "return values"},
    ),
    Fault(
        "list_returned",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your two results come in a list; asked for is a tuple, the usual form of several results in Python. "
            "Look at the brackets in the last line of masked_attention.",
            zh="两个结果装在了列表里；要求的是元组，这是 Python 返回多个结果的通行形式。请看 masked_attention 最后一行的括号。",
        ),
        swap={RETURN: "return [values, weights]"},
    ),
    Fault(
        "heads_and_tokens_exchanged",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your values come as [B, T, H, D]: heads and tokens have changed places. That is a step of joining the heads, which whoever "
            "calls this function does later; done twice, it mixes tokens up. Look at the axes of the first result of masked_attention.",
            zh="你的 values 形状是 [B, T, H, D]：头轴和 token 轴换了位置。那是合并多个头时的一步，由调用这个函数的人后面去做；做两次就会把 token 弄乱。请看 masked_attention 第一个返回值的轴。",
        ),
        swap={AVERAGE: "values = (weights @ v).transpose(1, 2)"},
    ),
    Fault(
        "heads_joined",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your values come as [B, T, H*D]: the heads are joined already. This function works on single heads; whoever calls it joins them, "
            "after what is still to be done to each. Look at the last reshape in masked_attention.",
            zh="你的 values 形状是 [B, T, H*D]：各个头已经拼接好了。这个函数处理的是单个头；拼接由调用它的人在后面去做。请看 masked_attention 里最后一次 reshape。",
        ),
        swap={AVERAGE: "values = (weights @ v).transpose(1, 2).flatten(2)"},
    ),
    Fault(
        "weights_averaged",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your weights come back averaged over the heads. Each head looks elsewhere; a leak in one of them drowns in the mean. "
            "Look at the second result of masked_attention.",
            zh="返回的权重已经对各个头取了平均。每个头看的地方不同，某个头的泄漏会被平均掩盖。请看 masked_attention 的第二个返回值。",
        ),
        swap={RETURN: "return values, weights.mean(dim=1)"},
    ),
    Fault(
        "results_float32",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your results are float32 whatever came in; the next product with a tensor of the input's dtype fails, or precision is lost "
            "without a word. Look for a cast in masked_attention and at where it is undone.",
            zh="不论输入是什么类型，你的结果都是 float32；下一步与输入同类型的张量相乘会报错，或者悄悄丢掉精度。请看 masked_attention 里在哪里转了类型，又有没有转回来。",
        ),
        swap={PRODUCTS: f"q, k, v = q.float(), k.float(), v.float()\n    {PRODUCTS}"},
    ),
    Fault(
        "keys_for_values",
        costs=["valid_rows_sum_to_one"],
        text=Text(
            en="Your values are an average of the keys; v is never used. Keys say where a token is found, values what it has to "
            "say. Look at what the weights are multiplied with in masked_attention.",
            zh="你的 values 是对 key 的加权平均，v 根本没有用上。key 决定一个 token 怎样被找到，value 才是它要传递的内容。请看 masked_attention 里权重乘的是谁。",
        ),
        swap={AVERAGE: "values = weights @ k"},
    ),
    Fault(
        "values_added_again",
        costs=["valid_rows_sum_to_one", "padding_queries_zero"],
        text=Text(
            en="Each token's own v is added to its average, in rows of padding too. Such a shortcut belongs around the attention; here the "
            "weights no longer tell what was mixed. Look at how masked_attention makes its values.",
            zh="每个 token 的加权平均又加上了它自己的 v，填充的行也不例外。残差连接属于注意力外面那一层；放在这里，权重就说明不了混合了什么。请看 masked_attention 怎样得到 values。",
        ),
        swap={AVERAGE: "values = weights @ v + v"},
    ),
    Fault(
        "weights_transposed",
        costs=["valid_rows_sum_to_one", "causal_and_padding"],
        text=Text(
            en="The values are averaged with the transposed weights: each token collects what later ones gave to it, which turns the "
            "causal mask round. Look at the product of weights and v in masked_attention.",
            zh="加权时用了转置后的权重：每个 token 收集的是后面的 token 分给它的份额，因果掩码等于反了过来。请看 masked_attention 里 weights 与 v 的乘积。",
        ),
        swap={AVERAGE: "values = weights.transpose(-2, -1) @ v"},
    ),
]
