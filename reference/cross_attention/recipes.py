"""Small calls to look for counterexamples in, the smallest first."""

from grader.diagnosis.recipes import Keep, Recipe, Whole

SHAPES = ((1, 1, 2), (1, 2, 2), (2, 2, 2))  # queries; the memory has one token more

RECIPES = [
    *(
        Recipe(
            "scaled_dot_attention",
            {"q": Whole((b, t, d)), "k": Whole((b, t + 1, d)), "v": Whole((b, t + 1, dv)), **mask},
        )
        for b, t, d in SHAPES
        for dv in (d, 1)
        for mask in ({}, {"mask": Keep((t, t + 1))}, {"mask": Keep((b, t, t + 1))}, {"mask": Whole((t, t + 1), 0, 1)})
    ),
    *(
        Recipe(
            "MultiHeadCrossAttention",
            {"x": Whole((b, t, c)), "memory": Whole((b, t + 1, c)), **more},
            make={"d_model": c, "n_heads": heads},
        )
        for b, t, c in SHAPES
        for heads in (1, 2)
        for more in (
            {},
            {"return_weights": True},
            {"memory_mask": Keep((b, t + 1))},
            {"memory_mask": Keep((b, t + 1)), "return_weights": True},
        )
    ),
    # Visible scores so low that a blocked key wins although it was filled.
    Recipe(
        "scaled_dot_attention",
        {"q": Whole((1, 1, 2), 0, 6), "k": Whole((1, 2, 2), -6, 0), "v": Whole((1, 2, 2)), "mask": Keep((1, 2))},
    ),
]
