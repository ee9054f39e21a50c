"""Collects public checks without pytest: they travel to machines where nothing may be installed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from grader.checks.collected import Test, as_test
from grader.errors import CourseError
from grader.model.course import Assignment


def collect_public(assignment: Assignment) -> tuple[Test, ...]:
    """The ``test_`` functions of ``checks_public.py`` in the order they stand. Raises ``CourseError``."""
    path = assignment.folder / "checks_public.py"
    if not path.is_file():
        raise CourseError([f"{path}: not found; every assignment has public checks"])
    found = [
        v
        for k, v in vars(_module(f"checks_public_{assignment.name}", path)).items()
        if k.startswith("test_") and callable(v)
    ]
    tests = tuple(as_test(call, f"checks_public.py::{call.__name__}", {}, str(path)) for call in found)
    known = {c.id for c in assignment.criteria}
    wrong = [f"{path}: {t.id} names the criterion {t.criterion!r}, which assignment.yaml does not have"
             for t in tests if t.criterion not in known]  # fmt: skip
    if wrong:
        raise CourseError(wrong)
    return tests


def _module(name: str, path: Path) -> ModuleType:
    """The file as it is now: no compiled copy is read, none is left behind. Raises ``CourseError``."""
    module = ModuleType(name)
    module.__file__ = str(path)
    try:
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    except Exception as wrong:
        line = getattr(wrong, "lineno", None) or _line_in(path, wrong)
        raise CourseError([f"{path}:{line or 1}: {type(wrong).__name__}: {wrong}"]) from wrong
    return module


def _line_in(path: Path, wrong: BaseException) -> int | None:
    """The deepest line of the file itself that an exception came through."""
    trace, line = wrong.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
