"""Reports made by hand, with something of everything."""

from __future__ import annotations

from fractions import Fraction

from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.report import CriterionScore, Finding, GradeReport, Isolation, TestResult
from grader.model.submission import Definition, Flag, Output, Place, Remark

SHA = "a1b2c3d4" + 56 * "0"
NOTE = Text(en="The scores are 3 times too large.", zh="分数是应有值的 3 倍。")
LINE = Place("attention.py", 12)


def result(criterion: str, number: int = 0, outcome: Outcome = Outcome.PASSED, **more: object) -> TestResult:
    facts: dict[str, object] = {
        "id": f"checks.py::test_{criterion}[{number}]",
        "criterion": criterion,
        "title": Text(f"Title of {criterion}."),
        "outcome": outcome,
        "function": "attention_scores",
        "duration_s": 0.004,
    }
    return TestResult(**(facts | more))  # type: ignore[arg-type]


def graded(**more: object) -> GradeReport:
    """17 of 20: scale lost outright, mask_blocks in part, weighted_values blocked at no cost."""
    facts: dict[str, object] = {
        "assignment": "attention",
        "assignment_digest": 64 * "d",
        "submission": {
            "id": "zhang-wei",
            "students": ["zhang-wei"],
            "fingerprint": "a1b2-c3d4",
            "files": [{"path": "attention.py", "sha256": SHA}],
            "origin": "/drop/zhang-wei/attention.py",
        },
        "status": Status.GRADED,
        "score": Fraction(17),
        "max_score": Fraction(20),
        "reason": None,
        "seed": 20261129,
        "lang": "en",
        "isolation": Isolation(),
        "grader_version": "0.1.0",
        "duration_s": 0.123,
        "criteria": (
            CriterionScore("scale", "Scores are divided by sqrt(D)", Fraction(0), Fraction(2), "What does D do?"),
            CriterionScore("mask_blocks", "A mask hides keys", Fraction(2), Fraction(3), "Where is the mask used?"),
            CriterionScore("weighted_values", "Weights mix values", Fraction(15), Fraction(15), "Unused hint."),
        ),
        "tests": (
            result("scale", 0, Outcome.FAILED, note=NOTE, place=LINE, detail="hidden: estimate 3.0"),
            result("scale", 1, Outcome.FAILED, note=NOTE, place=LINE, detail="hidden: estimate 4.0"),
            result("mask_blocks", 0),
            result("mask_blocks", 1),
            result("mask_blocks", 2, Outcome.RAISED, note=Text("IndexError: too many indices"),
                   place=Place("attention.ipynb", 4, 3)),
            result("weighted_values", 0),
            result("weighted_values", 1, Outcome.BLOCKED, blocked_by="scale"),
            result("weighted_values", 2, visibility="public"),
        ),
        "diagnosis": (
            Finding(("no_scale",), "attention_scores", 12, 12, "The division by sqrt(D) is missing.", Fraction(19)),
        ),
        "remarks": (Remark(Text("SyntaxError: '(' was never closed\n    scores = (q @\n             ^"), LINE),),
        "flags": (
            Flag("forbidden_call", "torch.nn.functional.scaled_dot_product_attention", LINE),
            Flag("forbidden_call", "torch.nn.MultiheadAttention", LINE, Fraction(1)),
        ),
        "output": Output(stdout="hidden input 0.123\n"),
        "definitions": (Definition("attention_scores", "present", LINE),),
    }  # fmt: skip
    return GradeReport(**(facts | more))  # type: ignore[arg-type]


def not_gradable() -> GradeReport:
    return graded(status=Status.NOT_GRADABLE, score=None, reason="The archive holds no Python file.", criteria=(),
                  tests=(), diagnosis=(), remarks=(), flags=(), output=Output())  # fmt: skip
