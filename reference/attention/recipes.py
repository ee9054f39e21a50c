"""Small calls to look for counterexamples in, the smallest first."""

from grader.diagnosis.recipes import Keep, Recipe, Whole

RECIPES = [
    Recipe("attention_scores", {"q": Whole((1, 2)), "k": Whole((1, 2))}),
    Recipe("attention_scores", {"q": Whole((1, 2)), "k": Whole((2, 2))}),
    Recipe("attention_scores", {"q": Whole((2, 2)), "k": Whole((2, 2))}),
    Recipe("attention_weights", {"scores": Whole((1, 2))}),
    Recipe("attention_weights", {"scores": Whole((1, 2)), "mask": Keep((1, 2))}),
    Recipe("attention_weights", {"scores": Whole((2, 2))}),
    Recipe("attention_weights", {"scores": Whole((2, 2)), "mask": Keep((2, 2))}),
    Recipe("attention_weights", {"scores": Whole((2, 2)), "mask": Whole((2, 2), 0, 1)}),
    Recipe("attention_weights", {"scores": Whole((1, 2), 0, 2000)}),
    Recipe("attention_weights", {"scores": Whole((2, 1, 2)), "mask": Keep((2, 1, 2))}),
    Recipe("attention_weights", {"scores": Whole((1, 2, 2, 2)), "mask": Keep((2, 2))}),
    Recipe("attention_weights", {"scores": Whole((2, 1, 2, 2)), "mask": Keep((2, 1, 1, 2))}),
    Recipe("attention_weights", {"scores": Whole((2, 2, 1, 2)), "mask": Keep((2, 1, 1, 2))}),
    Recipe("scaled_dot_product_attention", {"q": Whole((1, 2)), "k": Whole((2, 2)), "v": Whole((2, 1))}),
    Recipe("scaled_dot_product_attention", {"q": Whole((2, 2)), "k": Whole((2, 2)), "v": Whole((2, 2))}),
    Recipe(
        "scaled_dot_product_attention",
        {"q": Whole((2, 2)), "k": Whole((2, 2)), "v": Whole((2, 1)), "mask": Keep((2, 2))},
    ),
    Recipe("scaled_dot_product_attention", {"q": Whole((2, 2, 2)), "k": Whole((2, 2, 2)), "v": Whole((2, 2, 1))}),
    Recipe(
        "scaled_dot_product_attention",
        {"q": Whole((1, 2, 2, 2)), "k": Whole((1, 2, 2, 2)), "v": Whole((1, 2, 2, 1))},
    ),
    Recipe(
        "scaled_dot_product_attention",
        {"q": Whole((2, 2, 2, 2)), "k": Whole((2, 2, 2, 2)), "v": Whole((2, 2, 2, 1)), "mask": Keep((2, 1, 2, 2))},
    ),
]
