"""What the intake's tests share: a small assignment, and notebooks of any shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.model.course import Assignment, Required, Text

STUB = '"""Stub."""\n\n\ndef scores(q, k):\n    raise NotImplementedError("TODO")\n'
REAL = "def scores(q, k):\n    return q @ k\n"


def assignment_in(folder: Path) -> Assignment:
    """An assignment `attention` whose handed-out files stand in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "attention.py").write_text(STUB, encoding="utf-8")
    (folder / "attention.ipynb").write_text(notebook("%pip install torch", STUB), encoding="utf-8")
    return Assignment(
        name="attention",
        title=Text("Attention"),
        file="attention.py",
        functions=(Required("scores"), Required("Heads")),
        criteria=(),
        folder=folder,
        reference=None,
    )


def notebook(*cells: str | tuple[str, Any], **rest: Any) -> str:
    """A notebook of format 4: code cells, or (cell type, source)."""
    made = [cell if isinstance(cell, tuple) else ("code", cell) for cell in cells]
    body = [{"cell_type": kind, "metadata": {}, "source": source, "outputs": []} for kind, source in made]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": body, **rest})
