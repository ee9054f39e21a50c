"""A counterexample for paper: one call with small whole numbers, what it gives, and what a mistake makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.errors import CourseError
from grader.model.course import Text


@dataclass(frozen=True, slots=True)
class Example:
    """Everything as text, ready to be shown: ``call`` is Python, ``right`` and ``wrong`` are rounded values."""

    call: str
    right: str
    wrong: str
    looked_at: str = ""  # the argument that is compared after the call, where it is not the result
    weights: str = ""  # of the module that is called, where there is one; its biases are 0
    recipe: int = 0  # where it was found
    turn: int = 0

    @property
    def text(self) -> Text:
        en, zh = "Try it on paper", "动手算一算"
        if self.weights:
            en += f" (weights {self.weights}; biases 0)"
            zh += f"（权重 {self.weights}；偏置全为 0）"
        if self.looked_at:
            return Text(
                en=f"{en}: after {self.call}, {self.looked_at} should still be {self.right}; "
                f"with this mistake it is {self.wrong}.",
                zh=f"{zh}：调用 {self.call} 之后，{self.looked_at} 应当仍是 {self.right}；"
                f"有这个错误时却成了 {self.wrong}。",
            )
        return Text(
            en=f"{en}: {self.call} should give {self.right}; with this mistake it gives {self.wrong}.",
            zh=f"{zh}：{self.call} 应得 {self.right}；有这个错误时得到 {self.wrong}。",
        )


def load_examples(path: Path) -> dict[str, Example]:
    """The examples stored for an assignment, by mistake; none where the file is absent. Raises ``CourseError``."""
    if not path.is_file():
        return {}
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return {name: Example(**fields) for name, fields in raw.items()}
    except (ValueError, TypeError, AttributeError) as wrong:
        advice = "`grader examples` writes this file, no hand does"
        raise CourseError([f"{path}: no examples can be read from it ({wrong}); {advice}"]) from None


def stored_form(examples: Mapping[str, Example]) -> str:
    """The text of ``examples.json``."""
    fields = {
        name: {key: value for key, value in asdict(example).items() if value != ""}
        for name, example in examples.items()
    }
    return json.dumps(fields, ensure_ascii=False, indent=1) + "\n"
