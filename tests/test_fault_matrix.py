"""``docs/fault-matrix.md`` is what the known mistakes say today. Whether they say the truth, ``validate`` tells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.diagnosis.faults import load_faults
from grader.model.course import Assignment

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "fault-matrix.md"
AGAIN = "run: make fault-matrix"
COURSE = load_course(ROOT)


def section(name: str) -> str:
    """What the document says about one assignment."""
    found = re.search(rf"^## {name}: .*?(?=^## |\Z)", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{name} is not in {DOCUMENT.name}; {AGAIN}"
    return found[0]


def rows(text: str) -> dict[str, tuple[list[str], str]]:
    """The cells of each mistake's criteria, and what is said about it."""
    lines = (re.split(r"(?<!\\) ?\| ?", line) for line in text.splitlines() if line.startswith("| `"))
    return {cells[1].strip("` "): ([cell.strip() for cell in cells[2:-2]], cells[-2]) for cells in lines}


def test_the_document_holds_every_assignment_with_known_mistakes() -> None:
    listed = re.findall(r"^## (\w+): (.+)$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(listed) == {a.name: a.title.en for a in COURSE.assignments if load_faults(a)}, AGAIN


@pytest.mark.parametrize("assignment", [a for a in COURSE.assignments if load_faults(a)], ids=lambda a: a.name)
def test_the_document_is_fresh(assignment: Assignment) -> None:
    text = section(assignment.name)
    criteria = re.findall(r"^\d+\. `(\w+)`: (.+)$", text, re.MULTILINE)
    assert criteria == [(c.id, c.title.en) for c in assignment.criteria], AGAIN
    told = rows(text)
    faults = {fault.id: fault for fault in load_faults(assignment)}
    assert list(told) == list(faults), AGAIN
    for name, (cells, says) in told.items():
        assert len(cells) == len(criteria)
        marked = {criterion for (criterion, _), cell in zip(criteria, cells, strict=True) if cell}
        assert marked == set(faults[name].costs), f"{name}; {AGAIN}"
        assert faults[name].text.en.startswith(says.replace("\\|", "|")), f"{name}; {AGAIN}"
    assert "**" not in text, "a mistake costs what it does not declare, or keeps what it does"


def test_reading_a_row_finds_its_cells() -> None:
    assert rows("| `no_scale` | 2 |  | 0.5 | One \\| two. |\n| no mistake |\n") == {
        "no_scale": (["2", "", "0.5"], "One \\| two.")
    }
