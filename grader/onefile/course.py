"""The course as plain data: written into the one file, read back where neither YAML nor pydantic is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.model.course import Assignment, Course, Criterion, Required, Text


def as_plain(course: Course) -> dict[str, Any]:
    """What a student's run needs to know of a course."""
    return {
        "title": _said(course.title),
        "languages": list(course.languages),
        "assignments": [
            {
                "name": a.name,
                "title": _said(a.title),
                "file": a.file,
                "functions": [
                    {"name": f.name, "aliases": list(f.aliases), "parameters": list(f.parameters)} for f in a.functions
                ],
                "criteria": [
                    {"id": c.id, "marks": str(c.marks), "title": _said(c.title), "hints": [_said(h) for h in c.hints]}
                    for c in a.criteria
                ],
            }
            for a in course.assignments
        ],
    }


def from_plain(data: Mapping[str, Any], folder: Path) -> Course:
    """The course whose stubs and public checks lie in ``folder/<name>``."""
    return Course(
        title=_text(data["title"]),
        languages=tuple(data["languages"]),
        assignments=tuple(_assignment(entry, folder / entry["name"]) for entry in data["assignments"]),
    )


def _assignment(entry: Mapping[str, Any], folder: Path) -> Assignment:
    return Assignment(
        name=entry["name"],
        title=_text(entry["title"]),
        file=entry["file"],
        functions=tuple(Required(f["name"], tuple(f["aliases"]), tuple(f["parameters"])) for f in entry["functions"]),
        criteria=tuple(
            Criterion(c["id"], Fraction(c["marks"]), _text(c["title"]), tuple(_text(h) for h in c["hints"]))
            for c in entry["criteria"]
        ),
        folder=folder,
        reference=None,
    )


def _said(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _text(entry: Mapping[str, str]) -> Text:
    return Text(entry["en"], entry["zh"])
