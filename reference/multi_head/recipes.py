"""Small calls to look for counterexamples in, the smallest first."""

from grader.diagnosis.recipes import Keep, Recipe, Whole

RECIPES = [
    Recipe("split_heads", {"x": Whole((1, 1, 2), 0, 9), "n_heads": 2}),
    Recipe("split_heads", {"x": Whole((1, 2, 4), 0, 9), "n_heads": 2}),
    Recipe("split_heads", {"x": Whole((2, 1, 2), 0, 9), "n_heads": 2}),
    Recipe("merge_heads", {"x": Whole((1, 2, 1, 1), 0, 9)}),
    Recipe("merge_heads", {"x": Whole((1, 2, 2, 1), 0, 9)}),
    Recipe("merge_heads", {"x": Whole((2, 2, 1, 2), 0, 9)}),
    *(
        Recipe("MultiHeadSelfAttention", given, make={"d_model": 2, "n_heads": heads, "causal": causal})
        for shape in ((1, 2, 2), (2, 2, 2))
        for causal in (False, True)
        for heads in (1, 2)
        for given in (
            {"x": Whole(shape)},
            {"x": Whole(shape), "return_weights": True},
            {"x": Whole(shape), "padding_mask": Keep(shape[:2])},
            {"x": Whole(shape), "padding_mask": Keep(shape[:2]), "return_weights": True},
        )
    ),
    Recipe("MultiHeadSelfAttention", {"x": Whole((1, 2, 4))}, make={"d_model": 4, "n_heads": 2}),
    Recipe("CausalSelfAttention", {"x": Whole((1, 2, 2))}, make={"d_model": 2, "n_heads": 1}),
    Recipe("CausalSelfAttention", {"x": Whole((1, 3, 2))}, make={"d_model": 2, "n_heads": 2}),
]
