# ruff: noqa: E501 -- sentences for people, a paragraph each
"""Known mistakes of by_hand: what each computes, what it costs, and what to tell whoever made it."""

from grader.diagnosis import Fault, Text

CHANCE = 0.2  # two variances of some thousand draws are nearer to each other than this

FAULTS = [
    # -- causal_average ----------------------------------------------------------------------------
    Fault(
        "sum_not_divided",
        costs=["causal_average"],
        text=Text(
            en="Your rows are running sums: they grow with every token, and later tokens would outweigh earlier ones. "
            "Look at the last step of causal_average.",
            zh="你的每一行是累计和：token 越往后数值越大，会盖过前面的。请看 causal_average 的最后一步。",
        ),
        swap={"totals / counts[:, None]": "totals"},
    ),
    Fault(
        "divided_by_all_rows",
        costs=["causal_average"],
        text=Text(
            en="Every running sum is divided by the number of all rows. Row i has only i + 1 rows in it, so the early "
            "ones come out too small. Look at the divisor in causal_average.",
            zh="每个累计和都除以了总行数。第 i 行里只有 i + 1 行，前面的行就偏小了。请看 causal_average 的除数。",
        ),
        swap={"totals / counts[:, None]": "totals / len(x)"},
    ),
    Fault(
        "mean_of_all_rows",
        costs=["causal_average"],
        text=Text(
            en="Every row is the mean of all rows, later ones included: a language model would read what it is to "
            "predict. Look at which rows causal_average takes for row i.",
            zh="每一行都是全部行的均值，后面的也算在内：语言模型会读到它该预测的内容。请看 causal_average 为第 i 行取了哪些行。",
        ),
        swap={"totals / counts[:, None]": "np.repeat(x.mean(axis=0, keepdims=True), len(x), axis=0)"},
    ),
    Fault(
        "mean_of_later_rows",
        costs=["causal_average"],
        text=Text(
            en="Row i is the mean of row i and those AFTER it: the triangle is the wrong one, and every row sees its "
            "future. Look at the direction in which causal_average adds up.",
            zh="第 i 行是它自己和后面各行的均值：三角形取反了，每一行看到的都是未来。请看 causal_average 是朝哪个方向累加的。",
        ),
        swap={"totals / counts[:, None]": "(np.cumsum(x[::-1], axis=0) / counts[:, None])[::-1]"},
    ),
    Fault(
        "mean_without_itself",
        costs=["causal_average"],
        text=Text(
            en="Row i is the mean of the rows before it, without row i itself; the first one has nothing to average. A "
            "token may always look at itself. Look at where the range in causal_average ends.",
            zh="第 i 行只平均了它之前的行，没有算上自己；第一行就没有可平均的了。token 总可以看自己。请看 causal_average 的范围到哪里为止。",
        ),
        swap={"totals / counts[:, None]": "(totals - x) / np.maximum(counts - 1, 1)[:, None]"},
    ),
    Fault(
        "mean_of_two_rows",
        costs=["causal_average"],
        text=Text(
            en="Row i is the mean of itself and the row before it only: all that came earlier is forgotten. Look at where the range in "
            "causal_average begins.",
            zh="第 i 行只平均了它自己和前一行：更早的都被忘掉了。请看 causal_average 的范围从哪里开始。",
        ),
        swap={"totals / counts[:, None]": "(x + np.vstack([0 * x[:1], x[:-1]])) / np.minimum(counts, 2)[:, None]"},
    ),
    Fault(
        "mean_without_itself_but_in_the_first",
        costs=["causal_average"],
        text=Text(
            en="Row i is the mean of the rows before it, without row i itself; only the first row stands for itself. A token may always look at itself. Look at where the range in causal_average ends.",
            zh="第 i 行只平均了它之前的行，没有算上自己；只有第一行用的是它自己。token 总可以看自己。请看 causal_average 的范围到哪里为止。",
        ),
        swap={
            "totals / counts[:, None]": "np.vstack([x[:1], ((totals - x) / np.maximum(counts - 1, 1)[:, None])[1:]])"
        },
    ),
    Fault(
        "sum_along_features",
        costs=["causal_average"],
        text=Text(
            en="Your sums run along the features of one token instead of along the tokens: nothing is passed from token "
            "to token. Look at the axis in causal_average.",
            zh="你是沿一个 token 的特征累加，而不是沿 token 累加：token 之间什么也没有传递。请看 causal_average 里的 axis。",
        ),
        swap={"np.cumsum(x, axis=0)": "np.cumsum(x, axis=1)"},
    ),
    # -- dot_scores --------------------------------------------------------------------------------
    Fault(
        "keys_by_queries",
        costs=["dot_scores", "worked_example"],
        text=Text(
            en="Your table has a row for each key and a column for each query. The softmax that follows would share out a "
            "key among the queries. Look at the order of the two factors in dot_scores.",
            zh="你的表每行是一个 key，每列是一个 query。接下来的 softmax 就成了把 key 分给各个 query。请看 dot_scores 里两个因子的顺序。",
        ),
        swap={"q @ k.T": "k @ q.T"},
    ),
    Fault(
        "scores_already_scaled",
        costs=["dot_scores"],
        text=Text(
            en="dot_scores divides by the root of the width. That step has a function of its own; done twice, the weights "
            "come out nearly uniform. Look at what stands behind the product in dot_scores.",
            zh="dot_scores 里已经除以了宽度的平方根。这一步另有函数；做两次，权重就几乎均匀了。请看 dot_scores 的乘积后面还有什么。",
        ),
        swap={"q @ k.T": "q @ k.T / np.sqrt(q.shape[-1])"},
    ),
    Fault(
        "cosines",
        costs=["dot_scores"],
        text=Text(
            en="Your scores are cosines: lengths are divided out, so all scores lie between -1 and 1 and no key can ever "
            "stand out. Look at what you do with the lengths in dot_scores.",
            zh="你的分数是余弦：长度被除掉了，分数只在 -1 到 1 之间，没有哪个 key 能真正突出。请看 dot_scores 里对长度做了什么。",
        ),
        swap={
            "q @ k.T": "(q / np.linalg.norm(q, axis=-1, keepdims=True)) @ (k / np.linalg.norm(k, axis=-1, keepdims=True)).T"
        },
    ),
    Fault(
        "squared_distances",
        costs=["dot_scores"],
        text=Text(
            en="Your scores are negative squared distances instead of dot products: a long key that points the right way "
            "is punished for its length. Look at what dot_scores computes from a query and a key.",
            zh="你的分数是负的距离平方，而不是点积：方向一致但较长的 key 反而吃亏。请看 dot_scores 用 query 和 key 算的是什么。",
        ),
        swap={"q @ k.T": "-((q[:, None, :] - k[None, :, :]) ** 2).sum(axis=-1)"},
    ),
    Fault(
        "queries_with_queries",
        costs=["dot_scores", "worked_example"],
        text=Text(
            en="Your scores compare the queries with one another; k is never used. So the keys, by which tokens let "
            "themselves be found, have no say. Look at the second factor in dot_scores.",
            zh="你的分数是 query 与 query 之间的点积，k 没有用上。key 决定 token 怎样被找到，这里却毫无作用。请看 dot_scores 里的第二个因子。",
        ),
        swap={"q @ k.T": "q @ q.T"},
    ),
    # -- scale_scores ------------------------------------------------------------------------------
    Fault(
        "not_scaled",
        costs=["scale"],
        text=Text(
            en="scale_scores gives its scores back as they came. Their variance grows with d_k, and the softmax becomes "
            "almost one-hot in wide models. Look at what scale_scores returns.",
            zh="scale_scores 把分数原样返回了。分数的方差随 d_k 增大，模型一宽，softmax 就几乎只剩一个 1。请看 scale_scores 的返回值。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores * 1.0"},
    ),
    Fault(
        "scaled_by_the_width",
        costs=["scale"],
        text=Text(
            en="Your scores are divided by d_k itself. Their standard deviation is the root of d_k, so they come out too "
            "small and the weights nearly uniform. Look at the divisor in scale_scores.",
            zh="你除以的是 d_k 本身。分数的标准差是 d_k 的平方根，这样会缩得太小，权重几乎均匀。请看 scale_scores 的除数。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores / d_k"},
    ),
    Fault(
        "multiplied_by_the_root",
        costs=["scale"],
        text=Text(
            en="Your scores are multiplied by the root of d_k: they grow instead of shrinking, and the softmax saturates. "
            "Look at the operation in scale_scores.",
            zh="你把分数乘了 d_k 的平方根：越缩放越大，softmax 会饱和。请看 scale_scores 里用的运算。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores * np.sqrt(d_k)"},
    ),
    Fault(
        "width_of_the_example",
        costs=["scale"],
        text=Text(
            en="scale_scores always divides by the root of 2, the width of the worked example. Another width needs "
            "another divisor. Look at where scale_scores uses d_k.",
            zh="scale_scores 总是除以根号 2，那是例题的宽度。宽度变了，除数也要变。请看 scale_scores 哪里用到了 d_k。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores / np.sqrt(2.0)"},
    ),
    Fault(
        "divided_by_the_fourth_root",
        costs=["scale"],
        text=Text(
            en="scale_scores divides by the fourth root of d_k. That is half of the scale, for each of q and k where both are scaled; the scores here have to be divided by the square root. Look at the exponent in scale_scores.",
            zh="scale_scores 除以的是 d_k 的四次方根。那是把缩放分摊给 q 和 k 时每一边的一半；这里的分数要除以平方根。请看 scale_scores 里的指数。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores / d_k**0.25"},
    ),
    Fault(
        "scaled_by_the_number_of_keys",
        costs=["scale"],
        text=Text(
            en="You divide by the root of the number of keys. How much a dot product varies depends on the entries it "
            "adds up, d_k, not on how many keys there are. Look at the size under the root in scale_scores.",
            zh="你除以的是 key 个数的平方根。点积的大小取决于它加了多少项，也就是 d_k，与 key 的个数无关。请看 scale_scores 根号下的数。",
        ),
        swap={"scores / np.sqrt(d_k)": "scores / np.sqrt(scores.shape[-1])"},
    ),
    # -- softmax -----------------------------------------------------------------------------------
    Fault(
        "softmax_over_first_axis",
        costs=["softmax"],
        text=Text(
            en="Your softmax runs along the first axis: columns sum to 1. With one row of scores it looks right; with "
            "more, the queries share out a key. Look at both axes in softmax.",
            zh="你的 softmax 沿第一个轴：每列和为 1。只有一行时看着没错，行一多，就成了各个 query 瓜分一个 key。请看 softmax 里的 axis。",
        ),
        swap={
            "scores.max(axis=-1, keepdims=True)": "scores.max(axis=0, keepdims=True)",
            "powers / powers.sum(axis=-1, keepdims=True)": "powers / powers.sum(axis=0, keepdims=True)",
        },
    ),
    Fault(
        "softmax_over_axis_one",
        costs=["softmax"],
        text=Text(
            en="Your softmax runs along axis 1. With two axes those are the keys; a single row of scores has no such axis, and with more axes it is another one. Look at the axis in softmax, and count from the end.",
            zh="你的 softmax 沿第 1 轴。两个轴时那是 key；只有一行分数时没有这个轴，轴更多时指的又是别的。请看 softmax 里的 axis，要从末尾数起。",
        ),
        swap={
            "scores.max(axis=-1, keepdims=True)": "scores.max(axis=1, keepdims=True)",
            "powers / powers.sum(axis=-1, keepdims=True)": "powers / powers.sum(axis=1, keepdims=True)",
        },
    ),
    Fault(
        "softmax_over_everything",
        costs=["softmax"],
        text=Text(
            en="You divide by the sum of the whole array: only all entries together make 1, and each query gets a share "
            "of the attention that hangs on the others. Look at the sum in softmax.",
            zh="你除以的是整个数组的和：全部元素加起来才是 1，一个 query 分到多少竟取决于别的 query。请看 softmax 里的求和。",
        ),
        swap={
            "scores.max(axis=-1, keepdims=True)": "scores.max()",
            "powers / powers.sum(axis=-1, keepdims=True)": "powers / powers.sum()",
        },
    ),
    Fault(
        "keepdims_forgotten",
        costs=["softmax"],
        text=Text(
            en="Maximum and sum lose their axis (no keepdims): in a square table each column is divided by another row's "
            "sum, in others an error comes. Look at maximum and sum in softmax.",
            zh="求最大值和求和时轴被去掉了（没有 keepdims）：方阵里每一列除以了别的行的和，其他形状则会报错。请看 softmax 里的最大值与求和。",
        ),
        swap={
            "scores.max(axis=-1, keepdims=True)": "scores.max(axis=-1)",
            "powers / powers.sum(axis=-1, keepdims=True)": "powers / powers.sum(axis=-1)",
        },
    ),
    Fault(
        "not_divided",
        costs=["softmax"],
        text=Text(
            en="Your softmax leaves the powers as they are: the largest is 1, and a row sums to anything. An average "
            "needs shares that sum to 1. Look at the last step of softmax.",
            zh="你的 softmax 没有除以总和：最大的是 1，一行加起来是多少都有可能。求平均需要和为 1 的份额。请看 softmax 的最后一步。",
        ),
        swap={"powers / powers.sum(axis=-1, keepdims=True)": "powers"},
    ),
    Fault(
        "without_exponential",
        costs=["softmax", "softmax_stable"],
        text=Text(
            en="Your softmax divides scores by their sum, without the exponential. Shares may then be negative or huge, "
            "and the sum may be 0. Look at what softmax does before it divides.",
            zh="你的 softmax 没有取指数，直接用分数除以总和。份额可能是负数或极大的数，总和还可能是 0。请看 softmax 在除法之前做了什么。",
        ),
        swap={"powers / powers.sum(axis=-1, keepdims=True)": "scores / scores.sum(axis=-1, keepdims=True)"},
    ),
    Fault(
        "sigmoid",
        costs=["softmax"],
        text=Text(
            en="Your weights are a sigmoid of each score by itself: keys do not compete, and rows do not sum to 1. Look "
            "at what softmax divides by.",
            zh="你的权重是对每个分数单独做 sigmoid：key 之间没有竞争，每行之和也不是 1。请看 softmax 除以的是什么。",
        ),
        swap={"powers / powers.sum(axis=-1, keepdims=True)": "(1 + np.tanh(scores / 2)) / 2"},
    ),
    Fault(
        "powers_of_two",
        costs=["softmax"],
        text=Text(
            en="Your softmax takes powers of 2 instead of e: the weights come out flatter than they should. Look at the "
            "power in softmax.",
            zh="你的 softmax 用的是 2 的幂，而不是 e 的幂：权重会比应有的更平。请看 softmax 里的幂。",
        ),
        swap={"np.exp(shifted)": "np.exp2(shifted)"},
    ),
    Fault(
        "not_shifted",
        costs=["softmax_stable"],
        text=Text(
            en="Your softmax takes exp of the scores as they are. From about 710 on that is infinity, and infinity "
            "divided by infinity is NaN. Look at what softmax does before exp.",
            zh="你的 softmax 直接对分数取 exp。分数超过约 710 就成了无穷大，无穷除以无穷是 NaN。请看 softmax 在取 exp 之前做了什么。",
        ),
        swap={
            "def softmax(scores": '@np.errstate(over="ignore", invalid="ignore")\ndef softmax(scores',
            "shifted = scores - scores.max(axis=-1, keepdims=True)": "shifted = scores",
        },
    ),
    Fault(
        "one_maximum_for_all",
        costs=["softmax_stable"],
        text=Text(
            en="One maximum is taken off for the whole array. A row far below it is all zeros after exp, and 0 divided by "
            "0 is NaN. Look at the maximum in softmax.",
            zh="整个数组只减了同一个最大值。远低于它的那一行，exp 之后全是 0，而 0 除以 0 是 NaN。请看 softmax 里的最大值。",
        ),
        swap={
            "def softmax(scores": '@np.errstate(over="ignore", invalid="ignore")\ndef softmax(scores',
            "scores.max(axis=-1, keepdims=True)": "scores.max()",
        },
    ),
    Fault(
        "clipped",
        costs=["softmax_stable"],
        text=Text(
            en="Scores are cut off at 500 to keep exp from overflowing. Among larger ones the differences are gone: all "
            "keys get the same weight. Look at what softmax does to large scores.",
            zh="为了不让 exp 溢出，分数在 500 处被截断了。更大的分数之间就没有差别了：所有 key 的权重都一样。请看 softmax 怎样处理很大的分数。",
        ),
        swap={"shifted = scores - scores.max(axis=-1, keepdims=True)": "shifted = np.clip(scores, -500, 500)"},
    ),
    # -- weighted_sum ------------------------------------------------------------------------------
    Fault(
        "mean_over_keys",
        costs=["weighted_sum"],
        text=Text(
            en="Your output is divided by the number of keys once more. The weights are shares of one already, so every "
            "further key makes the output smaller. Look at what stands behind the product in weighted_sum.",
            zh="你的输出又除以了一次 key 的个数。权重本来就是份额，这样 key 越多，输出越小。请看 weighted_sum 的乘积后面还有什么。",
        ),
        swap={"    return weights @ v": "    return weights @ v / len(v)"},
    ),
    Fault(
        "weights_transposed",
        costs=["weighted_sum", "worked_example"],
        text=Text(
            en="The weights are transposed before they meet the values: each token collects what the others gave to it. "
            "Look at the first factor in weighted_sum.",
            zh="权重先转置了才与 v 相乘：每个 token 收集的是别人分给它的份额。请看 weighted_sum 的第一个因子。",
        ),
        swap={"    return weights @ v": "    return weights.T @ v"},
    ),
    Fault(
        "weights_made_shares_again",
        costs=["weighted_sum"],
        text=Text(
            en="weighted_sum divides the weights by their sum once more. That hides a softmax that went wrong, and "
            "changes what you were asked to add up. Look at what weighted_sum does with its weights.",
            zh="weighted_sum 又把权重除以了它们的和。这会掩盖出错的 softmax，也改变了要求你相加的数。请看 weighted_sum 对权重做了什么。",
        ),
        swap={"    return weights @ v": "    return weights @ v / weights.sum(axis=-1, keepdims=True)"},
    ),
    Fault(
        "largest_weight_takes_all",
        costs=["weighted_sum"],
        text=Text(
            en="Each row of your output is the one value with the largest weight. Attention mixes all values; picking one "
            "has no gradient to learn from. Look at how weighted_sum uses the weights.",
            zh="你的输出每行只取了权重最大的那一个 value。注意力是把所有 value 混合起来；只挑一个，就没有梯度可学。请看 weighted_sum 怎样使用权重。",
        ),
        swap={"    return weights @ v": "    return v[weights.argmax(axis=-1)]"},
    ),
    Fault(
        "weights_ignored",
        costs=["weighted_sum"],
        text=Text(
            en="Your output is the plain sum of all values, the same for every query: the weights have no say. Look at "
            "where weighted_sum uses them.",
            zh="你的输出是所有 value 的直接相加，每个 query 都一样：权重没有起作用。请看 weighted_sum 哪里用到了权重。",
        ),
        swap={"    return weights @ v": "    return weights * 0 @ v + v.sum(axis=0)"},
    ),
    # -- worked_example ----------------------------------------------------------------------------
    Fault(
        "example_not_scaled",
        costs=["worked_example"],
        text=Text(
            en="Your example goes from the scores straight to the weights: 'scaled' holds the scores once more. Look at "
            "the step with the root of 2 in worked_example.",
            zh="你的例题从分数直接到了权重：“scaled” 里还是原来的分数。请看 worked_example 里除以根号 2 的那一步。",
        ),
        swap={"scaled = scale_scores(scores, 2)": "scaled = scores"},
    ),
    Fault(
        "example_weights_of_raw_scores",
        costs=["worked_example"],
        text=Text(
            en="Your example scales its scores and then makes the weights of the unscaled ones. Look at what goes into the softmax in worked_example.",
            zh="你的例题缩放了分数，权重却是用没有缩放的分数算的。请看 worked_example 里 softmax 用的是哪个变量。",
        ),
        swap={"weights = softmax(scaled)": "weights = softmax(scores)"},
    ),
    Fault(
        "example_scaled_by_three",
        costs=["worked_example"],
        text=Text(
            en="Your example divides by the root of 3, the number of tokens. What counts is the width of the vectors, 2. "
            "Look at the second argument of scale_scores in worked_example.",
            zh="你的例题除以了根号 3，那是 token 的个数。应当看的是向量的宽度，也就是 2。请看 worked_example 里 scale_scores 的第二个参数。",
        ),
        swap={"scale_scores(scores, 2)": "scale_scores(scores, 3)"},
    ),
    Fault(
        "example_of_first_token",
        costs=["worked_example"],
        text=Text(
            en="Your example is worked with q = [1, 0]; asked for is the third token, whose query is [1, 1]. Look at the "
            "query in worked_example.",
            zh="你的例题用的是 q = [1, 0]；要算的是第三个 token，它的 query 是 [1, 1]。请看 worked_example 里的 query。",
        ),
        swap={"query = np.array([[1.0, 1.0]])": "query = np.array([[1.0, 0.0]])"},
    ),
    Fault(
        "example_to_one_decimal",
        costs=["worked_example"],
        text=Text(
            en="Your example is rounded to one decimal; two are asked for, and with one the weights no longer sum to 1. "
            "Look at the rounding in worked_example.",
            zh="你的例题只保留了一位小数；要求两位，而且只留一位时权重加起来就不是 1 了。请看 worked_example 里的取整。",
        ),
        swap={
            '"scaled": scaled[0], "weights": weights[0], "output": output[0]': '"scaled": scaled[0].round(1), "weights": weights[0].round(1), "output": output[0].round(1)'
        },
    ),
    Fault(
        "example_without_output",
        costs=["worked_example"],
        text=Text(
            en="The dict of your example has no entry 'output'. That is what the token passes on. Look at the keys of the "
            "dict in worked_example.",
            zh="你的例题字典里没有 “output” 这一项，而它正是这个 token 往下传的结果。请看 worked_example 返回的字典有哪些键。",
        ),
        swap={', "output": output[0]': ""},
    ),
    Fault(
        "example_mixes_keys",
        costs=["worked_example"],
        text=Text(
            en="Your example mixes the keys by the weights, not the values: a key says how a token is found, a value what "
            "it has to say. Look at the last step of worked_example.",
            zh="你的例题加权的是 key，而不是 value：key 决定 token 怎样被找到，value 才是它要说的内容。请看 worked_example 的最后一步。",
        ),
        swap={"weighted_sum(weights, values)": "weighted_sum(weights, keys)"},
    ),
    Fault(
        "example_mixes_by_scaled_scores",
        costs=["worked_example"],
        text=Text(
            en="Your output is mixed by the scaled scores, not by the weights made of them, so the shares do not sum to "
            "1. Look at the last step of worked_example.",
            zh="你的输出是用缩放后的分数加权的，而不是用由它得到的权重，份额之和也就不是 1。请看 worked_example 的最后一步。",
        ),
        swap={"weighted_sum(weights, values)": "weighted_sum(scaled, values)"},
    ),
    # -- score_variance ----------------------------------------------------------------------------
    Fault(
        "deviations",
        costs=["variance"],
        text=Text(
            en="You return standard deviations, the roots of the variances: the first grows like the root of d_k. Look at "
            "what score_variance returns.",
            zh="你返回的是标准差，也就是方差的平方根：第一个数只随 d_k 的平方根增长。请看 score_variance 的返回值。",
        ),
        swap={"return float(raw.var()), float(scaled.var())": "return float(raw.std()), float(scaled.std())"},
        near=CHANCE,
    ),
    Fault(
        "variances_exchanged",
        costs=["variance"],
        text=Text(
            en="Your two variances come in the order (scaled, raw); the raw one comes first. Look at the last line of "
            "score_variance.",
            zh="你返回的顺序是 (缩放后, 未缩放)；未缩放的应当在前。请看 score_variance 的最后一行。",
        ),
        swap={"return float(raw.var()), float(scaled.var())": "return float(scaled.var()), float(raw.var())"},
        near=CHANCE,
    ),
    Fault(
        "variance_divided_by_the_root",
        costs=["variance"],
        text=Text(
            en="The scaled variance is the raw one over the root of d_k. Dividing numbers by a factor divides their "
            "variance by its square. Look at how score_variance finds the second number.",
            zh="缩放后的方差是用未缩放的除以 d_k 的平方根得到的。数除以一个因子，方差要除以它的平方。请看 score_variance 怎样得到第二个数。",
        ),
        swap={
            "return float(raw.var()), float(scaled.var())": "return float(raw.var()), float(raw.var() / np.sqrt(d_k))"
        },
        near=CHANCE,
    ),
    Fault(
        "variance_divided_by_the_square",
        costs=["variance"],
        text=Text(
            en="The scaled variance is divided by d_k twice: the dot products were divided by d_k itself, not by its root, before their variance was taken. Look at how score_variance finds the second number.",
            zh="缩放后的方差除了两次 d_k：求方差之前，点积除以的是 d_k 本身，而不是它的平方根。请看 score_variance 怎样得到第二个数。",
        ),
        swap={"return float(raw.var()), float(scaled.var())": "return float(raw.var()), float((raw / d_k).var())"},
        near=CHANCE,
    ),
    Fault(
        "variance_not_scaled",
        costs=["variance"],
        text=Text(
            en="Both your variances are of the raw dot products: the second shows no effect of the scale. Look at what "
            "the second number of score_variance is computed from.",
            zh="你的两个方差都是未缩放点积的：第二个数看不出缩放的作用。请看 score_variance 的第二个数是由什么算出的。",
        ),
        swap={"return float(raw.var()), float(scaled.var())": "return float(raw.var()), float(raw.var())"},
        near=CHANCE,
    ),
    Fault(
        "vector_with_itself",
        costs=["variance"],
        text=Text(
            en="You take the dot product of each vector with itself: a squared length, whose variance is about 2 d_k. "
            "Queries and keys are independent. Look at how score_variance draws its pairs.",
            zh="你算的是每个向量与自己的点积，也就是长度的平方，方差约为 2 d_k。query 和 key 应当是独立的。请看 score_variance 怎样抽取每一对。",
        ),
        swap={"k = draw.standard_normal((n_pairs, d_k))": "k = q"},
        near=CHANCE,
    ),
    Fault(
        "uniform_entries",
        costs=["variance"],
        text=Text(
            en="Your vectors have uniform entries from 0 to 1, not standard normal ones: their mean is not 0 and their "
            "variance not 1. Look at how score_variance draws numbers.",
            zh="你的向量元素是 0 到 1 的均匀分布，而不是标准正态分布：均值不是 0，方差也不是 1。请看 score_variance 怎样抽取随机数。",
        ),
        swap={
            "q = draw.standard_normal((n_pairs, d_k))": "q = draw.random((n_pairs, d_k))",
            "k = draw.standard_normal((n_pairs, d_k))": "k = draw.random((n_pairs, d_k))",
        },
        near=CHANCE,
    ),
    Fault(
        "products_not_added",
        costs=["variance"],
        text=Text(
            en="Your first variance is about 1 whatever d_k is, so the reason for scaling does not show: either the single products "
            "were never added up, or their sums were scaled before it was taken. Look at the step before the variance in score_variance.",
            zh="你的第一个方差不论 d_k 是多少都约为 1，看不出为什么要缩放：要么逐项的乘积没有相加，要么求方差之前就已经缩放过。请看 score_variance 求方差之前的一步。",
        ),
        swap={"(q * k).sum(axis=1)": "(q * k).reshape(-1)"},
        near=CHANCE,
    ),
    Fault(
        "seed_not_used",
        costs=["variance"],
        text=Text(
            en="Your numbers are the same whatever the seed: a second experiment would only repeat the first. Look at "
            "where score_variance uses seed.",
            zh="不论 seed 是多少，你得到的数都一样：再做一次实验只是重复前一次。请看 score_variance 哪里用到了 seed。",
        ),
        swap={"np.random.default_rng(seed)": "np.random.default_rng(0)"},
    ),
]
