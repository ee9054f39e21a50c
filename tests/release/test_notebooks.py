"""The notebooks that are handed out: made from handout and stub, and as good as the file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grader.catalog import load_course
from grader.intake.found import Found
from grader.intake.handed_out import HandedOut, text_of
from grader.model.course import Assignment
from grader.release.notebooks import notebook_name, notebook_text

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
EACH = [pytest.param(a, lang, id=f"{a.name}-{lang}") for a in COURSE.assignments for lang in COURSE.languages]


def cells_of(assignment: Assignment, lang: str) -> dict[str, dict[str, object]]:
    return {cell["id"]: cell for cell in json.loads(notebook_text(assignment, lang))["cells"]}


def source(cell: dict[str, object]) -> str:
    return "".join(cell["source"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("assignment", "lang"), EACH)
def test_the_notebook_in_the_course_is_what_handout_and_stub_give(assignment: Assignment, lang: str) -> None:
    path = assignment.folder / notebook_name(assignment, lang)
    assert path.read_text(encoding="utf-8") == notebook_text(assignment, lang), "stale; run: grader notebooks"


@pytest.mark.parametrize(("assignment", "lang"), EACH)
def test_it_is_a_valid_notebook_with_a_cell_for_each_function(assignment: Assignment, lang: str) -> None:
    nbformat.validate(nbformat.reads(notebook_text(assignment, lang), as_version=4))
    cells = cells_of(assignment, lang)
    for required in assignment.functions:
        assert re.search(rf"^(def|class) {required.name}\b", source(cells[required.name]), re.MULTILINE)
    first, *_, last = cells
    assert first.startswith("handout") and last == "check"


@pytest.mark.parametrize(("assignment", "lang"), EACH)
def test_handout_and_stub_are_in_it_line_for_line(assignment: Assignment, lang: str) -> None:
    cells = cells_of(assignment, lang)
    shown = [source(cell) for cell in cells.values() if cell["cell_type"] == "markdown"]
    handout = (assignment.folder / ("README.md" if lang == "en" else "README.zh.md")).read_text(encoding="utf-8")
    assert lines("\n".join(shown)) == lines(handout)
    code = [source(cell) for name, cell in cells.items() if cell["cell_type"] == "code" and name != "check"]
    assert lines("\n".join(code)) == lines(assignment.stub.read_text(encoding="utf-8"))


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def test_a_cell_keeps_its_id_when_the_handout_grows(course_root: Path) -> None:
    (before,) = load_course(course_root).assignments
    names = set(cells_of(before, "en"))
    with (course_root / "assignments/doubling/README.md").open("a", encoding="utf-8") as handout:
        handout.write("\n## More\n\nWords.\n")
    (after,) = load_course(course_root).assignments
    assert names < set(cells_of(after, "en"))


def test_an_untouched_notebook_is_known_in_every_language() -> None:
    assignment = COURSE.assignments[1]
    stub = HandedOut(assignment)
    for lang in COURSE.languages:
        found = Found("attention.ipynb", notebook_text(assignment, lang).encode())
        assert stub.is_untouched(text_of(found))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_checking_cell_says_what_to_do_where_nothing_is_installed(lang: str, tmp_path: Path) -> None:
    cell = source(cells_of(COURSE.assignments[1], lang)["check"])
    script = f"import sys\nsys.stdout.reconfigure(encoding='utf-8')\n{cell}"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", script], cwd=tmp_path, capture_output=True, check=True)
    told = ran.stdout.decode()
    assert "check.pyz" in told and "pip install attention-grader" in told
    assert ("课程" in told) == (lang == "zh")


def test_stale_notebooks_are_named_and_written(course_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from grader.cli import main

    assert main(["--course", str(course_root), "notebooks", "--check"]) == 1
    assert "doubling.zh.ipynb" in capsys.readouterr().out
    assert main(["--course", str(course_root), "notebooks"]) == 0
    assert main(["--course", str(course_root), "notebooks", "--check"]) == 0
    (course_root / "assignments/doubling/README.md").write_text("# Other\n", encoding="utf-8")
    assert main(["--course", str(course_root), "notebooks", "--check"]) == 1
