# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of multi_head: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

CUT = "x.reshape(batch, time, n_heads, features)"
TURN = "return by_head.permute(0, 2, 1, 3)"
CHUNK = "q, k, v = packed.chunk(3, dim=-1)"
SCALE = "scores = scores / math.sqrt(q.shape[-1])"
SHOWN = "shown = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)"
SOFTMAX = "weights = shown.softmax(dim=-1)"
BY_QUERY = "weights = weights if padding_mask is None else weights.masked_fill(~padding_mask[:, None, :, None], 0.0)"
CLEARED = "weights = weights.masked_fill(~keep, 0.0)  # a row with no visible key looks at nothing"
VALUES = "values = self.dropout(weights) @ v"
OUT = "out = self.out_proj(merged)"
RETURN = "return (out, weights) if return_weights else out"
CAUSAL = "keep = keep.tril()"
PADDING = "keep = keep & real_key & real_query"
VISIBLE = "keep = self.visible(x, padding_mask)"

FAULTS = [
    # -- split and merge ---------------------------------------------------------------------------
    Fault(
        "split_raw_view",
        costs=["split_layout"],
        text=Text(
            en="split_heads goes from [B, T, C] straight to [B, H, T, D]. The shape is right, but the numbers are cut in memory order: one head gets whole tokens instead of a slice of every token, so tokens and features are mixed up. Look at the order of the sizes in the reshape of split_heads, and at what is missing after it.",
            zh="split_heads 从 [B, T, C] 一步变成 [B, H, T, D]。形状对，数却是按内存顺序切的：一个头拿到的是若干个完整的 token，而不是每个 token 的一段特征，token 与特征就混在了一起。请看 split_heads 里 reshape 的尺寸顺序，以及它后面少了哪一步。",
        ),
        swap={CUT: "x.reshape(batch, n_heads, time, features)", TURN: "return by_head"},
    ),
    Fault(
        "split_features_first",
        costs=["split_layout"],
        text=Text(
            en="split_heads deals the features out like cards: head 0 gets features 0, H, 2H, ... instead of the first D in a row. Weights trained with the usual layout then land in the wrong heads. Look at the order in which split_heads cuts the last axis into heads and features.",
            zh="split_heads 像发牌一样分特征：第 0 个头拿到第 0、H、2H……个，而不是连续的前 D 个。按通常布局训练好的权重就会落到错误的头里。请看 split_heads 把最后一个轴切成“头”和“特征”时的先后顺序。",
        ),
        swap={CUT: "x.reshape(batch, time, features, n_heads)", TURN: "return by_head.permute(0, 3, 1, 2)"},
    ),
    Fault(
        "split_not_transposed",
        costs=[
            "split_layout",
            "dropout_modes",
            "future_invariance",
            "given_weights",
            "head_scale",
            "heads_independent",
            "output_shape",
            "padding_in_module",
            "parameters",
        ],
        text=Text(
            en="split_heads leaves its result as [B, T, H, D]. A product of q and k would then compare the heads of one token with each other, and no token would ever look at another. Look at what split_heads still has to do after it has cut the last axis.",
            zh="split_heads 的结果停在 [B, T, H, D]。这样 q 与 k 相乘，比较的是同一个 token 的各个头，token 之间永远互相看不到。请看 split_heads 切开最后一个轴之后还差哪一步。",
        ),
        swap={TURN: "return by_head"},
    ),
    Fault(
        "split_tokens_last",
        costs=[
            "split_layout",
            "dropout_modes",
            "future_invariance",
            "given_weights",
            "head_scale",
            "heads_independent",
            "output_shape",
            "padding_in_module",
            "parameters",
        ],
        text=Text(
            en="split_heads gives [B, H, D, T]: inside every head features and tokens have changed places, so attention would run between features. Look at the order of the axes at the end of split_heads.",
            zh="split_heads 给出的是 [B, H, D, T]：每个头里特征和 token 换了位置，注意力就成了特征之间的注意力。请看 split_heads 最后的轴顺序。",
        ),
        swap={TURN: "return by_head.permute(0, 2, 3, 1)"},
    ),
    Fault(
        "module_splits_by_raw_view",
        costs=["heads_independent"],
        text=Text(
            en="split_heads is right, but the module cuts its heads by itself: q, k and v go from [B, T, C] straight to [B, H, T, D], so a head gets whole tokens instead of a slice of every token. Look at the order of the sizes where forward makes heads.",
            zh="split_heads 是对的，但模块是自己切头的：q、k、v 从 [B, T, C] 一步变成 [B, H, T, D]，一个头拿到的是若干个完整的 token，而不是每个 token 的一段特征。请看 forward 里切头时尺寸的先后。",
        ),
        swap={
            "return split_heads(q, self.n_heads), split_heads(k, self.n_heads), split_heads(v, self.n_heads)": "q, k, v = (t.reshape(len(t), self.n_heads, t.shape[1], -1) for t in (q, k, v))\n        return q, k, v"
        },
    ),
    Fault(
        "merge_raw_view",
        costs=["merge_layout"],
        text=Text(
            en="merge_heads goes from [B, H, T, D] straight to [B, T, H*D]: a row of the result holds several tokens of one head instead of one token of all heads. What a token has gathered is handed to other tokens. Look at the order of the axes just before the reshape in merge_heads.",
            zh="merge_heads 从 [B, H, T, D] 一步变成 [B, T, H*D]：结果的一行装的是一个头的几个 token，而不是一个 token 的所有头，于是一个 token 收集到的内容给了别的 token。请看 merge_heads 里 reshape 之前的轴顺序。",
        ),
        swap={"by_token = x.transpose(1, 2)": "by_token = x"},
    ),
    Fault(
        "module_merges_by_raw_view",
        costs=["heads_independent"],
        text=Text(
            en="merge_heads is right, but the module puts its heads together by itself, without bringing the token axis back to the front: a row of the result holds several tokens of one head. Look at the order of the axes before the last reshape in forward.",
            zh="merge_heads 是对的，但模块是自己合并各头的，没有先把 token 轴换回前面：结果的一行装的是一个头的几个 token。请看 forward 里最后一次 reshape 之前的轴顺序。",
        ),
        swap={"merged = merge_heads(values)": "merged = values.reshape(x.shape)"},
    ),
    Fault(
        "merge_features_first",
        costs=["merge_layout"],
        text=Text(
            en="merge_heads shuffles the heads into each other: feature 0 of all heads, then feature 1 of all heads, and so on. The output layer expects the heads side by side, so given weights meet the wrong features. Look at which axis comes right before the last one when merge_heads flattens.",
            zh="merge_heads 把各个头交错着放：先是所有头的第 0 个特征，再是所有头的第 1 个特征……输出层要的是各头依次并排，给定的权重就对不上特征了。请看 merge_heads 展平时，倒数第二个轴是哪一个。",
        ),
        swap={"by_token = x.transpose(1, 2)": "by_token = x.permute(0, 2, 3, 1)"},
    ),
    Fault(
        "merge_in_reverse",
        costs=["merge_layout"],
        text=Text(
            en="merge_heads sets the heads side by side in reverse: the last head comes first. The output layer expects head 0 in front, so given weights meet the wrong features. Look at the order in which merge_heads goes through the heads.",
            zh="merge_heads 把各个头倒着并排：最后一个头放在了最前面。输出层要的是第 0 个头在前，给定的权重就对不上特征了。请看 merge_heads 按什么顺序取各个头。",
        ),
        swap={"by_token = x.transpose(1, 2)": "by_token = x.flip(1).transpose(1, 2)"},
    ),
    Fault(
        "merge_heads_added",
        costs=["merge_layout", "heads_independent"],
        text=Text(
            en="merge_heads adds the heads up instead of setting them side by side: D features are left of H*D, and which head said what can no longer be told. Look at how merge_heads gets rid of the head axis.",
            zh="merge_heads 把各个头相加，而不是并排拼接：H*D 个特征只剩下 D 个，也再分不清哪个头说了什么。请看 merge_heads 是怎样去掉头轴的。",
        ),
        swap={"return by_token.reshape(batch, time, heads * features)": "return by_token.sum(dim=2)"},
    ),
    # -- head counts and parameters ------------------------------------------------------------------
    Fault(
        "split_cuts_features_off",
        costs=["bad_head_count"],
        text=Text(
            en="Where the heads do not divide the width, split_heads quietly drops the last features. A model built this way trains without a word and is worse for no visible reason. Look at what split_heads does when the remainder is not zero.",
            zh="头数不能整除宽度时，split_heads 悄悄丢掉最后几个特征。这样的模型照样能训练，效果却莫名其妙地差。请看余数不为零时 split_heads 做了什么。",
        ),
        swap={
            'if width % n_heads != 0:\n        raise ValueError(f"{width} features cannot be dealt out evenly to {n_heads} heads")': "x = x[..., : width // n_heads * n_heads]"
        },
    ),
    Fault(
        "constructor_takes_any_head_count",
        costs=["bad_head_count"],
        text=Text(
            en="The constructor takes every number of heads and only a later forward pass breaks, far away from the mistake. Whoever types a wrong size wants to hear it at once. Look at the beginning of __init__.",
            zh="构造函数接受任何头数，要等到前向计算才在很远的地方出错。写错尺寸的人应当马上知道。请看 __init__ 的开头。",
        ),
        swap={
            'if d_model % n_heads:\n            raise ValueError(f"d_model = {d_model} is not a multiple of n_heads = {n_heads}")\n        ': ""
        },
    ),
    Fault(
        "qkv_without_bias",
        costs=["parameters"],
        text=Text(
            en="The packed projection has no bias, so the weights of a trained model with biases cannot be loaded into it. Look at the options of the first linear layer in __init__.",
            zh="打包的投影层没有偏置，带偏置的训练好的权重就载入不了。请看 __init__ 里第一个线性层的参数。",
        ),
        swap={"nn.Linear(d_model, 3 * d_model)": "nn.Linear(d_model, 3 * d_model, bias=False)"},
    ),
    Fault(
        "out_without_bias",
        costs=["parameters"],
        text=Text(
            en="The output layer has no bias, so the weights of a trained model with biases cannot be loaded into it. Look at the options of the second linear layer in __init__.",
            zh="输出层没有偏置，带偏置的训练好的权重就载入不了。请看 __init__ 里第二个线性层的参数。",
        ),
        swap={"nn.Linear(d_model, d_model)": "nn.Linear(d_model, d_model, bias=False)"},
    ),
    # -- form of the result --------------------------------------------------------------------------
    Fault(
        "tuple_swapped",
        costs=["output_shape"],
        text=Text(
            en="With return_weights=True the weights come first and the output second. Code that unpacks the pair as the contract says would feed a table of weights to the next layer. Look at the order in the last line of forward.",
            zh="return_weights=True 时，先返回了权重，后返回输出。按约定拆包的代码会把权重表送进下一层。请看 forward 最后一行的顺序。",
        ),
        swap={RETURN: "return (weights, out) if return_weights else out"},
    ),
    Fault(
        "weights_always_returned",
        costs=["output_shape"],
        text=Text(
            en="forward returns a tuple even where nobody asked for the weights, so the module cannot stand in a chain of layers. Look at what return_weights decides in forward.",
            zh="没有要权重时 forward 也返回元组，这样的模块没法串进一连串的层里。请看 forward 里 return_weights 决定了什么。",
        ),
        swap={RETURN: "return out, weights"},
    ),
    Fault(
        "weights_never_returned",
        costs=["output_shape"],
        text=Text(
            en="return_weights=True changes nothing: the output comes back alone, and nobody can look at what the heads attend to. Look at where forward uses return_weights.",
            zh="return_weights=True 不起作用：只返回了输出，没法查看各个头在看什么。请看 forward 在哪里用到 return_weights。",
        ),
        swap={RETURN: "return out"},
    ),
    Fault(
        "weights_averaged",
        costs=["output_shape"],
        text=Text(
            en="The returned weights are the average over the heads: one table where the contract asks for one per head. What single heads have learned is lost in the mean. Look at what happens to the weights in the last line of forward.",
            zh="返回的权重是各头的平均：只有一张表，而约定是每个头一张。单个头学到的东西被平均掉了。请看 forward 最后一行对权重做了什么。",
        ),
        swap={RETURN: "return (out, weights.mean(dim=1)) if return_weights else out"},
    ),
    Fault(
        "output_float32",
        costs=["output_shape"],
        text=Text(
            en="The output is float32 whatever x is: in a float64 or bfloat16 model the next layer stops with an error, or precision is lost without notice. Look for a fixed dtype near the end of forward.",
            zh="无论 x 是什么 dtype，输出都是 float32：在 float64 或 bfloat16 的模型里，下一层会报错，或者悄悄损失精度。请在 forward 末尾附近找写死的 dtype。",
        ),
        swap={OUT: "out = self.out_proj(merged).float()"},
    ),
    # -- numbers -------------------------------------------------------------------------------------
    Fault(
        "packed_order_k_q_v",
        costs=["given_weights"],
        text=Text(
            en="Your query is what the contract calls the key, and the other way round: the table of scores is transposed, token i gets the scores that token j gives it. Look at the order in which the packed projection is taken apart (or at the two factors of the product).",
            zh="你的 query 是约定里的 key，key 又是约定里的 query：分数表被转置了，第 i 个 token 拿到的是别的 token 给它打的分。请看打包投影拆开时的顺序（或者乘积中两个因子的先后）。",
        ),
        swap={CHUNK: "k, q, v = packed.chunk(3, dim=-1)"},
    ),
    Fault(
        "packed_order_v_first",
        costs=["given_weights"],
        text=Text(
            en="You read the packed projection as value, key, query: what should be asked is handed out, and what should be handed out is asked. Loaded weights then do nonsense. Look at the three names on the left where the projection is taken apart.",
            zh="你把打包投影读成了 value、key、query：该用来提问的被当作内容，该当作内容的却用来提问，载入的权重就成了胡言乱语。请看拆开投影那一行左边的三个名字。",
        ),
        swap={CHUNK: "v, k, q = packed.chunk(3, dim=-1)"},
    ),
    Fault(
        "packed_interleaved",
        costs=["given_weights"],
        text=Text(
            en="Every third feature of the packed projection goes to the query, the next to the key, the next to the value. The contract packs them one after the other in three blocks, and loaded weights follow that. Look at how the last axis is cut into three.",
            zh="打包投影里每三个特征依次给 query、key、value。约定是三段前后相接，载入的权重也按那样排。请看最后一个轴是怎样切成三份的。",
        ),
        swap={CHUNK: "q, k, v = packed[..., 0::3], packed[..., 1::3], packed[..., 2::3]"},
    ),
    Fault(
        "packed_order_q_v_k",
        costs=["given_weights"],
        text=Text(
            en="You read the packed projection as query, value, key: tokens are found by what they should hand out, and hand out what they should be found by. Loaded weights then do nonsense. Look at the order in which the projection is taken apart.",
            zh="你把打包投影读成了 query、value、key：该传递的内容被拿去匹配，该匹配的却被传递，载入的权重就成了胡言乱语。请看拆开投影时的顺序。",
        ),
        swap={CHUNK: "q, v, k = packed.chunk(3, dim=-1)"},
    ),
    Fault(
        "packed_per_head",
        costs=["given_weights"],
        text=Text(
            en="You cut the packed projection into heads first and into query, key and value only then. With one head that is the same; with several, loaded weights go to the wrong places. Look at which cut comes first in your projection.",
            zh="你先把打包投影切成各个头，再切成 query、key、value。只有一个头时两者一样；头多了，载入的权重就去错了地方。请看投影时哪一刀先切。",
        ),
        swap={CHUNK: "q, k, v = packed.unflatten(-1, (self.n_heads, 3, -1)).transpose(-3, -2).flatten(-2).unbind(-2)"},
    ),
    Fault(
        "queries_for_keys",
        costs=["given_weights"],
        text=Text(
            en="Queries are compared with queries: the keys are never used, and every token mostly finds itself. The model cannot learn that what a token looks for differs from what it offers. Look at the two factors of the scores in forward.",
            zh="query 和 query 在比：key 没有用上，每个 token 多半只找到自己。模型学不会“想找什么”与“能提供什么”是两回事。请看 forward 里分数的两个因子。",
        ),
        swap={"scores = q @ k.transpose(-2, -1)": "scores = q @ q.transpose(-2, -1)"},
    ),
    Fault(
        "keys_for_values",
        costs=["given_weights"],
        text=Text(
            en="The weights are applied to the keys: what comes out is an average of what tokens are found by, not of what they have to say, and a third of the projection is never used. Look at the right factor of the last product in forward.",
            zh="权重乘到了 key 上：输出的是“靠什么被找到”的平均，而不是“要说什么”的平均，投影的三分之一也白算了。请看 forward 里最后一个乘积的右因子。",
        ),
        swap={VALUES: "values = self.dropout(weights) @ k"},
    ),
    Fault(
        "out_proj_unused",
        costs=["given_weights"],
        text=Text(
            en="The merged heads are returned without the output layer: its weights change nothing and never learn, and what the heads found is never combined. Look at what the last lines of forward do with the layer out_proj.",
            zh="合并后的各头没有经过输出层就返回了：输出层的权重不起作用，也学不到东西，各头的结果没有被综合起来。请看 forward 最后几行怎样对待 out_proj。",
        ),
        swap={OUT: "out = merged"},
    ),
    Fault(
        "residual_added",
        costs=["given_weights"],
        text=Text(
            en="The output is attention plus x. The residual connection belongs to the block around the module; with one inside as well, every token is added twice. Look at what is added in the last lines of forward.",
            zh="输出是注意力再加上 x。残差连接属于模块外面的 block；里面再加一次，每个 token 就被加了两遍。请看 forward 最后几行加上了什么。",
        ),
        swap={OUT: "out = self.out_proj(merged) + x"},
    ),
    Fault(
        "softmax_over_queries",
        costs=["given_weights"],
        text=Text(
            en="Your softmax runs over the queries: the columns of the table sum to 1, the rows do not. A token that nobody else looks at gets more than its share, and a row is no average any more. Look at the axis of the softmax.",
            zh="你的 softmax 沿 query 轴：表的每列和为 1，每行却不是。一行不再是平均，没有别人看的 token 反而被放大。请看 softmax 的轴。",
        ),
        swap={SOFTMAX: "weights = shown.softmax(dim=-2)"},
    ),
    Fault(
        "softmax_over_heads",
        costs=["given_weights", "heads_independent"],
        text=Text(
            en="Your softmax runs over axis 1, and in [B, H, T, T] that is the heads: they compete with each other for every pair of tokens, and with one head every weight is 1. Look at the axis of the softmax, counted from the end.",
            zh="你的 softmax 沿第 1 轴，而 [B, H, T, T] 的第 1 轴是头：每一对 token 上各个头在互相争；只有一个头时权重全是 1。请看 softmax 的轴，从后往前数一数。",
        ),
        swap={SOFTMAX: "weights = shown.softmax(dim=1)"},
    ),
    Fault(
        "gradient_cut",
        costs=["given_weights"],
        text=Text(
            en="The numbers are right, but the weights are cut off from the graph: no gradient reaches queries and keys, so the module never learns where to look. Look for detach, .data, .item or a tensor made anew between the scores and the values.",
            zh="数值对，但权重与计算图断开了：梯度传不到 query 和 key，模块永远学不会往哪里看。请在分数与取值之间找 detach、.data、.item 或新建的张量。",
        ),
        swap={VALUES: "values = self.dropout(weights.detach()) @ v"},
    ),
    Fault(
        "batch_and_heads_exchanged",
        costs=["given_weights"],
        text=Text(
            en="After attention the folded axis is taken apart as heads times batch although it was folded as batch times heads: one sample gets heads of another, and a sentence's output depends on its neighbours in the batch. Look at the sizes and their order where you unfold.",
            zh="注意力之后，按“头×批次”拆开了按“批次×头”合起来的轴：一个样本拿到了别的样本的头，一句话的输出竟取决于同批的邻居。请看拆开时的尺寸和先后顺序。",
        ),
        swap={
            "merged = merge_heads(values)": "merged = merge_heads(values.flatten(0, 1).unflatten(0, (self.n_heads, -1)).transpose(0, 1))"
        },
    ),
    # -- scale ---------------------------------------------------------------------------------------
    Fault(
        "no_scale",
        costs=["head_scale"],
        text=Text(
            en="Your scores are plain dot products. Their variance grows with D, so in a wide model the softmax is almost one-hot and hardly learns. Look at the step between the product and the softmax.",
            zh="你的分数就是原始点积。它的方差随 D 增大，模型一宽，softmax 就几乎只剩一个 1，很难再学。请看点积与 softmax 之间的那一步。",
        ),
        swap={SCALE: "scores = scores"},
    ),
    Fault(
        "scale_of_model_width",
        costs=["head_scale"],
        text=Text(
            en="You divide by the root of d_model, but a score of one head is a sum of only D = d_model / n_heads products: with many heads the weights come out too even. Look at which size stands under the root.",
            zh="你除以了 d_model 的平方根，而一个头的分数只是 D = d_model / n_heads 个乘积之和：头一多，权重就过于平均。请看根号下是哪个尺寸。",
        ),
        swap={SCALE: "scores = scores / math.sqrt(x.shape[-1])"},
    ),
    Fault(
        "scale_of_head_count",
        costs=["head_scale"],
        text=Text(
            en="You divide by the root of the number of heads. How many heads there are does not change how large a score gets; how many features one head has does. Look at which size stands under the root.",
            zh="你除以了头数的平方根。分数的大小与有多少个头无关，与一个头有多少特征有关。请看根号下是哪个尺寸。",
        ),
        swap={SCALE: "scores = scores / math.sqrt(self.n_heads)"},
    ),
    Fault(
        "scale_of_length",
        costs=["head_scale"],
        text=Text(
            en="You divide by the root of the number of tokens: the same sentence gets flatter weights only because it is longer. Look at which axis of the query the size under the root is taken from.",
            zh="你除以了 token 数的平方根：同样的内容，只因为句子长，权重就更平。请看根号下的尺寸取自 query 的哪个轴。",
        ),
        swap={SCALE: "scores = scores / math.sqrt(q.shape[-2])"},
    ),
    Fault(
        "scale_without_root",
        costs=["head_scale"],
        text=Text(
            en="The scores are divided by D itself (or twice by its root). Their standard deviation is only the root of D, so the weights come out nearly uniform. Look at everything between the projection and the softmax that makes scores smaller.",
            zh="分数除以了 D 本身（或者两次除以它的平方根）。分数的标准差只是 D 的平方根，这样权重几乎均匀。请看从投影到 softmax 之间所有缩小分数的地方。",
        ),
        swap={SCALE: "scores = scores / q.shape[-1]"},
    ),
    Fault(
        "scale_multiplied",
        costs=["head_scale"],
        text=Text(
            en="The scores are multiplied by the root of D instead of divided: large scores get larger, the softmax saturates and gradients vanish. Look at the operator of the scaling.",
            zh="分数乘了 D 的平方根，而不是除以它：大的更大，softmax 饱和，梯度消失。请看缩放用的运算符。",
        ),
        swap={SCALE: "scores = scores * math.sqrt(q.shape[-1])"},
    ),
    Fault(
        "scale_after_softmax",
        costs=["head_scale"],
        text=Text(
            en="The scale is applied after the softmax: the weights of a row no longer sum to 1 but to one over the root of D, and the scores that went in were unscaled. Look at where the division stands.",
            zh="缩放放在了 softmax 之后：一行权重之和不再是 1，而是根号 D 分之一，而进入 softmax 的分数却没有缩放。请看除法所在的位置。",
        ),
        swap={SCALE: "scores = scores", CLEARED: CLEARED.replace("weights.", "(weights / math.sqrt(q.shape[-1])).")},
    ),
    # -- heads ---------------------------------------------------------------------------------------
    Fault(
        "first_head_for_all",
        costs=["heads_independent"],
        text=Text(
            en="All heads use the weights of head 0: the others still mix their own values but can only look where the first one looks. Several heads then do what one could. Look for an index on the head axis between the softmax and the values.",
            zh="所有的头都用第 0 个头的权重：其余的头只是用自己的 value，看的地方却都跟着第一个头。多个头就只起一个头的作用。请在 softmax 与取值之间找对头轴的索引。",
        ),
        swap={VALUES: "values = self.dropout(weights[:, :1]) @ v"},
    ),
    Fault(
        "weights_shared_as_mean",
        costs=["heads_independent"],
        text=Text(
            en="All heads use the average of their weights: no head can look anywhere on its own, so several heads do what one could. Look for a mean or sum over the head axis between the softmax and the values.",
            zh="所有的头都用它们权重的平均：没有一个头能单独看某处，多个头只起一个头的作用。请在 softmax 与取值之间找沿头轴的求平均或求和。",
        ),
        swap={VALUES: "values = self.dropout(weights.mean(dim=1, keepdim=True)) @ v"},
    ),
    Fault(
        "every_head_meets_every_head",
        costs=["heads_independent"],
        text=Text(
            en="Queries of one head are multiplied with the keys of all heads: what they give is added up, so a head's scores depend on keys it should not know. Look at the letters of the einsum (or the sum) that makes the scores: is the head the same on both sides?",
            zh="一个头的 query 与所有头的 key 都做了点积再加起来：一个头的分数取决于它不该知道的 key。请看算分数的 einsum（或求和）里的字母：两边的头是同一个吗？",
        ),
        swap={"scores = q @ k.transpose(-2, -1)": "scores = q @ k.sum(dim=1, keepdim=True).transpose(-2, -1)"},
    ),
    Fault(
        "scores_added_over_heads",
        costs=["heads_independent"],
        text=Text(
            en="The scores of all heads are added up before the softmax, so every head ends up with the same weights: that is one wide head, not several. Look at what happens to the head axis when the scores are made.",
            zh="所有头的分数在 softmax 之前被加在了一起，每个头得到的权重都一样：这是一个宽的头，不是多个头。请看算分数时头轴怎么了。",
        ),
        swap={
            "scores = q @ k.transpose(-2, -1)": "scores = (q @ k.transpose(-2, -1)).sum(dim=1, keepdim=True).expand(-1, self.n_heads, -1, -1)"
        },
    ),
    # -- causal --------------------------------------------------------------------------------------
    Fault(
        "causal_ignored",
        costs=["future_invariance"],
        text=Text(
            en="causal=True changes nothing: every token sees the whole sequence. In training the model reads the answer off the next token, and in use it has nothing to read. Look at whether the causal mask you make is really used (many operations return a new tensor).",
            zh="causal=True 不起作用：每个 token 都能看到整个序列。训练时模型直接抄下一个 token，真正使用时就没得抄了。请看做出来的因果掩码是否真的用上了（很多操作返回的是新张量）。",
        ),
        swap={CAUSAL: "keep.tril()"},
    ),
    Fault(
        "causal_class_sees_all",
        costs=["future_invariance"],
        text=Text(
            en="CausalSelfAttention is not causal: it hands the other options on but not this one, so it sees the future as its parent does by default. Look at the call of the parent's constructor.",
            zh="CausalSelfAttention 并不因果：别的选项都传下去了，偏偏少了这一个，于是和父类的默认行为一样能看到未来。请看对父类构造函数的调用。",
        ),
        swap={
            "super().__init__(d_model, n_heads, dropout=dropout, causal=True)": "super().__init__(d_model, n_heads, dropout=dropout)"
        },
    ),
    Fault(
        "causal_upper_triangle",
        costs=["future_invariance"],
        text=Text(
            en="Your causal mask is the upper triangle: every token sees itself and what comes after it, and nothing before. Look at which triangle marks what may be seen, and whether True means seen or hidden where you use it.",
            zh="你的因果掩码是上三角：每个 token 看到自己和后面的，看不到前面的。请看哪个三角表示“可以看”，以及使用时 True 表示可见还是遮住。",
        ),
        swap={CAUSAL: "keep = keep.triu()"},
    ),
    Fault(
        "causal_one_ahead",
        costs=["future_invariance"],
        text=Text(
            en="Every token also sees the one right after it, which is just the token a language model has to predict: its loss would fall towards zero and mean nothing. Look at the diagonal your triangle starts from.",
            zh="每个 token 还能看到紧跟着的下一个，而那正是语言模型要预测的：损失会趋近于零，却毫无意义。请看三角是从哪条对角线开始的。",
        ),
        swap={CAUSAL: "keep = keep.tril(1)"},
    ),
    Fault(
        "causal_hides_self",
        costs=["future_invariance"],
        text=Text(
            en="No token sees itself, and the first one sees nothing at all. The contract hides only what comes later. Look at the diagonal your triangle starts from.",
            zh="每个 token 都看不到自己，第一个什么也看不到。约定里要遮住的只是后面的。请看三角是从哪条对角线开始的。",
        ),
        swap={CAUSAL: "keep = keep.tril(-1)"},
    ),
    Fault(
        "causal_first_head_only",
        costs=["future_invariance"],
        text=Text(
            en="Only the first head is causal; all others see the future. One leaking head is enough for a model to copy its answers. Look at the part of the scores that gets the causal mask.",
            zh="只有第一个头是因果的，其余的头都看得到未来。只要有一个头泄漏，模型就能照抄答案。请看因果掩码作用在了分数的哪一部分上。",
        ),
        swap={CAUSAL: "keep = torch.cat([keep.tril(), keep.expand(-1, self.n_heads - 1, -1, -1)], dim=1)"},
    ),
    Fault(
        "causal_zero_scores",
        costs=["future_invariance"],
        text=Text(
            en="The scores of later tokens are set to 0, and exp(0) is 1: they keep a share of the attention, and the future leaks in. Look at what value stands in the upper triangle when the softmax gets it.",
            zh="后面 token 的分数被设成 0，而 exp(0) 等于 1：它们仍分到注意力，未来的信息就漏了进来。请看进入 softmax 时上三角里是什么值。",
        ),
        swap={CAUSAL: "pass", SCALE: SCALE + "\n        scores = scores.tril() if self.causal else scores"},
    ),
    Fault(
        "causal_always",
        costs=["future_invariance"],
        text=Text(
            en="The module is causal even with causal=False. An encoder needs both directions; here no token ever sees what follows it. Look at how the option gets from __init__ to the mask.",
            zh="causal=False 时模块也是因果的。编码器需要看两个方向，这里却永远看不到后面。请看这个选项从 __init__ 到掩码是怎样传的。",
        ),
        swap={"self.causal = causal": "self.causal = True"},
    ),
    Fault(
        "causal_lost_under_padding",
        costs=["future_invariance"],
        text=Text(
            en="As soon as a padding mask is given, the causal mask is forgotten: with padded batches, that is in training, the model sees the future. Look at how the two masks are combined, and whether one overwrites the other.",
            zh="一旦给出填充掩码，因果掩码就丢了：带填充的批次（也就是训练时）模型会看到未来。请看两个掩码是怎样合并的，是不是一个覆盖了另一个。",
        ),
        swap={PADDING: "keep = real_key & real_query"},
    ),
    # -- padding -------------------------------------------------------------------------------------
    Fault(
        "padding_ignored",
        costs=["padding_in_module"],
        text=Text(
            en="The padding mask has no effect: real tokens look at padding, and a sentence's output depends on how far its batch was filled up. Look at whether the combined mask is really used (many operations return a new tensor).",
            zh="填充掩码没有作用：真实 token 会看填充，一句话的输出取决于这一批填充到多长。请看合并后的掩码是否真的用上了（很多操作返回的是新张量）。",
        ),
        swap={PADDING: "keep & real_key & real_query"},
    ),
    Fault(
        "padding_inverted",
        costs=["padding_in_module"],
        text=Text(
            en="The padding mask is read the wrong way round: real tokens are hidden and only padding is seen. Here True means a real token. Look at the meaning of True where you fill the scores.",
            zh="填充掩码读反了：真实 token 被遮住，只看得到填充。这里 True 表示真实 token。请看填充分数时 True 的含义。",
        ),
        swap={PADDING: "keep = keep & ~real_key", CLEARED: BY_QUERY},
    ),
    Fault(
        "padding_on_queries_only",
        costs=["padding_in_module"],
        text=Text(
            en="The mask blocks rows of padding queries, but real tokens still look at padding keys: the axis is the wrong one, or the keys were forgotten. Look at where the token axis of the mask ends up in [B, 1, T, T].",
            zh="掩码挡住的是填充 query 的行，真实 token 却仍然看得到填充的 key：轴放错了，或者忘了挡 key。请看掩码的 token 轴落在了 [B, 1, T, T] 的哪一维。",
        ),
        swap={PADDING: "keep = keep & real_query"},
    ),
    Fault(
        "padding_rows_kept",
        costs=["padding_in_module"],
        text=Text(
            en="Padding keys are hidden, but padding queries still gather values from the real tokens: their rows are not zero before the output layer, and a pooling or a loss over all rows would count them. Look at what becomes of the rows of padding tokens.",
            zh="填充的 key 遮住了，但填充的 query 仍从真实 token 收集取值：它们的行在输出层之前不是零，对所有行做池化或算损失时就会被算进去。请看填充 token 的那些行怎么处理。",
        ),
        swap={PADDING: "keep = keep & real_key", CLEARED: "pass"},
    ),
    Fault(
        "padding_rows_uniform",
        costs=["padding_in_module"],
        text=Text(
            en="Rows with no visible key come out as an even average over all tokens: a softmax over equal fills cannot give zeros. Look at what happens to such rows after the softmax.",
            zh="没有可见 key 的行成了对所有 token 的平均：对一排相同的填充值做 softmax，不会得到零。请看 softmax 之后如何处理这样的行。",
        ),
        swap={CLEARED: "pass"},
    ),
    Fault(
        "padding_rows_nan",
        costs=["padding_in_module"],
        text=Text(
            en="Rows with no visible key are a softmax over nothing but -inf: 0/0, NaN. One such row makes the loss and every gradient NaN. Look at what happens to such rows after the softmax.",
            zh="没有可见 key 的行，softmax 里全是负无穷：0/0 得 NaN。只要有一行，损失和所有梯度都成了 NaN。请看 softmax 之后如何处理这样的行。",
        ),
        swap={SHOWN: "shown = scores.masked_fill(~keep, -math.inf)", CLEARED: "pass"},
    ),
    Fault(
        "padding_zero_scores",
        costs=["padding_in_module"],
        text=Text(
            en="The scores of padding keys are set to 0, and exp(0) is 1: padding keeps a share of the attention of every real token. Look at the value you fill in for padding before the softmax.",
            zh="填充 key 的分数被设成 0，而 exp(0) 等于 1：填充仍从每个真实 token 那里分到注意力。请看 softmax 之前给填充填入的值。",
        ),
        swap={
            PADDING: "keep = keep & real_query",
            SCALE: SCALE
            + "\n        scores = scores if padding_mask is None else scores.masked_fill(~padding_mask[:, None, None, :], 0.0)",
        },
    ),
    Fault(
        "padding_first_sample",
        costs=["padding_in_module"],
        text=Text(
            en="The padding of the first sample is used for the whole batch: the others see their own padding or lose real tokens. Look at the index on the batch axis of the mask.",
            zh="整批都用了第一个样本的填充：别的样本要么看到自己的填充，要么丢了真实 token。请看掩码批次轴上的索引。",
        ),
        swap={PADDING: "keep = keep & real_key[:1]", CLEARED: BY_QUERY},
    ),
    Fault(
        "padding_on_heads",
        costs=["padding_in_module"],
        text=Text(
            en="The batch axis of the padding mask meets the heads: [B, 1, T] beside scores of four axes. Where there are as many samples as heads, each head gets another sample's padding; elsewhere it is an error. Count the axes of the mask in forward.",
            zh="填充掩码的批次轴对上了头：四个轴的分数旁边放的是 [B, 1, T]。样本数与头数相同时，每个头用的是另一个样本的填充；不同时就报错。请数一数 forward 里掩码的轴。",
        ),
        swap={
            PADDING: "keep = keep & padding_mask[None, :, None, :] & torch.ones(1, self.n_heads, 1, 1, dtype=torch.bool)",
            CLEARED: BY_QUERY,
        },
    ),
    Fault(
        "padding_tiled",
        costs=["padding_in_module"],
        text=Text(
            en="The heads are folded as sample 0 head 0, sample 0 head 1, ..., but the mask is repeated as whole batches after each other: samples get each other's padding as soon as there are several heads. Look at the order in which the mask is repeated.",
            zh="多头是按“样本 0 头 0、样本 0 头 1……”折叠的，掩码却整批整批地重复：只要有多个头，样本就会用上别人的填充。请看掩码重复的顺序。",
        ),
        swap={
            PADDING: "tiled = padding_mask.repeat(self.n_heads, 1).unflatten(0, (-1, self.n_heads))\n            keep = keep & tiled[:, :, None, :] & tiled[:, :, :, None]"
        },
    ),
    Fault(
        "padding_after_softmax",
        costs=["padding_in_module"],
        text=Text(
            en="Padding is taken out after the softmax: its share is missing, so the weights of a real row sum to less than 1, and how much less depends on what stands in the padding. Look at where the padding mask comes in, before or after the softmax.",
            zh="填充是在 softmax 之后才去掉的：它分走的份额没有还回来，真实行的权重之和小于 1，而且小多少取决于填充里的内容。请看填充掩码是在 softmax 之前还是之后起作用。",
        ),
        swap={
            VISIBLE: "keep = self.visible(x, None)",
            CLEARED: "weights = weights.masked_fill(~self.visible(x, padding_mask), 0.0)",
        },
    ),
    Fault(
        "padding_times_x",
        costs=["padding_in_module"],
        text=Text(
            en="You set x to 0 at padding tokens instead of masking the scores. A zero token still has a key and a value (the biases) and takes its share of the softmax. Look at what the padding mask is applied to.",
            zh="你把填充处的 x 设成 0，而没有遮住分数。全零的 token 仍有 key 和 value（也就是偏置），照样在 softmax 里分走一份。请看填充掩码作用在了什么上。",
        ),
        swap={
            "q, k, v = self.project(x)": "q, k, v = self.project(x if padding_mask is None else x * padding_mask[..., None])",
            PADDING: "keep = keep & real_query",
        },
    ),
    Fault(
        "padding_zeroed_at_the_end",
        costs=["padding_in_module"],
        text=Text(
            en="Rows of padding are zero after the output layer; the contract wants them zero before it, so that they come out as its bias. Look at which side of out_proj the zeroing stands on.",
            zh="填充的行是在输出层之后清零的；约定是在它之前为零，输出就是它的偏置。请看清零放在了 out_proj 的哪一边。",
        ),
        swap={
            OUT: "out = self.out_proj(merged)\n        if padding_mask is not None:\n            out = out.masked_fill(~padding_mask[..., None], 0.0)"
        },
    ),
    Fault(
        "padding_lost_under_causal",
        costs=["padding_in_module"],
        text=Text(
            en="A causal module forgets the padding mask. With padding on the right nobody notices, since it lies in the future; with padding on the left every token reads it. Look at whether both masks can be applied in one call.",
            zh="因果模块忘了填充掩码。填充在右边时看不出来，因为它本来就在未来；填充在左边时，每个 token 都会读到它。请看一次调用里两个掩码能否同时起作用。",
        ),
        swap={PADDING: "keep = keep & (real_key | self.causal) & real_query"},
    ),
    Fault(
        "masks_joined_with_or",
        costs=["padding_in_module"],
        text=Text(
            en="The masks are joined with OR: a key is seen where either of them shows it, so each undoes the other. Here True means visible, and a key has to be allowed by both. Look at the operator between the masks.",
            zh="两个掩码用“或”合在了一起：只要有一个允许就能看到，两者互相抵消。这里 True 表示可见，一个 key 必须两边都允许。请看两个掩码之间的运算符。",
        ),
        swap={PADDING: "keep = keep | (real_key & real_query)"},
    ),
    Fault(
        "padding_or_past",
        costs=["padding_in_module"],
        text=Text(
            en="A key is seen where EITHER mask shows it, in a module that is not causal, too: padding that lies in the past, real tokens that lie in the future. Here True means visible, and a key has to be allowed by both. Look at the operator between the masks.",
            zh="只要有一个掩码允许，key 就看得到，不是因果的模块也一样：过去的填充、未来的真实 token 都能看到。这里 True 表示可见，一个 key 必须两边都允许。请看两个掩码之间的运算符。",
        ),
        swap={PADDING: "keep = keep.tril() | real_key", CLEARED: BY_QUERY},
    ),
    Fault(
        "padding_mask_written_into",
        costs=["padding_in_module"],
        text=Text(
            en="The padding mask is changed in place: the first call is right, but afterwards the caller's mask says the opposite, and the next layer that gets it hides the real tokens. Look for a method ending in an underscore on the mask.",
            zh="填充掩码被原地改写了：第一次调用是对的，之后调用者手里的掩码却变成了相反的意思，下一层拿到它就会遮住真实 token。请找掩码上以下划线结尾的方法。",
        ),
        swap={
            "real_key = padding_mask[:, None, None, :]": "hidden = padding_mask.logical_not_()\n            real_key = ~hidden[:, None, None, :]",
            "real_query = padding_mask[:, None, :, None]": "real_query = ~hidden[:, None, :, None]",
        },
    ),
    Fault(
        "padding_written_into_x",
        costs=["padding_in_module"],
        text=Text(
            en="The output is right, but forward sets x to 0 at padding tokens: after the call the caller's tensor has changed, which spoils whatever else uses it, a residual connection for one. Look for an assignment into x or into a view of it.",
            zh="输出是对的，但 forward 把 x 在填充处改成了 0：调用之后，调用者手里的张量变了，别处再用它（比如残差连接）就会出错。请找对 x 或其视图的赋值。",
        ),
        swap={
            "q, k, v = self.project(x)": "if padding_mask is not None:\n            x[~padding_mask] = 0.0\n        q, k, v = self.project(x)"
        },
    ),
    # -- both masks ----------------------------------------------------------------------------------
    Fault(
        "mask_thrown_away",
        costs=["future_invariance", "padding_in_module"],
        text=Text(
            en="No mask has any effect, neither the causal one nor the one for padding: the filled scores are computed, and the unfilled ones go into the softmax. Look at which variable the softmax gets.",
            zh="两个掩码都不起作用，无论因果还是填充：填好的分数算出来了，进入 softmax 的却是没填的。请看 softmax 用的是哪个变量。",
        ),
        swap={SOFTMAX: "weights = scores.softmax(dim=-1)", CLEARED: "pass"},
    ),
    Fault(
        "zero_fill",
        costs=["future_invariance", "padding_in_module"],
        text=Text(
            en="Hidden keys get the score 0, and exp(0) is 1: later tokens and padding keep a share of the attention. Look at the value you fill in before the softmax.",
            zh="被遮住的 key 的分数填成了 0，而 exp(0) 等于 1：后面的 token 和填充仍分到注意力。请看 softmax 之前填入的值。",
        ),
        swap={SHOWN: "shown = scores.masked_fill(~keep, 0.0)", CLEARED: "pass"},
    ),
    Fault(
        "mask_after_softmax",
        costs=["future_invariance", "padding_in_module"],
        text=Text(
            en="Hidden keys are taken out only after the softmax: their share is missing, rows sum to less than 1, and how much less tells a token about its future. Look at where the mask comes in, before or after the softmax.",
            zh="被遮住的 key 在 softmax 之后才去掉：它们的份额没有还回来，每行之和小于 1，而小多少恰恰泄露了未来。请看掩码是在 softmax 之前还是之后起作用。",
        ),
        swap={SHOWN: "shown = scores"},
    ),
    # -- dropout -------------------------------------------------------------------------------------
    Fault(
        "dropout_in_eval",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout also acts in eval mode: the same sentence gets another answer at every call. The function form of dropout does not know the mode of the module. Look at how dropout is called in forward.",
            zh="eval 模式下 dropout 仍在起作用：同一句话每次调用结果都不同。函数形式的 dropout 并不知道模块处于哪种模式。请看 forward 里怎样调用 dropout。",
        ),
        swap={VALUES: "values = nn.functional.dropout(weights, self.dropout.p) @ v"},
    ),
    Fault(
        "dropout_never",
        costs=["dropout_modes"],
        text=Text(
            en="In training mode nothing is dropped: there is no regularisation although the option says so. Look at what happens to the weights between the softmax and the values.",
            zh="训练模式下什么也没丢：选项写着有 dropout，训练时却没有任何正则化。请看 softmax 之后、乘 value 之前权重经过了什么。",
        ),
        swap={VALUES: "values = weights @ v"},
    ),
    Fault(
        "dropout_of_fixed_rate",
        costs=["dropout_modes"],
        text=Text(
            en="The rate is fixed at 0.1: the option dropout changes nothing, and a module that should drop nothing does. Look at where the rate that was asked for goes in __init__.",
            zh="丢弃率写死成了 0.1：参数 dropout 不起作用，要求不丢的模块也在丢。请看 __init__ 里传入的比率去了哪里。",
        ),
        swap={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Fault(
        "dropout_on_scores",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the scores: a dropped score is 0, and exp(0) is 1, so nothing is really dropped, hidden keys can even come back. Look at which tensor goes through dropout.",
            zh="dropout 作用在分数上：被丢的分数是 0，而 exp(0) 等于 1，其实什么也没丢，连遮住的 key 都可能回来。请看哪个张量经过了 dropout。",
        ),
        swap={SOFTMAX: "weights = self.dropout(shown).softmax(dim=-1)", VALUES: "values = weights @ v"},
    ),
    Fault(
        "dropout_on_values",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the values: single features vanish for all queries at once, while the weights stay whole. The contract drops connections between tokens. Look at which tensor goes through dropout.",
            zh="dropout 作用在 value 上：个别特征对所有 query 一起消失，权重却完整无缺。约定要丢的是 token 之间的连接。请看哪个张量经过了 dropout。",
        ),
        swap={VALUES: "values = weights @ self.dropout(v)"},
    ),
    Fault(
        "dropout_on_output",
        costs=["dropout_modes"],
        text=Text(
            en="Dropout acts on the output of the module, not on the weights: single output features vanish, and no connection between tokens is ever dropped. Look at which tensor goes through dropout.",
            zh="dropout 作用在模块的输出上，而不是权重上：消失的是个别输出特征，token 之间的连接一条也没丢。请看哪个张量经过了 dropout。",
        ),
        swap={VALUES: "values = weights @ v", OUT: "out = self.dropout(self.out_proj(merged))"},
    ),
    Fault(
        "dropout_not_rescaled",
        costs=["dropout_modes"],
        text=Text(
            en="Dropped weights are zero, but the others are not made larger in turn: in training the values come out smaller on average than in use. Look at what the surviving weights are divided by.",
            zh="丢掉的权重是零，留下的却没有相应放大：训练时的取值平均比使用时小。请看留下的权重除以了什么。",
        ),
        swap={
            VALUES: "kept = torch.rand_like(weights) >= self.dropout.p\n        values = (weights * kept if self.training else weights) @ v"
        },
    ),
    Fault(
        "dropout_rate_reversed",
        costs=["dropout_modes"],
        text=Text(
            en="The rate is taken as the chance to keep a weight: with dropout=0.1 nine of ten weights vanish, and with dropout=0 all of them. Look at the number the dropout layer gets in __init__.",
            zh="把丢弃率当成了保留的概率：dropout=0.1 时十个权重丢掉九个，dropout=0 时全部丢掉。请看 __init__ 里交给 dropout 层的数。",
        ),
        swap={"nn.Dropout(dropout)": "nn.Dropout(1 - dropout)"},
    ),
]
