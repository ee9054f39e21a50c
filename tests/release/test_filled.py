"""The reference, written into the released notebook, earns full marks: as a notebook, and as the script it exports to."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.catalog import load_course
from grader.desk import Desk
from grader.document import for_student
from grader.model.course import Assignment
from grader.model.submission import Job
from grader.release.notebooks import notebook_text

ROOT = Path(__file__).resolve().parents[2]
SEED = 7
PLACED = {"place", "file", "line", "cell", "duration_s", "submission"}


def filled(assignment: Assignment, lang: str) -> str:
    """The notebook with every function's cell overwritten; what else the solution needs goes to the imports."""
    assert assignment.reference is not None
    text = (assignment.reference / "solution.py").read_text(encoding="utf-8")
    names = {required.name for required in assignment.functions}
    bodies = {getattr(node, "name", ""): ast.get_source_segment(text, node) for node in ast.parse(text).body}
    rest = [node for node in ast.parse(text).body if getattr(node, "name", "") not in names]
    notebook = json.loads(notebook_text(assignment, lang))
    for cell in notebook["cells"]:
        if cell["id"] in names:
            cell["source"] = bodies[cell["id"]]
        elif cell["id"] == "imports":
            cell["source"] = "\n".join(str(ast.get_source_segment(text, node)) for node in rest)
    return json.dumps(notebook)


def exported(notebook: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbconvert import PythonExporter

        script, _ = PythonExporter().from_notebook_node(nbformat.reads(notebook, as_version=4))
    return str(script)


def apart_from_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: apart_from_places(item) for key, item in value.items() if key not in PLACED}
    return [apart_from_places(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("assignment", load_course(ROOT).assignments, ids=lambda a: a.name)
def test_a_filled_notebook_earns_everything_and_so_does_its_script(
    assignment: Assignment, tmp_path: Path, desk: Desk
) -> None:
    notebook = filled(assignment, "zh" if assignment.name == "attention" else "en")
    (tmp_path / f"{assignment.stub.stem}.ipynb").write_text(notebook, encoding="utf-8")
    (tmp_path / assignment.file).write_text(exported(notebook), encoding="utf-8")
    reports = []
    for path in sorted(tmp_path.iterdir(), reverse=True):
        report = desk.grade(Job(str(path), assignment.name, SEED, submission_id="x"))
        assert report["status"] == "graded"
        assert report["score"] == report["max_score"], for_student(report)
        assert report["remarks"] == []
        assert report["submission"]["fingerprint"]
        reports.append(apart_from_places(report))
    assert reports[0] == reports[1]


def test_an_untouched_notebook_earns_nothing(tmp_path: Path, desk: Desk) -> None:
    for assignment in load_course(ROOT).assignments[1:3]:
        path = tmp_path / f"{assignment.stub.stem}.ipynb"
        path.write_text(notebook_text(assignment, "en"), encoding="utf-8")
        report = desk.grade(Job(str(path), assignment.name, SEED))
        assert (report["score"], report["remarks"]) == (0, [])
        assert {definition["state"] for definition in report["definitions"]} == {"stub"}
