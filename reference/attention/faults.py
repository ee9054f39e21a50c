# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of attention: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

# pieces of solution.py
PRODUCTS = "q @ k.transpose(-2, -1)"
SCALED = "return products / math.sqrt(q.shape[-1])"
READ_MASK = "else mask != 0"
FILLED = "scores.masked_fill(~visible, -math.inf)"
SOFTMAX = "torch.softmax(shown, dim=-1)"
ZEROED = "return weights.masked_fill(~sees_something, 0.0)"
SCORES = "scores = attention_scores(q, k)"
WEIGHTS = "weights = attention_weights(scores, mask)"
AVERAGE = "weights @ v"
ANSWER = "return output, weights"
SEEING = "visible.any(dim=-1, keepdim=True)"

SHIFTED = "(shown - shown.amax(dim=-1, keepdim=True))"

FAULTS = [
    # -- scale ----------------------------------------------------------------------------------------------------
    Fault(
        "no_scale",
        costs=["scale"],
        text=Text(
            en="Your scores are plain dot products. Their variance grows with D, so in a wide model the softmax is almost "
            "one-hot and hardly learns. Look at the last step of attention_scores.",
            zh="你的分数就是原始点积。它的方差随 D 增大，模型一宽，softmax 就几乎只剩一个 1，很难再学。请看 attention_scores 的最后一步。",
        ),
        swap={SCALED: "return products"},
    ),
    Fault(
        "scale_by_width",
        costs=["scale"],
        text=Text(
            en="Your scores are divided by D itself. The dot product's standard deviation is the root of D, so the weights "
            "come out nearly uniform. Look at what you divide by in attention_scores.",
            zh="你把分数除以了 D 本身。点积的标准差是 D 的平方根，这样权重会几乎均匀。请看 attention_scores 里的除数。",
        ),
        swap={SCALED: "return products / q.shape[-1]"},
    ),
    Fault(
        "scale_multiplied",
        costs=["scale"],
        text=Text(
            en="Your scores are multiplied by the root of D instead of divided by it: the softmax saturates. "
            "Look at the last step of attention_scores.",
            zh="你的分数乘了 D 的平方根，而不是除以它：softmax 会饱和。请看 attention_scores 的最后一步。",
        ),
        swap={SCALED: "return products * math.sqrt(q.shape[-1])"},
    ),
    Fault(
        "scale_halved_power",
        costs=["scale"],
        text=Text(
            en="Your scores come out as the dot products over 2·D. A power binds tighter than a division: D ** 1/2 is D to the "
            "power of one, then halved. The scores are so small that every token gets nearly the same attention. Look at the "
            "exponent in attention_scores.",
            zh="你的分数等于点积除以 2·D。乘方比除法先算：D ** 1/2 是先取 D 的 1 次方，再除以 2。分数因此太小，每个 token 分到的注意力几乎一样。请看 attention_scores 里的指数。",
        ),
        swap={SCALED: "return products / q.shape[-1] ** 1 / 2"},
    ),
    Fault(
        "scale_fourth_root",
        costs=["scale"],
        text=Text(
            en="Your scores are divided by the fourth root of D only. Whoever shares the scale between q and k takes that root on both of them; on one "
            "alone half of it is missing, and the scores still grow with the width. Look at the exponent, and at how often it is used, in attention_scores.",
            zh="你的分数只除以了 D 的四次方根。把缩放分摊给 q 和 k 时，两边都要除以四次方根；只做一边就少了一半，分数仍随宽度变大。请看 attention_scores 里的指数，以及它用了几次。",
        ),
        swap={SCALED: "return products / q.shape[-1] ** 0.25"},
    ),
    Fault(
        "scale_by_token_count",
        costs=["scale"],
        text=Text(
            en="Under your root stands the number of tokens, not the length of one vector. So the same two tokens get another "
            "score whenever the text grows longer. Look at which axis of the shape attention_scores uses.",
            zh="你在根号下放的是 token 的个数，而不是一个向量的长度。于是文本一变长，同样两个 token 的分数就跟着变。请看 attention_scores 用的是形状里的哪个轴。",
        ),
        swap={SCALED: "return products / math.sqrt(k.shape[-2])"},
    ),
    Fault(
        "scale_by_model_width",
        costs=["scale"],
        text=Text(
            en="With several heads you scale by the width of all heads together. Each dot product has only D terms, those of one "
            "head, so the scores of a many-headed model come out too small. Look at the number under the root in attention_scores.",
            zh="有多个 head 时，你用的是所有 head 合起来的宽度。而每个点积只有一个 head 的 D 项，head 一多，分数就偏小了。请看 attention_scores 根号下的数。",
        ),
        swap={SCALED: "return products / math.sqrt(q.shape[1] * q.shape[-1] if q.dim() == 4 else q.shape[-1])"},
    ),
    Fault(
        "scale_hard_coded",
        costs=["scale"],
        text=Text(
            en="You always divide by 8, the root of 64. That fits a model with 64 features per head and no other; here the width "
            "is different. Look for the fixed number in attention_scores.",
            zh="你总是除以 8，也就是 64 的平方根。这只适合每个 head 有 64 个特征的模型，这里的宽度并不是 64。请在 attention_scores 里找那个写死的数。",
        ),
        swap={SCALED: "return products / 8.0"},
    ),
    Fault(
        "scale_from_values",
        costs=["scale"],
        text=Text(
            en="scaled_dot_product_attention scales by the width of v. It is q and k that are multiplied; where values are wider "
            "or narrower than keys, your scores have the wrong size. Look at whose last axis you take the root of.",
            zh="scaled_dot_product_attention 用的是 v 的宽度来缩放。做点积的是 q 和 k；value 比 key 宽或窄时，你的分数大小就不对了。请看开根号的是谁的最后一个轴。",
        ),
        swap={SCORES: "scores = q @ k.mT / math.sqrt(v.shape[-1])"},
    ),
    Fault(
        "scale_missing_in_the_whole",
        costs=["scale"],
        text=Text(
            en="attention_scores scales, but scaled_dot_product_attention works on plain dot products of its own, so the function a model would call "
            "saturates its softmax. Look at where the whole function gets its scores from.",
            zh="attention_scores 会缩放，但 scaled_dot_product_attention 自己另算了一遍点积，没有缩放；模型真正调用的这个函数里，softmax 会饱和。请看整个函数的分数是从哪里来的。",
        ),
        swap={SCORES: "scores = q @ k.mT"},
    ),
    Fault(
        "scaled_twice",
        costs=["scale"],
        text=Text(
            en="attention_scores has already scaled, and scaled_dot_product_attention scales again: together that is a division by "
            "D, and the weights are too even to single out a token. Look at what the whole function does with the scores it gets.",
            zh="attention_scores 已经缩放过，scaled_dot_product_attention 又缩放了一次：合起来等于除以 D，权重太平均，突出不了任何 token。请看整个函数拿到分数之后又做了什么。",
        ),
        swap={SCORES: "scores = attention_scores(q, k) / math.sqrt(q.shape[-1])"},
    ),
    Fault(
        "scale_after_softmax",
        costs=["scale"],
        text=Text(
            en="You divide after the softmax: it still works on scores that are too large, and each query's weights add up to less "
            "than 1, so the output shrinks. Look at the order of scaling and softmax, in attention_scores and in the whole function.",
            zh="你在 softmax 之后才做除法：softmax 用的仍是过大的分数，而每个 query 的权重加起来不到 1，输出也跟着变小。请看缩放与 softmax 的先后，attention_scores 和整个函数里都要看。",
        ),
        swap={SCALED: "return products", WEIGHTS: WEIGHTS + " / math.sqrt(q.shape[-1])"},
    ),
    # -- dot_products, scores_shape -------------------------------------------------------------------------------
    Fault(
        "queries_with_queries",
        costs=["dot_products"],
        text=Text(
            en="Your scores compare the queries with each other; k plays no part in them. A token then finds whoever asks the same, "
            "not whoever has the answer. Look at the two factors of the product in attention_scores.",
            zh="你的分数是 query 之间互相比较，k 根本没用上。这样 token 找到的是问同样问题的人，而不是有答案的人。请看 attention_scores 里相乘的两个张量。",
        ),
        swap={PRODUCTS: "q @ q.transpose(-2, -1)"},
    ),
    Fault(
        "roles_exchanged",
        costs=["dot_products"],
        text=Text(
            en="Entry [i, j] of your scores belongs to key i and query j: rows and columns have changed places, so the softmax "
            "shares out each key among the queries. Look at which of q and k stands on the left in attention_scores.",
            zh="你的分数里 [i, j] 是第 i 个 key 与第 j 个 query：行和列换了位置，后面的 softmax 就成了把每个 key 分给各个 query。请看 attention_scores 里 q 和 k 谁在左边。",
        ),
        swap={PRODUCTS: "k @ q.transpose(-2, -1)"},
    ),
    Fault(
        "keys_reshaped",
        costs=["dot_products"],
        text=Text(
            en="You gave k another shape instead of exchanging its axes. view and reshape read the same numbers in the same order, "
            "so each of your columns mixes features of several tokens. Look at how k is turned in attention_scores.",
            zh="你只是给 k 换了个形状，并没有交换轴。view 和 reshape 按原来的顺序读数，于是每一列混进了好几个 token 的特征。请看 attention_scores 里 k 是怎样转过来的。",
        ),
        swap={PRODUCTS: "q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"},
    ),
    Fault(
        "cosines",
        costs=["dot_products"],
        text=Text(
            en="You bring q and k to length 1 first, so your scores are cosines: a vector made twice as long gets the same score. "
            "The model can then no longer say by length how much a token matters. Look at what happens to q and k before the product.",
            zh="你先把 q 和 k 的长度变成了 1，分数成了余弦：向量长一倍，分数也不变。这样模型就不能再用长度表示一个 token 有多重要。请看做点积之前对 q 和 k 做了什么。",
        ),
        swap={
            PRODUCTS: "(q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).transpose(-2, -1)",
        },
    ),
    Fault(
        "negative_distances",
        costs=["dot_products", "scale"],
        text=Text(
            en="Your scores are negative squared distances instead of dot products: a long key that points the right way is punished for its length, "
            "and no score is ever above 0. Look at what attention_scores computes from a query and a key.",
            zh="你的分数是负的距离平方，而不是点积：方向一致但较长的 key 反而吃亏，分数永远不会大于 0。请看 attention_scores 用 query 和 key 算的是什么。",
        ),
        swap={PRODUCTS: "-((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(dim=-1)"},
    ),
    Fault(
        "scores_in_float32",
        costs=["scores_shape"],
        text=Text(
            en="Your scores are float32 whatever q and k are. In a model of another precision the next product stops with an error, "
            "or exactness is lost unseen. Look for a conversion of q and k in attention_scores.",
            zh="不管 q 和 k 是什么 dtype，你的分数总是 float32。模型用别的精度时，下一步乘法会报错，或者悄悄丢掉精度。请在 attention_scores 里找对 q、k 的类型转换。",
        ),
        swap={PRODUCTS: "q.float() @ k.float().transpose(-2, -1)"},
    ),
    # -- softmax_over_keys, softmax_stable ------------------------------------------------------------------------
    Fault(
        "softmax_over_queries",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your softmax runs over the queries: columns sum to 1, rows do not. Each query has to share out its own "
            "attention among the keys. Look at the dim of the softmax in attention_weights.",
            zh="你的 softmax 沿 query 维归一化：每列和为 1，每行却不是。每个 query 应当把自己的注意力分给各个 key。请看 attention_weights 里 softmax 的 dim。",
        ),
        swap={SOFTMAX: "torch.softmax(shown, dim=-2)"},
    ),
    Fault(
        "softmax_over_axis_zero",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your softmax runs over axis 0. In a batch those are the samples: the sentences compete with each other for every pair of tokens, and a batch "
            "of one gets nothing but ones. Look at the dim of the softmax, or of its maximum and sum, in attention_weights.",
            zh="你的 softmax 沿第 0 轴。有 batch 时那就是样本：每一对 token 上都成了各个句子互相争，只有一个样本时权重全是 1。请看 attention_weights 里 softmax（或最大值与求和）的 dim。",
        ),
        swap={SOFTMAX: "torch.softmax(shown, dim=0)"},
    ),
    Fault(
        "softmax_over_axis_one",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your softmax runs over axis 1. In a single table that is the keys, but with batch and heads in front it is the heads: "
            "they then compete with each other for every pair of tokens. Look at the dim of the softmax, and count the axes from the end.",
            zh="你的 softmax 沿第 1 轴。只有一张表时那是 key，但前面有了 batch 和 head，那就是 head：每一对 token 上都成了各个 head 互相争。请看 softmax 的 dim，轴要从末尾数起。",
        ),
        swap={SOFTMAX: "torch.softmax(shown, dim=1)"},
    ),
    Fault(
        "softmax_over_axis_two",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your softmax runs over axis 2: right for scores of three axes, but with heads the same number means the queries, and "
            "with two axes there is no such axis. Look at the dim of the softmax in attention_weights, and count from the end.",
            zh="你的 softmax 沿第 2 轴：分数是三个轴时是对的，多了 head 轴之后它指的是 query，只有两个轴时根本没有这个轴。请看 attention_weights 里 softmax 的 dim，要从末尾数起。",
        ),
        swap={SOFTMAX: "torch.softmax(shown, dim=2)"},
    ),
    Fault(
        "softmax_without_axis",
        costs=["softmax_over_keys"],
        text=Text(
            en="You left it to softmax to choose an axis. It picks the first or the second, never the keys once there is a batch, so "
            "samples or heads compete with each other. Look at the call of softmax: it even warns.",
            zh="你没有告诉 softmax 沿哪个轴。它会自己选第一个或第二个轴，有了 batch 就再也不是 key，成了样本之间或 head 之间互相争。请看 softmax 的调用：它其实给出了警告。",
        ),
        swap={SOFTMAX: "torch.nn.functional.softmax(shown, _stacklevel=5)"},
    ),
    Fault(
        "softmax_over_the_table",
        costs=["softmax_over_keys"],
        text=Text(
            en="All weights of a table together add up to 1, not those of each row. The longer the text, the less attention any "
            "single query has to give. Look at what your softmax or your sum runs over.",
            zh="你的一整张权重表加起来才等于 1，而不是每一行等于 1。文本越长，每个 query 能分出的注意力就越少。请看你的 softmax 或求和沿哪些轴。",
        ),
        swap={SOFTMAX: "torch.softmax(shown.flatten(-2), dim=-1).reshape(shown.shape)"},
    ),
    Fault(
        "softmax_over_everything",
        costs=["softmax_over_keys"],
        text=Text(
            en="You divide by one sum over the whole tensor, so all samples, heads and queries share a single 1, and what else is in "
            "the batch changes a sentence's attention. Look at the sum in your softmax: over which axis does it run?",
            zh="你除以的是整个张量的总和，所有样本、head、query 合起来才分到一个 1，batch 里有别的什么句子也会改变这一句的注意力。请看 softmax 里的求和：它沿哪个轴？",
        ),
        swap={SOFTMAX: "torch.softmax(shown.flatten(), dim=0).reshape(shown.shape)"},
    ),
    Fault(
        "not_normalised",
        costs=["softmax_over_keys"],
        text=Text(
            en="Your weights are exponentials that were never divided by their sum: a query with many good keys gives out more than 1, "
            "and the output grows with it. Look at the last step of the softmax in attention_weights.",
            zh="你的权重只取了指数，没有除以总和：合适的 key 一多，一个 query 分出去的就超过 1，输出也随之变大。请看 attention_weights 里 softmax 的最后一步。",
        ),
        swap={SOFTMAX: f"{SHIFTED}.exp()"},
    ),
    Fault(
        "sigmoid",
        costs=["softmax_over_keys"],
        text=Text(
            en="Each of your weights is a sigmoid of its own score: keys do not compete, and a row adds up to anything. Attention needs "
            "shares of one whole, so that more for one token is less for the others. Look at the function that makes weights of scores.",
            zh="你的每个权重都是自己分数的 sigmoid：key 之间没有竞争，一行加起来可以是任何数。注意力要的是“一份”里的份额，一个 token 多了，别的就少。请看把分数变成权重的那个函数。",
        ),
        swap={SOFTMAX: "torch.sigmoid(shown)"},
    ),
    Fault(
        "softmax_not_shifted",
        costs=["softmax_stable"],
        text=Text(
            en="You take the exponential of the raw scores. From about 90 in float32 (700 in float64) it is infinite, and infinity over "
            "infinity is NaN: one such score ends a training run. Look at what you do to a row before exp.",
            zh="你直接对原始分数取指数。float32 大约到 90（float64 到 700）就成了无穷大，无穷除以无穷是 NaN：这样的分数出现一次，训练就毁了。请看 exp 之前对每一行做了什么。",
        ),
        swap={SOFTMAX: "shown.exp() / shown.exp().sum(dim=-1, keepdim=True)"},
    ),
    Fault(
        "overflow_painted_over",
        costs=["softmax_stable"],
        text=Text(
            en="You take the exponential of the raw scores and wipe the NaN out afterwards. Where a score is large, infinity over infinity then becomes a weight "
            "of 0: just the key that fits best is lost. Look at what you do to a row before exp, and at what nan_to_num hides.",
            zh="你直接对原始分数取指数，事后再抹掉 NaN。分数很大时，无穷除以无穷就成了权重 0：丢掉的恰恰是最合适的 key。请看 exp 之前对每一行做了什么，也看 nan_to_num 盖住了什么。",
        ),
        swap={SOFTMAX: "(shown.exp() / shown.exp().sum(dim=-1, keepdim=True)).nan_to_num()"},
    ),
    Fault(
        "rows_lost_below_one_maximum",
        costs=["softmax_stable"],
        text=Text(
            en="You take one maximum off the whole tensor and guard the division by 0. A row far below that maximum then has exponentials of 0 alone and comes "
            "out empty: one loud token silences the others. Look at which axis the maximum is taken over.",
            zh="你让整个张量减去同一个最大值，又避开了除以 0。比它小很多的行，指数全是 0，整行就空了：一个分数很大的 token 会让其余的行失声。请看最大值是沿哪个轴取的。",
        ),
        swap={
            FILLED: "scores - scores.max()",
            SOFTMAX: "shown.exp() * visible / ((shown.exp() * visible).sum(dim=-1, keepdim=True) + 0.0).clamp(min=5e-324 if shown.dtype is torch.float64 else 1e-45)",
        },
    ),
    Fault(
        "one_maximum_for_all",
        costs=["softmax_stable"],
        text=Text(
            en="You take one maximum off the whole tensor. Rows far below it become 0 over 0, so one loud token silences all the others, "
            "even in other sentences of the batch. Look at which axis the maximum is taken over.",
            zh="你让整个张量减去同一个最大值。比它小很多的行变成 0 除以 0：一个分数很大的 token 会让其余的行全部失声，连 batch 里别的句子也不例外。请看最大值是沿哪个轴取的。",
        ),
        swap={SOFTMAX: "(shown - shown.max()).exp() / (shown - shown.max()).exp().sum(dim=-1, keepdim=True)"},
    ),
    Fault(
        "shifted_downwards_only",
        costs=["softmax_stable"],
        text=Text(
            en="You take off the row's maximum only where it is positive. A row of very negative scores then has nothing but zeros "
            "under the fraction. Look at what bounds the maximum, or where it starts from, before exp.",
            zh="只有当一行的最大值为正时，你才减去它。一行全是很小的负数时，分母就全是 0。请看 exp 之前的最大值被什么限制了，或者从什么值开始算起。",
        ),
        swap={
            SOFTMAX: "(shown - shown.amax(dim=-1, keepdim=True).clamp(min=0)).exp() "
            "/ (shown - shown.amax(dim=-1, keepdim=True).clamp(min=0)).exp().sum(dim=-1, keepdim=True)",
        },
    ),
    Fault(
        "scores_clamped",
        costs=["softmax_stable"],
        text=Text(
            en="You cut large scores off before exp. That avoids the overflow, but all scores beyond the bound become equal, and the model "
            "can no longer tell the best key from the second best. Look at the clamp, and think of a shift instead.",
            zh="你在 exp 之前把过大的分数截断了。溢出是没有了，可是超出界限的分数全都变得一样大，模型再也分不出最合适的 key。请看那个 clamp，想想换成平移会怎样。",
        ),
        swap={FILLED: "scores.clamp(-60.0, 60.0).masked_fill(~visible, -math.inf)"},
    ),
    # -- mask_blocks ----------------------------------------------------------------------------------------------
    Fault(
        "zero_fill",
        costs=["mask_blocks"],
        text=Text(
            en="Hidden keys get the score 0, and exp(0) is 1: they keep a share of the attention, so a model can read what "
            "it must not see. Look at the value hidden scores have before the softmax.",
            zh="被遮住的 key 的分数变成了 0，而 exp(0) 等于 1：它们仍分到注意力，模型会读到不该看的内容。请看 softmax 之前被遮住的分数是什么值。",
        ),
        swap={FILLED: "scores.masked_fill(~visible, 0.0)"},
    ),
    Fault(
        "weak_fill",
        costs=["mask_blocks"],
        text=Text(
            en="Hidden keys get a score of -10: about 1/20000 of the weight of a score of 0, and far more where all visible scores are low. "
            "A model learns to read through such a crack. Look at the value you fill in before the softmax.",
            zh="被遮住的 key 的分数填的是 -10：权重大约还有分数 0 的两万分之一，可见的分数都很低时还会大得多。模型会学会从这条缝里偷看。请看 softmax 之前填入的值。",
        ),
        swap={FILLED: "scores.masked_fill(~visible, -10.0)"},
    ),
    Fault(
        "plus_infinity_fill",
        costs=["mask_blocks"],
        text=Text(
            en="Hidden keys get plus infinity, the highest score there is. The softmax then computes infinity minus infinity, and every row "
            "with a hidden key is NaN. Look at the sign of the value you fill in.",
            zh="被遮住的 key 填成了正无穷，成了最高的分数。softmax 要算无穷减无穷，凡是有遮挡的行都成了 NaN。请看填入值的正负号。",
        ),
        swap={FILLED: "scores.masked_fill(~visible, math.inf)"},
    ),
    Fault(
        "zero_times_infinity",
        costs=["mask_blocks"],
        text=Text(
            en="You multiply the mask by minus infinity and add it. In the visible places that is 0 times infinity, which is NaN, so any mask "
            "at all, even one that hides nothing, ruins everything. Look at how the hidden places get their value.",
            zh="你拿 mask 去乘负无穷，再加到分数上。可见的位置成了 0 乘无穷，也就是 NaN：只要给了 mask，哪怕什么都不遮，结果也全毁了。请看被遮住的位置是怎样得到那个值的。",
        ),
        swap={FILLED: "scores if mask is None else scores + (~visible).to(scores.dtype) * -math.inf"},
    ),
    Fault(
        "mask_added",
        costs=["mask_blocks"],
        text=Text(
            en="You add the mask of zeros and ones to the scores. That makes a visible key only e times as heavy as a hidden one: nothing is "
            "hidden. An added mask would have to hold something else than 1 and 0. Look at the step between scores and softmax.",
            zh="你把 0/1 的 mask 直接加到了分数上。这样可见的 key 只不过比被遮住的重 e 倍，什么也没遮住。要用加法，mask 里放的就不能是 1 和 0。请看分数与 softmax 之间的那一步。",
        ),
        swap={FILLED: "scores if mask is None else scores + visible.to(scores.dtype)"},
    ),
    Fault(
        "mask_after_softmax",
        costs=["mask_blocks"],
        text=Text(
            en="You mask after the softmax. Hidden keys get nothing, but their share is lost instead of going to the visible ones: rows add "
            "up to less than 1, and a token with a short past is nearly mute. Look at the order of mask and softmax.",
            zh="你在 softmax 之后才用 mask。被遮住的 key 是没有权重了，但它们那一份丢了，没有分给可见的 key：每行加起来不到 1，前文短的 token 几乎没有输出。请看 mask 与 softmax 的先后。",
        ),
        swap={FILLED: "scores", SOFTMAX: "torch.softmax(shown, dim=-1) * visible"},
    ),
    Fault(
        "mask_without_effect",
        costs=["mask_blocks", "mask_broadcasts", "fully_masked_rows"],
        text=Text(
            en="Your weights are the same with and without a mask, so the model sees everything. Often the masked scores are computed and then "
            "forgotten: masked_fill gives a new tensor back. Look at which tensor goes into the softmax.",
            zh="有没有 mask，你的权重都一样，模型什么都看得到。常见的原因是算出了遮好的分数却没有用：masked_fill 返回的是一个新张量。请看进入 softmax 的是哪个张量。",
        ),
        swap={FILLED: "scores", ZEROED: "return weights"},
    ),
    Fault(
        "mask_for_empty_rows_only",
        costs=["mask_blocks", "mask_broadcasts"],
        text=Text(
            en="Your mask only empties rows that see nothing; in all other rows hidden keys get the weight they would have without a mask. Often the masked "
            "scores are computed and then forgotten: masked_fill gives a new tensor back. Look at which tensor goes into the softmax.",
            zh="你的 mask 只把什么都看不到的行清空了；其余的行里，被遮住的 key 权重与没有 mask 时一样。常见的原因是算出了遮好的分数却没有用：masked_fill 返回的是一个新张量。请看进入 softmax 的是哪个张量。",
        ),
        swap={FILLED: "scores"},
    ),
    Fault(
        "mask_in_the_whole_only",
        costs=["mask_blocks"],
        text=Text(
            en="scaled_dot_product_attention hides keys by itself, and attention_weights does nothing with the mask it is given: whoever calls it alone sees everything. "
            "Look at what attention_weights does with its second argument.",
            zh="scaled_dot_product_attention 自己遮住了 key，attention_weights 拿到 mask 却什么也没做：单独调用它的人会看到一切。请看 attention_weights 怎样使用它的第二个参数。",
        ),
        swap={
            FILLED: "scores",
            ZEROED: "return weights",
            WEIGHTS: "visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask != 0\n"
            "    weights = attention_weights(scores.masked_fill(~visible, torch.finfo(scores.dtype).min), mask).masked_fill(~visible.any(dim=-1, keepdim=True), 0.0)",
        },
    ),
    Fault(
        "mask_not_passed_on",
        costs=["mask_blocks"],
        text=Text(
            en="attention_weights masks well, but scaled_dot_product_attention never hands it the mask: its weights are the same with and "
            "without one. Look at the arguments of each call inside the whole function.",
            zh="attention_weights 本身会遮，但 scaled_dot_product_attention 没有把 mask 交给它：有没有 mask，结果都一样。请看整个函数里每次调用传了哪些参数。",
        ),
        swap={WEIGHTS: "weights = attention_weights(scores)"},
    ),
    Fault(
        "mask_inverted",
        costs=["mask_blocks"],
        text=Text(
            en="Your mask is read the wrong way round: what it marks as visible is hidden, and the model sees exactly what it must not. "
            "Look at the condition where you fill the scores.",
            zh="你把 mask 读反了：标为可见的位置被遮住了，模型看到的恰恰是不该看的。请看填充分数时的条件。",
        ),
        swap={READ_MASK: "else mask == 0"},
    ),
    Fault(
        "mask_transposed",
        costs=["mask_blocks"],
        text=Text(
            en="Your mask is laid over the scores with rows and columns exchanged: what query i may see of key j decides about query j and "
            "key i. A causal mask then shows the future and hides the past. Look at what turns the mask, or the scores it is laid on.",
            zh="你的 mask 盖上去时行列颠倒了：“query i 能否看 key j”被用在了 query j 和 key i 上。因果 mask 会因此露出未来、遮住过去。请看是哪里转置了 mask，或转置了它盖的分数。",
        ),
        swap={READ_MASK: "else (mask != 0).transpose(-2, -1)"},
    ),
    Fault(
        "bits_flipped",
        costs=["mask_blocks"],
        text=Text(
            en="With a mask of the numbers 0 and 1 everything is hidden. ~ flips every bit of a whole number: ~1 is -2 and ~0 is -1, both of "
            "them count as true. Look at where you turn the mask round, and at the dtype it has there.",
            zh="mask 是数字 0 和 1 时，所有 key 都被遮住了。~ 会把整数的每一位取反：~1 是 -2，~0 是 -1，两个都算“真”。请看把 mask 反过来的地方，那时它是什么 dtype。",
        ),
        swap={READ_MASK: "else ~(~(mask.int() if mask.is_floating_point() else mask)).bool()"},
    ),
    Fault(
        "zero_scores_hidden",
        costs=["mask_blocks"],
        text=Text(
            en="Under a mask, keys whose score happens to be exactly 0 disappear, too. You find the hidden places by looking for zeros in the "
            "scores, but a visible token may well score 0. Look at what your condition for filling is asked of.",
            zh="有 mask 时，分数恰好等于 0 的 key 也消失了。你是靠在分数里找 0 来判断哪里该遮，可是可见的 token 也可能得 0 分。请看填充的条件是对谁判断的。",
        ),
        swap={
            FILLED: "scores if mask is None else (scores * visible).masked_fill(scores * visible == 0, -math.inf)",
        },
    ),
    Fault(
        "first_sample_s_mask",
        costs=["mask_blocks"],
        text=Text(
            en="All samples of the batch are masked with the mask of the first. In a batch of texts of different lengths, all others then read "
            "padding or lose real tokens. Look for an index that picks one sample of the mask.",
            zh="batch 里所有样本用的都是第一个样本的 mask。句子长短不一时，其余的句子不是读到填充，就是丢掉真的 token。请找一找：哪里用下标只取了 mask 的一个样本？",
        ),
        swap={READ_MASK: "else (mask[:1] if mask.dim() == 4 else mask) != 0"},
    ),
    Fault(
        "first_table_of_the_mask",
        costs=["mask_blocks"],
        text=Text(
            en="Of a mask with batch and heads you use one table only, that of the first sample and head, for everything. Every other text is then "
            "masked as if it were the first. Look for indices such as [0] on the mask: broadcasting needs none.",
            zh="mask 带有 batch 和 head 轴时，你只用了其中一张表（第一个样本、第一个 head）来遮所有的。别的句子都被当成第一句来遮。请找对 mask 取 [0] 之类的下标：广播并不需要它。",
        ),
        swap={READ_MASK: "else mask[(0,) * (mask.dim() - 2)] != 0"},
    ),
    Fault(
        "number_masks_added",
        costs=["mask_blocks"],
        text=Text(
            en="You hide keys where the mask is bool, but a mask of the numbers 0 and 1 you add to the scores, and that hides nothing: a visible key "
            "is just e times as heavy. Look at what you do by the dtype of the mask.",
            zh="mask 是 bool 时你会遮住 key，可 mask 是数字 0 和 1 时你把它加到了分数上，什么也没遮住：可见的 key 只不过重 e 倍。请看你按 mask 的 dtype 分别做了什么。",
        ),
        swap={
            FILLED: "(scores.masked_fill(~visible, -math.inf) if mask is None or mask.dtype == torch.bool else scores + mask)",
        },
    ),
    Fault(
        "rows_with_gaps_emptied",
        costs=["mask_blocks"],
        text=Text(
            en="Every row that hides at least one key comes out all zero. You meant the rows that see nothing at all, so under a causal mask only the last "
            "token would still hear anything. Look at how you find the empty rows: any key hidden, or all of them?",
            zh="只要一行里有一个 key 被遮住，这一行就全成了 0。你想处理的是什么都看不到的行；照这样，因果 mask 下只有最后一个 token 还能听到内容。请看你怎样找空行：是“有被遮的”，还是“全被遮住”？",
        ),
        swap={SEEING: "visible.all(dim=-1, keepdim=True)"},
    ),
    Fault(
        "small_number_in_the_sum",
        costs=["mask_blocks"],
        text=Text(
            en="You add a small number to the sum before dividing. Where hidden keys have by far the largest scores, the visible exponentials "
            "are smaller than that number, and the row nearly vanishes. Look at the denominator, and at whose maximum is taken off.",
            zh="相除之前，你给总和加了一个很小的数。被遮住的 key 分数特别大时，可见 key 的指数比这个数还小，整行几乎消失。请看分母，也看减去的是谁的最大值。",
        ),
        swap={
            FILLED: "(scores - scores.amax(dim=-1, keepdim=True)).exp() * visible",
            SOFTMAX: "shown / (shown.sum(dim=-1, keepdim=True) + 1e-6)",
        },
    ),
    # -- mask_broadcasts ------------------------------------------------------------------------------------------
    Fault(
        "head_axis_pushed_in",
        costs=["mask_broadcasts"],
        text=Text(
            en="You push a head axis into every mask of three axes. A mask [H, T, T] then stands for samples instead of heads: an error, or, "
            "where both numbers agree, silently the wrong mask for every head. Look at what is done to the axes of the mask.",
            zh="凡是三个轴的 mask，你都给它插了一个 head 轴。于是 [H, T, T] 的 mask 对到了样本上：要么报错，要么在两个数恰好相等时，悄悄让每个 head 用错 mask。请看你对 mask 的轴做了什么。",
        ),
        swap={READ_MASK: "else (mask.unsqueeze(1) if mask.dim() == 3 else mask) != 0"},
    ),
    Fault(
        "axes_of_one_dropped",
        costs=["mask_broadcasts"],
        text=Text(
            en="You drop the mask's axes of length one. They say which axis is which: without them a mask of samples is laid on the heads or "
            "the queries, an error or, where the numbers agree, silently wrong. Look at what is done to the axes of the mask.",
            zh="你去掉了 mask 里长度为 1 的轴。正是它们标明了哪个轴对应什么：没有了它们，样本的 mask 会盖到 head 或 query 上，要么报错，要么在数目恰好相等时悄悄出错。请看你对 mask 的轴做了什么。",
        ),
        swap={READ_MASK: "else mask.squeeze() != 0"},
    ),
    Fault(
        "table_taken_for_padding",
        costs=["mask_broadcasts"],
        text=Text(
            en="You take every mask of two axes for [batch, keys]. A table of queries and keys, such as a causal mask, is then an error or, where "
            "there are as many samples as tokens, silently the wrong mask. Look at what is done to masks of two axes.",
            zh="凡是两个轴的 mask，你都当成了 [batch, key]。传入 query × key 的表（例如因果 mask）时，要么报错，要么在样本数恰好等于 token 数时悄悄用错。请看你对两个轴的 mask 做了什么。",
        ),
        swap={READ_MASK: "else (mask[:, None, None, :] if mask.dim() == 2 and scores.dim() == 4 else mask) != 0"},
    ),
    # -- fully_masked_rows ----------------------------------------------------------------------------------------
    Fault(
        "empty_rows_left",
        costs=["fully_masked_rows"],
        text=Text(
            en="Rows whose keys are all hidden stay as the softmax left them. Over nothing but infinities that is NaN, which spreads through "
            "the whole batch. Look at what happens after the softmax for such rows.",
            zh="所有 key 都被遮住的行，你原样留着 softmax 的结果。一行里全是无穷时那就是 NaN，还会传遍整个 batch。请看 softmax 之后如何处理这样的行。",
        ),
        swap={ZEROED: "return weights"},
    ),
    Fault(
        "empty_rows_uniform",
        costs=["fully_masked_rows"],
        text=Text(
            en="A row whose keys are all hidden gets equal weights: all its scores were replaced by the same number, and a softmax sees only "
            "differences. So a padding token reads the average of everything hidden. Look at what happens after the softmax for such rows.",
            zh="所有 key 都被遮住的一行得到了均匀的权重：分数全换成了同一个数，而 softmax 只看差别。于是填充 token 读到了所有被遮内容的平均。请看 softmax 之后如何处理这样的行。",
        ),
        swap={FILLED: "scores.masked_fill(~visible, -1e9)", ZEROED: "return weights"},
    ),
    Fault(
        "empty_rows_unmasked",
        costs=["fully_masked_rows"],
        text=Text(
            en="A row whose keys are all hidden looks as if nothing were hidden: whatever is added there is the same for all its scores, and "
            "a softmax does not notice what all scores have in common. Look at what happens after the softmax for such rows.",
            zh="所有 key 都被遮住的一行，结果跟没遮一样：那里加上去的数对每个分数都相同，而 softmax 察觉不到大家共有的部分。请看 softmax 之后如何处理这样的行。",
        ),
        swap={FILLED: "scores + (~visible).to(scores.dtype) * -1e4", ZEROED: "return weights"},
    ),
    Fault(
        "empty_rows_spoil_gradients",
        costs=["fully_masked_rows"],
        text=Text(
            en="Forward your empty rows are zero, but backward they send NaN to q and k, and after one step all parameters are NaN. The NaN was "
            "made in the softmax and only painted over afterwards. Look at how -inf gets into the scores: the way back leads through there.",
            zh="前向时空行是 0，反向时它们却把 NaN 传给 q 和 k，更新一步之后参数全是 NaN。NaN 在 softmax 里已经产生，后面只是盖住了它。请看 -inf 是怎样进到分数里的：梯度正是从那里回去的。",
        ),
        swap={FILLED: "scores + torch.zeros_like(scores).masked_fill(~visible, -math.inf)"},
    ),
    Fault(
        "empty_rows_mended_late",
        costs=["fully_masked_rows"],
        text=Text(
            en="scaled_dot_product_attention sets empty rows to zero at its very end, but attention_weights itself gives NaN there, and on the "
            "way back NaN times zero is NaN still: the gradient of v is lost. Look at which function makes the NaN, and mend it there.",
            zh="scaled_dot_product_attention 到最后才把空行变成 0，而 attention_weights 自己在那里给出的是 NaN；回传时 NaN 乘 0 还是 NaN，v 的梯度就毁了。请看 NaN 出自哪个函数，在那里处理。",
        ),
        swap={
            ZEROED: "return weights",
            ANSWER: "blind = torch.zeros((), dtype=torch.bool) if mask is None else ~(mask != 0).any(dim=-1, keepdim=True)\n"
            "    return output.masked_fill(blind, 0.0), weights.masked_fill(blind, 0.0)",
        },
    ),
    # -- weighted_values ------------------------------------------------------------------------------------------
    Fault(
        "causal_by_default",
        costs=["weighted_values"],
        text=Text(
            en="Without a mask your whole function hides the future all the same. That is what a text generator wants, but only where it asks for it: "
            "an encoder has to read both ways. Look at what happens in scaled_dot_product_attention when mask is None.",
            zh="没有给 mask 时，你的整个函数照样遮住了未来。生成文本时需要这样，但应当由调用者提出；编码器就得前后都能看。请看 mask 为 None 时 scaled_dot_product_attention 做了什么。",
        ),
        swap={WEIGHTS: "weights = attention_weights(scores, torch.ones_like(scores).tril() if mask is None else mask)"},
    ),
    Fault(
        "weights_transposed",
        costs=["weighted_values"],
        text=Text(
            en="The values are weighted with the transposed weights: each token collects what others gave to it. "
            "Look at the product of weights and v.",
            zh="加权求和时用了转置后的权重：每个 token 收集的是别人给它的份额。请看 weights 与 v 的乘积。",
        ),
        swap={AVERAGE: "weights.transpose(-2, -1) @ v"},
    ),
    Fault(
        "keys_for_values",
        costs=["weighted_values"],
        text=Text(
            en="Your output is an average of the keys; v is never used. Keys say how a token is found, values what it has to tell. "
            "Look at what the weights are multiplied with.",
            zh="你的输出是 key 的平均，v 根本没用上。key 说的是一个 token 怎样被找到，value 才是它要说的内容。请看权重乘的是谁。",
        ),
        swap={AVERAGE: "weights @ k"},
    ),
    Fault(
        "queries_for_values",
        costs=["weighted_values"],
        text=Text(
            en="Your output is an average of the queries; v is never used. So tokens pass on their questions instead of what they know. "
            "Look at what the weights are multiplied with.",
            zh="你的输出是 query 的平均，v 根本没用上。token 传递的成了各自的问题，而不是各自的内容。请看权重乘的是谁。",
        ),
        swap={AVERAGE: "weights @ q"},
    ),
    Fault(
        "output_averaged_again",
        costs=["weighted_values"],
        text=Text(
            en="Your output is too small by the number of keys. The weights already add up to 1, so their sum over v is the average; dividing "
            "once more makes it fade as the text grows. Look at what is done after weights meet values.",
            zh="你的输出小了，正好差 key 的个数这么多倍。权重加起来已经是 1，对 v 加权求和就是平均；再除一次，文本越长输出越弱。请看权重与 value 相乘之后又做了什么。",
        ),
        swap={AVERAGE: "weights @ v / k.shape[-2]"},
    ),
    Fault(
        "softmax_twice",
        costs=["weighted_values"],
        text=Text(
            en="The weights you average with went through a softmax once more, those you return did not. A second softmax of numbers between 0 and 1 is nearly "
            "even, and it wakes hidden keys again. Look at what happens to the weights before they meet v.",
            zh="你加权时用的权重又做了一次 softmax，返回的却没有。对 0 到 1 之间的数再做 softmax，结果几乎均匀，被遮住的 key 也又有了份额。请看权重在与 v 相乘之前经过了什么。",
        ),
        swap={AVERAGE: "torch.softmax(weights, dim=-1) @ v"},
    ),
    Fault(
        "dropout_always_on",
        costs=["weighted_values"],
        text=Text(
            en="Between your weights and v stands a dropout that is never switched off: the output changes from call to call and is not what the returned weights give. A function does not know whether a model trains. Look at the call of dropout in scaled_dot_product_attention.",
            zh="你的权重与 v 之间有一个关不掉的 dropout：每次调用输出都不同，也对不上返回的权重。函数并不知道模型是不是在训练。请看 scaled_dot_product_attention 里对 dropout 的调用。",
        ),
        swap={AVERAGE: "torch.nn.functional.dropout(weights, p=0.1) @ v"},
    ),
    Fault(
        "values_centred",
        costs=["weighted_values"],
        text=Text(
            en="The mean of all values is taken off before the average: hidden keys come in by that back door, and what all tokens share is lost. Look for "
            "anything in scaled_dot_product_attention that runs over all tokens outside the weights.",
            zh="加权之前减去了所有 value 的均值：被遮住的 key 从这个后门进来了，所有 token 共有的部分也丢了。请找一找 scaled_dot_product_attention 里有什么绕过权重、遍及所有 token 的计算。",
        ),
        swap={AVERAGE: "weights @ (v - v.mean(dim=-2, keepdim=True))"},
    ),
    Fault(
        "query_added",
        costs=["weighted_values"],
        text=Text(
            en="Your output has q added to it. A residual connection belongs to the block around attention; here it mixes what a token asks "
            "into what it gets. Look at what is added to the weighted values.",
            zh="你的输出里加上了 q。残差连接是外面那一层的事；放在这里，一个 token 问的东西就混进了它得到的东西。请看加权求和之后又加了什么。",
        ),
        swap={AVERAGE: "weights @ v + (q if q.shape[-1] == v.shape[-1] else 0.0)"},
    ),
    Fault(
        "heads_and_tokens_exchanged",
        costs=["weighted_values"],
        text=Text(
            en="Your output comes as [B, T, H, D]: heads and tokens have changed places. That is a step of joining the heads, which whoever calls "
            "this function does later; done twice, it mixes tokens up. Look at the axes of the output.",
            zh="你的输出形状是 [B, T, H, D]：head 轴和 token 轴换了位置。那是合并多个 head 时的一步，由调用这个函数的人后面去做；做两次就会把 token 弄乱。请看输出的轴。",
        ),
        swap={AVERAGE: "(weights @ v).transpose(1, 2) if q.dim() == 4 else weights @ v"},
    ),
    Fault(
        "tuple_exchanged",
        costs=["weighted_values"],
        text=Text(
            en="You return the weights first and the output second. Whoever unpacks the pair then feeds weights into the next layer. "
            "Look at the order in the return of scaled_dot_product_attention.",
            zh="你先返回权重，后返回输出。调用者拆开这一对时，会把权重当成输出送进下一层。请看 scaled_dot_product_attention 的 return 里的顺序。",
        ),
        swap={ANSWER: "return weights, output"},
    ),
    Fault(
        "output_alone",
        costs=["weighted_values"],
        text=Text(
            en="You return the output alone. The weights are asked for, too: they show what a token looked at. "
            "Look at the return of scaled_dot_product_attention.",
            zh="你只返回了输出。权重也要一起返回：从它能看出每个 token 在看什么。请看 scaled_dot_product_attention 的 return。",
        ),
        swap={ANSWER: "return output"},
    ),
    Fault(
        "scores_returned",
        costs=["weighted_values"],
        text=Text(
            en="Beside the output you return the scores, not the weights: they can be negative and add up to nothing in particular, so they do not "
            "say how attention was shared out. Look at what stands second in the return.",
            zh="你在输出之外返回的是分数，不是权重：分数可以是负的，加起来也不是 1，看不出注意力是怎样分配的。请看 return 里的第二项。",
        ),
        swap={ANSWER: "return output, scores"},
    ),
    Fault(
        "weights_averaged_over_heads",
        costs=["weighted_values"],
        text=Text(
            en="You return one table of weights for all heads, their mean. What the single heads look at can no longer be seen, and the output "
            "cannot be explained from it. Look at the weights in the return.",
            zh="你返回的是所有 head 平均之后的一张权重表。这样就看不出每个 head 各自在看什么，也解释不了输出是怎么来的。请看 return 里的权重。",
        ),
        swap={ANSWER: "return output, weights.mean(dim=1) if q.dim() == 4 else weights"},
    ),
    Fault(
        "weights_in_float32",
        costs=["weighted_values"],
        text=Text(
            en="The weights you return are float32 whatever q, k and v are. A softmax in float32 is a good habit, but its result has to go back to "
            "the model's own precision, or it fits nothing there. Look for a conversion inside scaled_dot_product_attention.",
            zh="不管 q、k、v 是什么 dtype，你返回的权重总是 float32。用 float32 做 softmax 是好习惯，但结果要转回模型自己的精度，否则与别的张量配不上。请在 scaled_dot_product_attention 里找类型转换。",
        ),
        swap={
            WEIGHTS: "weights = attention_weights(scores.float(), mask)",
            AVERAGE: "weights.to(v.dtype) @ v",
        },
    ),
    # -- cross_lengths, gradients, inputs_untouched ---------------------------------------------------------------
    Fault(
        "one_length_for_both",
        costs=["cross_lengths"],
        text=Text(
            en="You count the keys by the number of queries. With more keys than queries the last ones are never looked at, with fewer there is an "
            "error: a decoder that reads a longer text needs both lengths. Look at the range or shape you use for keys in attention_scores.",
            zh="你用 query 的个数来数 key。key 更多时，后面的根本没看；key 更少时就报错。解码器要读比自己长的文本，两个长度得分开。请看 attention_scores 里 key 用的循环范围或形状。",
        ),
        swap={PRODUCTS: "torch.stack([(q * k[..., j, None, :]).sum(dim=-1) for j in range(q.shape[-2])], dim=-1)"},
    ),
    Fault(
        "graph_cut_at_the_weights",
        costs=["gradients"],
        text=Text(
            en="No gradient gets from the output to q and k, only to v: the graph is cut at the scores or weights, so a model never learns where to "
            "look. Look for detach, .data, no_grad, NumPy or a tensor made anew on the way.",
            zh="输出的梯度传不到 q 和 k，只到得了 v：计算图在分数或权重那里断了，模型永远学不会该看哪里。请在中途找 detach、.data、no_grad、NumPy 或重新造出来的张量。",
        ),
        swap={AVERAGE: "weights.detach() @ v"},
    ),
    Fault(
        "keys_cut_off",
        costs=["gradients"],
        text=Text(
            en="The gradient reaches q and v, but not k: the keys are cut off before the product, so a model never learns by what its tokens are found. Look at what attention_scores does with k.",
            zh="梯度能到 q 和 v，却到不了 k：key 在做乘积之前就与计算图断开了，模型永远学不会凭什么找到各个 token。请看 attention_scores 对 k 做了什么。",
        ),
        swap={PRODUCTS: "q @ k.detach().transpose(-2, -1)"},
    ),
    Fault(
        "scores_cut_off",
        costs=["gradients"],
        text=Text(
            en="attention_scores gives numbers that no gradient can go back through, so q and k never learn where to look. Look there for .data, detach, no_grad, NumPy, item or a tensor made anew from numbers.",
            zh="attention_scores 给出的数与计算图断开了，梯度回不到 q 和 k，模型永远学不会该看哪里。请在那里找 .data、detach、no_grad、NumPy、item 或用数值重新造出来的张量。",
        ),
        swap={PRODUCTS: "(q @ k.transpose(-2, -1)).detach()"},
    ),
    Fault(
        "weights_cut_off",
        costs=["gradients"],
        text=Text(
            en="attention_weights gives numbers that no gradient can go back through: only v learns from the output, q and k do not. Look there for .data, detach, no_grad, NumPy or a tensor made anew from numbers.",
            zh="attention_weights 给出的数与计算图断开了：输出的梯度只到得了 v，到不了 q 和 k。请在那里找 .data、detach、no_grad、NumPy 或用数值重新造出来的张量。",
        ),
        swap={ZEROED: "return weights.masked_fill(~sees_something, 0.0).detach()"},
    ),
    Fault(
        "everything_cut_off",
        costs=["gradients"],
        text=Text(
            en="None of your three functions lets a gradient through: whatever stands before the attention, projections and embeddings, never learns. Look for no_grad, inference_mode, detach, .data or NumPy around all of it.",
            zh="你的三个函数都不让梯度通过：注意力之前的投影和词向量永远学不到东西。请看整体外面有没有 no_grad、inference_mode、detach、.data 或 NumPy。",
        ),
        swap={
            SCALED: "return products.detach() / math.sqrt(q.shape[-1])",
            ZEROED: "return weights.masked_fill(~sees_something, 0.0).detach()",
            ANSWER: "return output.detach(), weights",
        },
    ),
    Fault(
        "scores_filled_in_place",
        costs=["inputs_untouched"],
        text=Text(
            en="attention_weights writes the hidden value into the very scores it was given. Whoever called it then finds -inf in them, for example "
            "when the scores are used with a second mask. Look for an operation that works in place (a name ending in _ , or an assignment into scores).",
            zh="attention_weights 把遮挡用的值直接写进了传进来的分数里。调用者再用这些分数（例如换一个 mask）时，会发现里面已有 -inf。请找原地操作：名字以 _ 结尾的函数，或对 scores 的赋值。",
        ),
        swap={FILLED: "scores.masked_fill_(~visible, -math.inf)"},
    ),
    Fault(
        "scores_shifted_in_place",
        costs=["inputs_untouched"],
        text=Text(
            en="attention_weights takes the maximum off the very scores it was given, so the caller's scores are no longer what they were. A function "
            "in a model may be called twice on the same tensor. Look for -= or another operation in place on scores.",
            zh="attention_weights 直接在传进来的分数上减去了最大值，调用者手里的分数也就变了。在模型里，同一个张量可能被用上两次。请找对 scores 的 -= 或别的原地操作。",
        ),
        swap={FILLED: "scores.sub_(scores.max().detach()).masked_fill(~visible, -math.inf)"},
    ),
    Fault(
        "query_scaled_in_place",
        costs=["inputs_untouched"],
        text=Text(
            en="attention_scores scales q in place: the caller's q is smaller afterwards, and the second use of the same q, in another head or "
            "layer, is scaled twice. Look for /=, *= or a name ending in _ on q.",
            zh="attention_scores 在原地缩放了 q：调用者的 q 从此变小了，同一个 q 再用一次（别的 head、别的层），就缩放了两次。请找对 q 的 /=、*= 或以 _ 结尾的函数。",
        ),
        swap={PRODUCTS: "q.div_(math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)", SCALED: "return products"},
    ),
    Fault(
        "mask_flipped_in_place",
        costs=["inputs_untouched"],
        text=Text(
            en="attention_weights turns the caller's own mask round. The next layer gets the same mask and hides exactly what it should show. "
            "Look for an operation in place on the mask.",
            zh="attention_weights 把调用者的 mask 原地取反了。下一层拿到同一个 mask，遮住的恰恰是该看的。请找对 mask 的原地操作。",
        ),
        swap={READ_MASK: "else mask.logical_not_() == 0"},
    ),
]
