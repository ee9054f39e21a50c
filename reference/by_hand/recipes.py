"""Small calls to look for counterexamples in, the smallest first."""

from functools import partial

from grader.diagnosis.recipes import Recipe, Whole

numbers = partial(Whole, array=True)

RECIPES = [
    Recipe("causal_average", {"x": numbers((2, 1))}),
    Recipe("causal_average", {"x": numbers((3, 1))}),
    Recipe("causal_average", {"x": numbers((2, 2))}),
    Recipe("dot_scores", {"q": numbers((1, 2)), "k": numbers((1, 2))}),
    Recipe("dot_scores", {"q": numbers((2, 2)), "k": numbers((2, 2))}),
    Recipe("scale_scores", {"scores": numbers((1, 2)), "d_k": 4}),
    Recipe("scale_scores", {"scores": numbers((2, 2)), "d_k": 4}),
    Recipe("softmax", {"scores": numbers((1, 2))}),
    Recipe("softmax", {"scores": numbers((2, 2))}),
    Recipe("softmax", {"scores": numbers((2, 2, 2))}),
    Recipe("softmax", {"scores": numbers((1, 2), low=700, high=2000)}),
    Recipe("weighted_sum", {"weights": numbers((1, 2)), "v": numbers((2, 1))}),
    Recipe("weighted_sum", {"weights": numbers((2, 2)), "v": numbers((2, 2))}),
    Recipe("worked_example", {}),
    Recipe("score_variance", {"d_k": 4, "n_pairs": 4, "seed": 0}),
]
