"""Public checks of ``by_hand``: a few numbers that are easy to follow on paper.

They show whether the code runs and means the right thing; they do not cover every criterion.
"""

import numpy as np

from grader.checks import criterion, expect

AXES = ("row", "column")


@criterion("causal_average")
def test_running_mean_of_a_short_column(student):
    """The running means of 3, 5, 10 are 3, 4, 6.

    zh: 3、5、10 的逐步平均值是 3、4、6。
    """
    got = expect.array(student.causal_average(np.array([[3.0], [5.0], [10.0]])), (3, 1), "causal_average(x)")
    expect.close(got, np.array([[3.0], [4.0], [6.0]]), atol=1e-6, rtol=0, what="causal_average(x)", axes=AXES)


@criterion("dot_scores")
def test_two_queries_and_three_keys(student):
    """Two queries and three keys give two rows of three scores.

    zh: 两个 query 和三个 key 得到两行、每行三个分数。
    """
    q, k = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[3.0, 1.0], [0.0, 1.0], [-1.0, 4.0]])
    got = expect.array(student.dot_scores(q, k), (2, 3), "dot_scores(q, k)")
    want = np.array([[5.0, 2.0, 7.0], [1.0, 1.0, 4.0]])
    expect.close(got, want, atol=1e-6, rtol=0, what="dot_scores(q, k)", axes=("query", "key"))


@criterion("scale")
def test_six_becomes_two(student):
    """With d_k = 9 the score 6 becomes 2.

    zh: d_k = 9 时，分数 6 变成 2。
    """
    got = expect.array(student.scale_scores(np.array([[6.0, -3.0]]), 9), (1, 2), "scale_scores(scores, 9)")
    expect.close(got, np.array([[2.0, -1.0]]), atol=1e-6, rtol=0, what="scale_scores(scores, 9)", axes=AXES)


@criterion("softmax")
def test_shares_of_one_two_and_five(student):
    """Scores log 1, log 2 and log 5 get one, two and five eighths.

    zh: 分数 log 1、log 2、log 5 分到 1/8、2/8、5/8。
    """
    scores = np.log(np.array([[1.0, 2.0, 5.0], [4.0, 4.0, 8.0]]))
    got = expect.array(student.softmax(scores), (2, 3), "softmax(scores)")
    want = np.array([[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]])
    expect.close(got, want, atol=1e-6, rtol=0, what="softmax(scores)", axes=("query", "key"))


@criterion("softmax_stable")
def test_a_thousand_is_no_trouble(student):
    """Scores 1000 and 1000 + log 3 get one and three quarters.

    zh: 分数 1000 和 1000 + log 3 分到 1/4 和 3/4。
    """
    got = expect.array(student.softmax(np.array([1000.0, 1000.0 + np.log(3.0)])), (2,), "softmax(scores)")
    expect.close(got, np.array([0.25, 0.75]), atol=1e-6, rtol=0, what="softmax(scores)", axes=("key",))


@criterion("weighted_sum")
def test_a_mixture_of_two_values(student):
    """A quarter of one value and three quarters of the other.

    zh: 第一个 value 占四分之一，另一个占四分之三。
    """
    got = student.weighted_sum(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]]))
    want = np.array([[1.0, 3.0, 8.0], [4.0, 0.0, 8.0]])
    got = expect.array(got, (2, 3), "weighted_sum(weights, v)")
    expect.close(got, want, atol=1e-6, rtol=0, what="weighted_sum(weights, v)", axes=AXES)
