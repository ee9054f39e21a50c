"""Small calls to look for counterexamples in, the smallest first."""

import torch

from grader.diagnosis.recipes import Keep, Recipe, Whole

RECIPES = [
    Recipe("valid_tokens", {"lengths": [1], "t": 2}),
    Recipe("valid_tokens", {"lengths": [2, 1], "t": 3}),
    Recipe("valid_tokens", {"lengths": torch.tensor([0, 2]), "t": 2}),
    Recipe("padding_key_mask", {"valid": Keep((1, 2))}),
    Recipe("padding_key_mask", {"valid": Keep((2, 2))}),
    Recipe("padding_query_mask", {"valid": Keep((1, 2))}),
    Recipe("padding_query_mask", {"valid": Keep((2, 2))}),
    *(
        Recipe("combined_mask", {"valid": Keep(shape), "causal": causal})
        for shape in ((1, 2), (2, 2), (1, 3))
        for causal in (True, False)
    ),
    *(
        Recipe(
            "masked_attention",
            {"q": Whole(shape), "k": Whole(shape), "v": Whole(shape), "causal": causal, "padding_mask": mask},
        )
        for shape in ((1, 1, 2, 1), (2, 1, 2, 1), (1, 1, 3, 2), (2, 2, 2, 2))
        for causal in (True, False)
        for mask in (Keep((shape[0], shape[2])), None)
    ),
]
