# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of cross_attention: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

SCALE = "scores = scores / math.sqrt(q.shape[-1])"
FILL = "scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)"
SOFTMAX = "weights = scores.softmax(dim=-1)"
ATTEND = "_, weights = scaled_dot_attention(q, k, v, keep)"
CLEARED = "weights = weights.masked_fill(~keep, 0.0)  # a memory without a real token gives nothing"
MIXED = "mixed = self.dropout(weights) @ v"
OUT = "out = self.out_proj(merged)"
RETURN = "return (out, self.unfolded(weights)) if return_weights else out"
BY_HEAD = "by_head = memory_mask[:, None, None, :].expand(-1, self.n_heads, x.shape[1], -1)"

FAULTS = [
    # -- the function: form and values ---------------------------------------------------------------
    Fault(
        "function_tuple_swapped",
        costs=["shapes"],
        text=Text(
            en="scaled_dot_attention returns the weights first and the output second: whoever unpacks the pair as agreed goes on working with a table of weights. Look at the order in its last line.",
            zh="scaled_dot_attention 先返回了权重，后返回输出：按约定拆包的人会拿着权重表继续算。请看它最后一行的顺序。",
        ),
        swap={
            "return output, weights": "return weights, output",
            ATTEND: "weights, _ = scaled_dot_attention(q, k, v, keep)",
        },
    ),
    Fault(
        "softmax_over_queries",
        costs=["weighted_values"],
        text=Text(
            en="The softmax of scaled_dot_attention runs over the queries: columns sum to 1, rows do not, so the output of a query is no average of the memory. Look at the axis of the softmax.",
            zh="scaled_dot_attention 的 softmax 沿 query 轴：每列和为 1，每行却不是，一个 query 的输出就不再是对 memory 的平均。请看 softmax 的轴。",
        ),
        swap={SOFTMAX: "weights = scores.softmax(dim=-2)"},
    ),
    Fault(
        "keys_for_values",
        costs=["weighted_values"],
        text=Text(
            en="scaled_dot_attention averages the keys; the values are never used. What comes out is by what tokens are found, not what they have to say. Look at the right factor of the last product.",
            zh="scaled_dot_attention 平均的是 key，value 没有用上：得到的是“靠什么被找到”，而不是“要说什么”。请看最后一个乘积的右因子。",
        ),
        swap={"output = weights @ v": "output = weights @ k"},
    ),
    # -- the function: scale -------------------------------------------------------------------------
    Fault(
        "no_scale",
        costs=["given_weights"],
        text=Text(
            en="The scores of scaled_dot_attention are plain dot products. Their variance grows with D, so in a wide model the softmax is almost one-hot and hardly learns. Look at the step before the mask.",
            zh="scaled_dot_attention 的分数就是原始点积。它的方差随 D 增大，模型一宽，softmax 就几乎只剩一个 1，很难再学。请看掩码之前的那一步。",
        ),
        swap={SCALE: "scores = scores"},
    ),
    Fault(
        "scale_without_root",
        costs=["given_weights"],
        text=Text(
            en="The scores are divided by D itself. Their standard deviation is the root of D, so the weights come out nearly uniform. Look at what you divide by in scaled_dot_attention.",
            zh="分数除以了 D 本身。它的标准差是 D 的平方根，这样权重几乎均匀。请看 scaled_dot_attention 里的除数。",
        ),
        swap={SCALE: "scores = scores / q.shape[-1]"},
    ),
    Fault(
        "scale_multiplied",
        costs=["given_weights"],
        text=Text(
            en="The scores are multiplied by the root of D instead of divided: the softmax saturates and gradients vanish. Look at the operator of the scaling.",
            zh="分数乘了 D 的平方根，而不是除以它：softmax 饱和，梯度消失。请看缩放用的运算符。",
        ),
        swap={SCALE: "scores = scores * math.sqrt(q.shape[-1])"},
    ),
    Fault(
        "scale_of_values",
        costs=["given_weights"],
        text=Text(
            en="The size under the root is that of the values. A score is a sum over the features of query and key; how wide the values are has no part in it. Look at which tensor the size is taken from.",
            zh="根号下用的是 value 的宽度。分数是对 query 和 key 的特征求和，与 value 有多宽无关。请看尺寸取自哪个张量。",
        ),
        swap={SCALE: "scores = scores / math.sqrt(v.shape[-1])"},
    ),
    # -- the function: masks -------------------------------------------------------------------------
    Fault(
        "mask_inverted",
        costs=["mask_forms"],
        text=Text(
            en="scaled_dot_attention reads its mask the wrong way round: what is marked 1 is blocked, what is marked 0 is seen. Look at the condition where you fill the scores.",
            zh="scaled_dot_attention 把掩码读反了：标 1 的被挡住，标 0 的反而看得到。请看填充分数时的条件。",
        ),
        swap={
            FILL: FILL.replace("mask == 0", "mask != 0"),
            ATTEND: "_, weights = scaled_dot_attention(q, k, v, None if keep is None else ~keep)",
        },
    ),
    Fault(
        "mask_thrown_away",
        costs=["mask_forms"],
        text=Text(
            en="The mask of scaled_dot_attention has no effect: the filled scores are computed and not kept, and blocked keys are seen as before. Look at what becomes of the result of the filling.",
            zh="scaled_dot_attention 的掩码没有作用：填好的分数算出来却没有留下，被挡的 key 照样看得到。请看填充的结果去了哪里。",
        ),
        swap={FILL: "scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)"},
    ),
    Fault(
        "zero_fill",
        costs=["mask_forms"],
        text=Text(
            en="Blocked keys get the score 0, and exp(0) is 1: they keep a share of the attention. Look at the value you fill in (or multiply with) before the softmax.",
            zh="被挡的 key 的分数成了 0，而 exp(0) 等于 1：它们仍分到注意力。请看 softmax 之前填入（或乘上）的值。",
        ),
        swap={FILL: "scores = scores.masked_fill(mask == 0, 0.0)"},
    ),
    Fault(
        "weak_fill",
        costs=["mask_forms"],
        text=Text(
            en="Blocked keys get the score -10. That is little, not nothing, and where they fit well or the others badly they win all the same. Look at how far the filled value lies below any score.",
            zh="被挡的 key 的分数填成 -10。这只是小，并不是没有：当它们很匹配、别的不匹配时，照样会胜出。请看填入的值比任何分数低多少。",
        ),
        swap={FILL: "scores = scores.masked_fill(mask == 0, -10.0)"},
    ),
    Fault(
        "zero_times_infinity",
        costs=["mask_forms"],
        text=Text(
            en="The mask is multiplied by minus infinity and added. Where it is 0 that is 0 times infinity, NaN: just the visible scores are spoiled, and every row with them. Look at how scaled_dot_attention makes the numbers it adds.",
            zh="掩码乘以负无穷再加到分数上。为 0 的地方是 0 乘无穷，得 NaN：毁掉的恰恰是可见的分数，于是每一行都是 NaN。请看 scaled_dot_attention 里要加的数是怎么得到的。",
        ),
        swap={
            FILL: "scores = scores + (mask == 0).to(scores.dtype) * -math.inf",
            ATTEND: "weights = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n        weights = (weights if keep is None else weights.masked_fill(~keep, torch.finfo(q.dtype).min)).softmax(dim=-1)",
        },
    ),
    Fault(
        "mask_added",
        costs=["mask_forms"],
        text=Text(
            en="The 0/1 mask is added to the scores: visible keys gain a factor of e over blocked ones and nothing is blocked. Look at what an added mask has to hold where a key is blocked.",
            zh="0/1 掩码被直接加到了分数上：可见的只比被挡的多出 e 倍，什么也没挡住。请看用加法时，被挡的位置应当加上怎样的数。",
        ),
        swap={FILL: "scores = scores + mask.to(scores.dtype)"},
    ),
    Fault(
        "mask_after_softmax",
        costs=["mask_forms"],
        text=Text(
            en="Blocked weights are set to 0 after the softmax and their share is not given back: rows sum to less than 1. Look at where the mask comes in, before or after the softmax.",
            zh="被挡的权重在 softmax 之后才清零，份额没有还回来：每行之和小于 1。请看掩码是在 softmax 之前还是之后起作用。",
        ),
        swap={
            FILL: "pass",
            SOFTMAX: "weights = scores.softmax(dim=-1)\n    weights = weights if mask is None else weights.masked_fill(mask == 0, 0.0)",
        },
    ),
    Fault(
        "mask_transposed",
        costs=["mask_forms"],
        text=Text(
            en="The last two axes of the mask are exchanged: key j hides from query i what query j should not see of key i. Only a symmetric mask hides this. Look at the order of the mask's axes, queries then keys.",
            zh="掩码的最后两个轴对调了：该挡的是第 i 个 query 看第 j 个 key，挡住的却是第 j 个看第 i 个。只有对称的掩码看不出来。请看掩码的轴顺序：先 query，后 key。",
        ),
        swap={
            FILL: FILL.replace("mask == 0", "mask.transpose(-2, -1) == 0"),
            ATTEND: "_, weights = scaled_dot_attention(q, k, v, None if keep is None else keep.transpose(-2, -1))",
        },
    ),
    Fault(
        "mask_taken_for_keys",
        costs=["mask_forms"],
        text=Text(
            en="A mask of two axes is taken for [B, Tk], one row for each sample. Here two axes mean [Tq, Tk], a table that all samples share: an error, or, where there are as many samples as queries, silently the wrong rows. Look at what scaled_dot_attention does to masks of two axes.",
            zh="两个轴的掩码被当成了 [B, Tk]，每个样本一行。这里两个轴的意思是 [Tq, Tk]，所有样本共用一张表：要么报错，要么在样本数恰好等于 query 数时悄悄用错了行。请看 scaled_dot_attention 怎样处理两个轴的掩码。",
        ),
        swap={FILL: FILL.replace("mask == 0", "(mask[:, None, :] if mask.dim() == 2 else mask) == 0")},
    ),
    Fault(
        "mask_taken_for_keys_where_it_fits",
        costs=["mask_forms"],
        text=Text(
            en="A mask of two axes is taken for [B, Tk] wherever it has as many rows as there are samples. But a table [Tq, Tk] may have as many rows by chance: then every sample silently gets another row of it for all its queries. Look at the condition by which scaled_dot_attention gives a mask new axes.",
            zh="两个轴的掩码只要行数恰好等于样本数，就被当成了 [B, Tk]。可是 [Tq, Tk] 的表也可能碰巧有这么多行：每个样本的所有 query 就悄悄用上了其中的某一行。请看 scaled_dot_attention 在什么条件下给掩码加轴。",
        ),
        swap={
            FILL: FILL.replace(
                "mask == 0", "(mask[:, None, :] if mask.dim() == 2 and len(mask) == len(q) else mask) == 0"
            )
        },
    ),
    Fault(
        "mask_of_first_sample",
        costs=["mask_forms"],
        text=Text(
            en="A mask with a batch axis is read for its first sample only, and that one is used for all. Look at how scaled_dot_attention treats masks of three axes.",
            zh="带批次轴的掩码只用了第一个样本的那张，所有样本共用。请看 scaled_dot_attention 怎样处理三个轴的掩码。",
        ),
        swap={
            FILL: FILL.replace("mask == 0", "(mask[:1] if mask.dim() == 3 else mask) == 0"),
            ATTEND: "_, weights = scaled_dot_attention(q, k, v)\n        if keep is not None:\n            weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~keep, torch.finfo(q.dtype).min).softmax(-1)",
        },
    ),
    # -- the module: form and parameters -------------------------------------------------------------
    Fault(
        "weights_always_returned",
        costs=["shapes"],
        text=Text(
            en="The module returns a tuple even where nobody asked for the weights, so it cannot stand in a chain of layers. Look at what return_weights decides in forward.",
            zh="没有要权重时模块也返回元组，没法串进一连串的层里。请看 forward 里 return_weights 决定了什么。",
        ),
        swap={RETURN: "return out, self.unfolded(weights)"},
    ),
    Fault(
        "weights_averaged",
        costs=["shapes"],
        text=Text(
            en="The returned weights are the average over the heads: one table where the contract asks for one per head. Look at what happens to the weights in the last line of forward.",
            zh="返回的权重是各头的平均：只有一张表，而约定是每个头一张。请看 forward 最后一行对权重做了什么。",
        ),
        swap={RETURN: "return (out, self.unfolded(weights).mean(dim=1)) if return_weights else out"},
    ),
    Fault(
        "layers_without_bias",
        costs=["parameters"],
        text=Text(
            en="The four linear layers have no bias, so the weights of a trained model with biases cannot be loaded into them. Look at the options of the linear layers in __init__.",
            zh="四个线性层都没有偏置，带偏置的训练好的权重就载入不了。请看 __init__ 里各线性层的参数。",
        ),
        swap={
            f"self.{name} = nn.Linear(d_model, d_model)": f"self.{name} = nn.Linear(d_model, d_model, bias=False)"
            for name in ("q_proj", "k_proj", "v_proj", "out_proj")
        },
    ),
    # -- the module: numbers -------------------------------------------------------------------------
    Fault(
        "q_and_k_layers_exchanged",
        costs=["given_weights"],
        text=Text(
            en="x goes through k_proj and the memory through q_proj: with fresh weights nobody notices, with loaded ones every score is wrong. Look at which layer gets which sequence.",
            zh="x 经过了 k_proj，memory 经过了 q_proj：用新初始化的权重看不出来，载入训练好的权重后每个分数都错。请看哪一层接的是哪个序列。",
        ),
        swap={"q = self.q_proj(x)": "q = self.k_proj(x)", "k = self.k_proj(memory)": "k = self.q_proj(memory)"},
    ),
    Fault(
        "memory_not_used",
        costs=["given_weights", "memory_padding", "shapes"],
        text=Text(
            en="Keys and values are made from x: the module looks at its own sequence, and the memory changes nothing. A decoder built on it never reads what it should translate. Look at which sequence each of the three projections gets.",
            zh="key 和 value 是由 x 算出来的：模块看的是自己的序列，memory 不起任何作用。用它搭的解码器根本没读要翻译的内容。请看三个投影各自接的是哪个序列。",
        ),
        swap={"k = self.k_proj(memory)": "k = self.k_proj(x)", "v = self.v_proj(memory)": "v = self.v_proj(x)"},
    ),
    Fault(
        "roles_exchanged",
        costs=["given_weights", "shapes", "memory_padding"],
        text=Text(
            en="The memory asks and x is looked at: queries come from the memory, keys and values from x. A row of the output then belongs to a token of the memory. Look at which sequence each projection gets.",
            zh="提问的是 memory，被看的是 x：query 出自 memory，key 和 value 出自 x，输出的每一行就成了 memory 的一个 token。请看每个投影接的是哪个序列。",
        ),
        swap={
            "q = self.q_proj(x)": "q = self.q_proj(memory)",
            "k = self.k_proj(memory)": "k = self.k_proj(x)",
            "v = self.v_proj(memory)": "v = self.v_proj(x)",
        },
    ),
    Fault(
        "k_and_v_layers_exchanged",
        costs=["given_weights"],
        text=Text(
            en="The keys come out of v_proj and the values out of k_proj: with fresh weights nobody notices, with loaded ones what should be handed out is searched and the other way round. Look at the layer that makes each of them.",
            zh="key 出自 v_proj，value 出自 k_proj：用新初始化的权重看不出来，载入训练好的权重后，该传递的内容被拿去匹配，该匹配的却被传递。请看两者各是哪一层算出来的。",
        ),
        swap={
            "k = self.k_proj(memory)": "k = self.v_proj(memory)",
            "v = self.v_proj(memory)": "v = self.k_proj(memory)",
        },
    ),
    Fault(
        "values_from_k_proj",
        costs=["given_weights"],
        text=Text(
            en="The values come out of k_proj as the keys do: v_proj is never used and never learns. Look at the layer that makes the values.",
            zh="value 和 key 一样出自 k_proj：v_proj 没有用上，也学不到东西。请看 value 是哪一层算出来的。",
        ),
        swap={"v = self.v_proj(memory)": "v = self.k_proj(memory)"},
    ),
    Fault(
        "out_proj_unused",
        costs=["given_weights"],
        text=Text(
            en="The merged heads are returned without the output layer: what the heads found is never combined. Look at what the last lines of forward do with out_proj.",
            zh="合并后的各头没有经过输出层就返回了：各头的结果没有被综合起来。请看 forward 最后几行怎样对待 out_proj。",
        ),
        swap={OUT: "out = merged"},
    ),
    Fault(
        "residual_added",
        costs=["given_weights"],
        text=Text(
            en="The output is attention plus x. The residual connection belongs to the block around the module; with one inside as well, x is added twice. Look at what is added in the last lines of forward.",
            zh="输出是注意力再加上 x。残差连接属于模块外面的 block；里面再加一次，x 就被加了两遍。请看 forward 最后几行加上了什么。",
        ),
        swap={OUT: "out = self.out_proj(merged) + x"},
    ),
    Fault(
        "module_softmax_over_queries",
        costs=["given_weights"],
        text=Text(
            en="In the module the softmax runs over the queries: columns sum to 1, rows do not, so a token that nobody else asks like gets more than its share. Look at the axis of the softmax inside the module.",
            zh="模块里的 softmax 沿 query 轴：每列和为 1，每行却不是。请看模块内部 softmax 的轴。",
        ),
        swap={
            ATTEND: "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n        shown = scores if keep is None else scores.masked_fill(~keep, torch.finfo(scores.dtype).min)\n        weights = shown.softmax(dim=-2)"
        },
    ),
    Fault(
        "module_without_scale",
        costs=["given_weights"],
        text=Text(
            en="scaled_dot_attention scales its scores, but the module's own are plain dot products: its softmax is almost one-hot. Look at how the scores are made inside the module.",
            zh="scaled_dot_attention 缩放了分数，模块里的分数却是原始点积，softmax 几乎只剩一个 1。请看模块内部怎样算分数。",
        ),
        swap={ATTEND: "_, weights = scaled_dot_attention(q * math.sqrt(q.shape[-1]), k, v, keep)"},
    ),
    Fault(
        "module_scale_of_model_width",
        costs=["given_weights"],
        text=Text(
            en="The module divides by the root of d_model, but a score of one head is a sum of only D = d_model / n_heads products: with many heads the weights come out too even. Look at which size stands under the root in the module.",
            zh="模块除以了 d_model 的平方根，而一个头的分数只是 D = d_model / n_heads 个乘积之和：头一多，权重就过于平均。请看模块里根号下是哪个尺寸。",
        ),
        swap={ATTEND: "_, weights = scaled_dot_attention(q / math.sqrt(self.n_heads), k, v, keep)"},
    ),
    Fault(
        "heads_by_raw_view",
        costs=["given_weights"],
        text=Text(
            en="[B, T, C] is viewed straight as [B, H, T, D]: a head gets whole tokens instead of a slice of every token. Look at the order of the sizes where the heads are cut, and at what is missing after it.",
            zh="[B, T, C] 被一步 view 成了 [B, H, T, D]：一个头拿到的是若干个完整的 token，而不是每个 token 的一段特征。请看切头时尺寸的先后顺序，以及它后面少了哪一步。",
        ),
        swap={
            "return by_head.transpose(1, 2).flatten(0, 1)": "return by_head.reshape(len(t) * self.n_heads, t.shape[1], -1)"
        },
    ),
    Fault(
        "raw_merge",
        costs=["given_weights"],
        text=Text(
            en="The heads are put together without bringing the token axis back to the front: a row of the result holds several tokens of one head. Look at the order of the axes before the last reshape.",
            zh="合并各头之前没有把 token 轴换回前面：结果的一行装的是一个头的几个 token。请看最后一次 reshape 之前的轴顺序。",
        ),
        swap={"merged = values.transpose(1, 2).flatten(2)": "merged = values.reshape(x.shape)"},
    ),
    Fault(
        "gradient_cut",
        costs=["given_weights"],
        text=Text(
            en="The numbers are right, but the weights are cut off from the graph: no gradient reaches q_proj and k_proj, so the module never learns where to look. Look for detach, .data or a tensor made anew.",
            zh="数值对，但权重与计算图断开了：梯度传不到 q_proj 和 k_proj，模块永远学不会往哪里看。请找 detach、.data 或新建的张量。",
        ),
        swap={MIXED: "mixed = self.dropout(weights.detach()) @ v"},
    ),
    # -- padding of the memory -----------------------------------------------------------------------
    Fault(
        "memory_mask_ignored",
        costs=["memory_padding"],
        text=Text(
            en="memory_mask has no effect in the module: padding of the memory is read like real tokens, and an output depends on how far its batch was filled up. Look at where forward uses the mask.",
            zh="memory_mask 在模块里没有作用：memory 的填充被当作真实 token 来读，输出取决于这一批填充到多长。请看 forward 在哪里用到掩码。",
        ),
        swap={"keep = self.visible(x, memory_mask)": "keep = self.visible(x, None)"},
    ),
    Fault(
        "memory_mask_inverted",
        costs=["memory_padding"],
        text=Text(
            en="The module reads memory_mask the wrong way round: real tokens are hidden and only padding is seen. Here True means a real token. Look at the meaning of True where the module applies it.",
            zh="模块把 memory_mask 读反了：真实 token 被遮住，只看得到填充。这里 True 表示真实 token。请看模块使用掩码时 True 的含义。",
        ),
        swap={BY_HEAD: BY_HEAD.replace("memory_mask[", "(~memory_mask)[")},
    ),
    Fault(
        "memory_mask_of_first_sample",
        costs=["memory_padding"],
        text=Text(
            en="The padding of the first memory is used for the whole batch. Look at the index on the batch axis of memory_mask.",
            zh="整批都用了第一个 memory 的填充。请看 memory_mask 批次轴上的索引。",
        ),
        swap={BY_HEAD: "by_head = memory_mask[:1, None, None, :].expand(len(x), self.n_heads, x.shape[1], -1)"},
    ),
    Fault(
        "memory_mask_tiled",
        costs=["memory_padding"],
        text=Text(
            en="The heads are folded as sample 0 head 0, sample 0 head 1, ..., but the mask is repeated as whole batches after each other: samples get each other's padding as soon as there are several heads. Look at the order in which the mask is repeated.",
            zh="多头是按“样本 0 头 0、样本 0 头 1……”折叠的，掩码却整批整批地重复：只要有多个头，样本就会用上别人的填充。请看掩码重复的顺序。",
        ),
        swap={"return by_head.flatten(0, 1)": "return by_head.transpose(0, 1).flatten(0, 1)"},
    ),
    Fault(
        "memory_mask_interleaved",
        costs=["memory_padding"],
        text=Text(
            en="The heads are folded as whole batches after each other, but each row of the mask is repeated for all heads in turn (or the other way round): samples get each other's padding as soon as there are several heads. Look at the order in which heads are folded, and in which the mask is repeated.",
            zh="多头是整批整批地叠起来的，掩码却让每一行连着重复头数那么多次（或者反过来）：只要有多个头，样本就会用上别人的填充。请看折叠头的顺序与重复掩码的顺序。",
        ),
        swap={
            "return by_head.flatten(0, 1)": "return by_head.flatten(0, 1).unflatten(0, (self.n_heads, -1)).transpose(0, 1).flatten(0, 1)"
        },
    ),
    Fault(
        "memory_mask_on_heads",
        costs=["memory_padding"],
        text=Text(
            en="The batch axis of memory_mask meets the heads: [B, 1, Tk] beside scores of four axes. Where there are as many samples as heads, each head gets another sample's padding without an error. Count the axes of the mask in the module.",
            zh="memory_mask 的批次轴对上了头：四个轴的分数旁边放的是 [B, 1, Tk]。样本数与头数相同时不会报错，但每个头用的是另一个样本的填充。请数一数模块里掩码的轴。",
        ),
        swap={BY_HEAD: "by_head = memory_mask[None, :, None, :].expand(len(x), self.n_heads, x.shape[1], -1)"},
    ),
    Fault(
        "memory_mask_after_softmax",
        costs=["memory_padding"],
        text=Text(
            en="Padding is taken out after the softmax: its share is missing, and how much depends on what stands in the padding. Look at where memory_mask comes in, before or after the softmax.",
            zh="填充是在 softmax 之后才去掉的：它分走的份额没有还回来，而且多少取决于填充里的内容。请看 memory_mask 是在 softmax 之前还是之后起作用。",
        ),
        swap={ATTEND: "_, weights = scaled_dot_attention(q, k, v)"},
    ),
    Fault(
        "memory_zero_fill",
        costs=["memory_padding"],
        text=Text(
            en="In the module the scores of padding are filled with 0, and exp(0) is 1: padding of the memory keeps a share of the attention. Look at the value the module fills in before its softmax.",
            zh="模块把填充的分数填成 0，而 exp(0) 等于 1：memory 的填充仍分到注意力。请看模块在 softmax 之前填入的值。",
        ),
        swap={
            ATTEND: "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n        shown = scores if keep is None else scores.masked_fill(~keep, 0.0)\n        weights = shown.softmax(dim=-1)",
            CLEARED: "pass",
        },
    ),
    Fault(
        "memory_times_mask",
        costs=["memory_padding"],
        text=Text(
            en="The memory is set to 0 at its padding instead of masking the scores. A zero token still has a key and a value (the biases) and takes its share of the softmax. Look at what memory_mask is applied to.",
            zh="memory 的填充处被设成 0，而没有遮住分数。全零的 token 仍有 key 和 value（也就是偏置），照样在 softmax 里分走一份。请看 memory_mask 作用在了什么上。",
        ),
        swap={
            "keep = self.visible(x, memory_mask)": "if memory_mask is not None:\n            q, k, v = self.project(x, memory * memory_mask[..., None])\n        keep = self.visible(x, None)"
        },
    ),
    Fault(
        "memory_zeroed_in_place",
        costs=["memory_padding"],
        text=Text(
            en="The output is right, but forward sets the memory to 0 at its padding, in place: after the call the caller's tensor has changed, and whatever else reads it gets less. Look for *= or an assignment into memory.",
            zh="输出是对的，但 forward 就地把 memory 在填充处改成了 0：调用之后，调用者手里的张量变了，别处再读它就少了内容。请找对 memory 的 *= 或赋值。",
        ),
        swap={
            "keep = self.visible(x, memory_mask)": "keep = self.visible(x, memory_mask)\n        if memory_mask is not None:\n            memory.mul_(memory_mask[..., None])"
        },
    ),
    Fault(
        "empty_memory_uniform",
        costs=["memory_padding"],
        text=Text(
            en="Where no token of the memory is real, the module looks at all of them evenly: a softmax over equal fills cannot give zeros. Look at what happens to such rows after the softmax.",
            zh="memory 里没有真实 token 时，模块把所有 token 平均看了一遍：对一排相同的填充值做 softmax，不会得到零。请看 softmax 之后如何处理这样的行。",
        ),
        swap={CLEARED: "pass"},
    ),
    Fault(
        "empty_memory_nan",
        costs=["memory_padding"],
        text=Text(
            en="Where no token of the memory is real, the softmax sees nothing but -inf: 0/0, NaN, and the loss of the whole batch is NaN. Look at what happens to such rows after the softmax.",
            zh="memory 里没有真实 token 时，softmax 里全是负无穷：0/0 得 NaN，整批的损失都成了 NaN。请看 softmax 之后如何处理这样的行。",
        ),
        swap={FILL: FILL.replace("torch.finfo(scores.dtype).min", "-math.inf"), CLEARED: "pass"},
    ),
    Fault(
        "empty_memory_zeroed_at_the_end",
        costs=["memory_padding"],
        text=Text(
            en="Where no token of the memory is real, the output itself is set to 0; the contract wants the values zero before the output layer, so that its bias comes out. Look at which side of out_proj the zeroing stands on.",
            zh="memory 里没有真实 token 时，被清零的是输出本身；约定是在输出层之前取值为零，结果就是它的偏置。请看清零放在了 out_proj 的哪一边。",
        ),
        swap={
            OUT: "out = self.out_proj(merged)\n        if memory_mask is not None:\n            out = out * memory_mask.any(dim=1)[:, None, None]"
        },
    ),
    Fault(
        "memory_mask_written_into",
        costs=["memory_padding"],
        text=Text(
            en="memory_mask is changed in place: the first call is right, but afterwards the caller's mask says the opposite, and the next layer hides the real tokens. Look for a method ending in an underscore on the mask.",
            zh="memory_mask 被原地改写了：第一次调用是对的，之后调用者手里的掩码变成了相反的意思，下一层就会遮住真实 token。请找掩码上以下划线结尾的方法。",
        ),
        swap={BY_HEAD: BY_HEAD.replace("memory_mask[", "(~memory_mask.logical_not_())[")},
    ),
    # -- dropout -------------------------------------------------------------------------------------
    Fault(
        "dropout_in_eval",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout also acts in eval mode: the same input gets another answer at every call. The function form of dropout does not know the mode of the module. Look at how dropout is called in forward.",
            zh="eval 模式下 dropout 仍在起作用：同样的输入每次调用结果都不同。函数形式的 dropout 并不知道模块处于哪种模式。请看 forward 里怎样调用 dropout。",
        ),
        swap={MIXED: "mixed = nn.functional.dropout(weights, self.dropout.p) @ v"},
    ),
    Fault(
        "dropout_never",
        costs=["dropout_modes"],
        text=Text(
            en="In training mode nothing is dropped, whatever rate was asked for. Look at what happens to the weights between the softmax and the values.",
            zh="训练模式下什么也没丢，不管要求的丢弃率是多少。请看 softmax 之后、乘 value 之前权重经过了什么。",
        ),
        swap={MIXED: "mixed = weights @ v"},
    ),
    Fault(
        "dropout_on_scores",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the scores: a dropped score is 0, and exp(0) is 1, so no connection is really dropped. Look at which tensor goes through dropout.",
            zh="dropout 作用在分数上：被丢的分数是 0，而 exp(0) 等于 1，其实一条连接也没丢。请看哪个张量经过了 dropout。",
        ),
        swap={
            ATTEND: "scores = self.dropout(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))\n        shown = scores if keep is None else scores.masked_fill(~keep, torch.finfo(scores.dtype).min)\n        weights = shown.softmax(dim=-1)",
            MIXED: "mixed = weights @ v",
        },
    ),
    Fault(
        "dropout_on_values",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the values: single features vanish for all queries at once, while the weights stay whole. Look at which tensor goes through dropout.",
            zh="dropout 作用在 value 上：个别特征对所有 query 一起消失，权重却完整无缺。请看哪个张量经过了 dropout。",
        ),
        swap={MIXED: "mixed = weights @ self.dropout(v)"},
    ),
    Fault(
        "dropout_on_output",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the output of the module, not on the weights: no connection to the memory is ever dropped. Look at which tensor goes through dropout.",
            zh="dropout 作用在模块的输出上，而不是权重上：与 memory 的连接一条也没丢。请看哪个张量经过了 dropout。",
        ),
        swap={MIXED: "mixed = weights @ v", OUT: "out = self.dropout(self.out_proj(merged))"},
    ),
    Fault(
        "dropout_not_rescaled",
        costs=["dropout_modes"],
        text=Text(
            en="Dropped weights are zero, but the others are not made larger in turn: in training the values come out smaller on average than in use. Look at what the surviving weights are divided by.",
            zh="丢掉的权重是零，留下的却没有相应放大：训练时的取值平均比使用时小。请看留下的权重除以了什么。",
        ),
        swap={
            MIXED: "kept = torch.rand_like(weights) >= self.dropout.p\n        mixed = (weights * kept if self.training else weights) @ v"
        },
    ),
]
