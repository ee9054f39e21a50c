"""The reference solution as a module on our side."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from grader.errors import CourseError
from grader.model.course import Assignment


def load_reference(assignment: Assignment) -> ModuleType:
    """``reference/<name>/solution.py``, imported by path. Raises ``CourseError`` where it is not there."""
    path = assignment.reference / "solution.py" if assignment.reference else None
    if path is None or not path.is_file():
        raise CourseError([f"{path or assignment.name}: no reference solution found"])
    name = f"reference_solution_{assignment.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CourseError([f"{path}: cannot be imported"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and jit look their module up by name
    spec.loader.exec_module(module)
    return module
