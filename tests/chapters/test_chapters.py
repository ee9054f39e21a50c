"""The two chapters' listings, written afresh: what they earn where they belong, and what is said where they do not.

``expected.yaml`` is that of a golden submission, with one key more: the ``assignment`` it is handed in for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from grader.document import for_student, to_document
from grader.model.submission import Job
from grader.reports import render

if TYPE_CHECKING:
    from grader.desk import Desk

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/expected.yaml"))
SEED = 20240229


def read(name: str) -> dict[str, Any]:
    return yaml.safe_load((HERE / name / "expected.yaml").read_text(encoding="utf-8"))


def test_both_listings_are_tried_in_the_right_and_in_a_wrong_file() -> None:
    tried = {(name.split("_")[0], read(name)["kind"]) for name in CASES}
    assert tried == {("six", "right"), ("six", "odd"), ("seven", "right"), ("seven", "odd")}


@pytest.mark.parametrize("name", CASES)
def test_listing_gets_what_the_contract_says(name: str, desk: Desk) -> None:
    expected = read(name)
    assignment = expected["assignment"]
    report = desk.report(Job(str(HERE / name / f"{assignment}.py"), assignment, SEED))
    assert report.status == "graded", report.reason
    lost = {c.id: float(c.max_points - c.points) for c in report.criteria if c.points < c.max_points}
    assert set(lost) - set(expected.get("may_lose", ())) == set(expected["loses"])
    for criterion, marks in expected["loses"].items():
        assert marks == "*" or lost[criterion] == pytest.approx(float(marks), abs=0.006), criterion
    for criterion, outcome in expected.get("outcomes", {}).items():
        assert outcome in {t.outcome for t in report.tests if t.criterion == criterion}
    text = render("markdown", for_student(to_document(report)), lang="en").replace(
        "\\", ""
    )  # Markdown escapes underscores
    for words in expected.get("note_contains", ()):
        assert words in text
