"""Collects public checks without pytest: they travel to machines where nothing may be installed."""

from __future__ import annotations

import importlib.util

from grader.checks.collected import Test, as_test
from grader.errors import CourseError
from grader.model import Assignment


def collect_public(assignment: Assignment) -> tuple[Test, ...]:
    """The ``test_`` functions of ``checks_public.py`` in the order they stand. Raises ``CourseError``."""
    path = assignment.folder / "checks_public.py"
    spec = importlib.util.spec_from_file_location(f"checks_public_{assignment.name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CourseError([f"{path}: not found; every assignment has public checks"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [v for k, v in vars(module).items() if k.startswith("test_") and callable(v)]
    tests = tuple(as_test(call, f"checks_public.py::{call.__name__}", {}, str(path)) for call in found)
    known = {c.id for c in assignment.criteria}
    wrong = [f"{path}: {t.id} names the criterion {t.criterion!r}, which assignment.yaml does not have"
             for t in tests if t.criterion not in known]  # fmt: skip
    if wrong:
        raise CourseError(wrong)
    return tests
