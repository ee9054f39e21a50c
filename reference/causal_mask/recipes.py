"""Small calls to look for counterexamples in, the smallest first."""

from grader.diagnosis.recipes import Recipe, Whole

RECIPES = [
    Recipe("causal_mask", {"t": 2}),
    Recipe("causal_mask", {"t": 3}),
    *(
        Recipe("causal_attention", {"q": Whole(shape), "k": Whole(shape), "v": Whole(shape), "causal": causal})
        for shape in ((1, 1, 2, 1), (1, 1, 2, 2), (1, 2, 2, 2), (2, 2, 2, 2))
        for causal in (True, False)
    ),
]
