"""Which assignment, and which of its functions, somebody in a notebook wants to have checked."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.checks.collected import Test
from grader.checks.plain import collect_public
from grader.errors import UsageError
from grader.model.course import Assignment, Course
from grader.model.submission import Definition, Place
from grader.notebook.live import LiveStudent, run
from grader.notebook.saved import saved_notebook
from grader.notebook.shown import Checked
from grader.notebook.words import say
from grader.whereabouts import missing


def checked(course: Course, asked: object, namespace: Mapping[str, Any], lang: str, folder: Path) -> Checked:
    """The public checks on the live objects of ``namespace``.

    ``asked`` is an assignment's name, a function or class (or its name), or None: what the namespace holds.
    Raises ``UsageError`` where it cannot tell.
    """
    assignment, only = _meant(course, asked, namespace)
    tests = collect_public(assignment)
    things, definitions = _found(assignment, namespace)
    results = run(tests, LiveStudent(things, definitions, _place_of_error))
    if only:
        results = tuple(result for result in results if result.function == only)
        definitions = tuple(definition for definition in definitions if definition.name == only)
    saved = saved_notebook(assignment, namespace, folder)
    remarks: tuple[str, ...] = ()
    if saved and saved.differ:
        remarks = (say("unsaved", lang, names=", ".join(saved.differ), file=saved.file),)
    return Checked(
        assignment,
        lang,
        results,
        definitions,
        remarks,
        criteria=_touched(tests),
        file=saved.file if saved else "",
        fingerprint=saved.fingerprint if saved else "",
    )


def _touched(tests: tuple[Test, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(test.criterion for test in tests))


def _meant(course: Course, asked: object, namespace: Mapping[str, Any]) -> tuple[Assignment, str]:
    """The assignment, and the one function of it that is meant, if any."""
    if isinstance(asked, str) and (named := course.assignment(asked)) is not None:
        return named, ""
    name = asked if isinstance(asked, str) else _name_of(asked, namespace)
    fitting = [a for a in course.assignments if not name or name in _names(a)]
    if not fitting:
        raise UsageError(f"{name!r} is neither an assignment nor a function of one; {_advice(course)}")
    best = max(fitting, key=lambda a: sum(each in namespace for each in _names(a)))
    if not name and not any(each in namespace for each in _names(best)):
        raise UsageError(f"no function of any assignment is defined here yet; {_advice(course)}")
    for required in best.functions:
        if name in (required.name, *required.aliases):
            return best, required.name
    return best, ""


def _advice(course: Course) -> str:
    return f"there is {', '.join(a.name for a in course.assignments)}"


def _names(assignment: Assignment) -> tuple[str, ...]:
    return tuple(name for required in assignment.functions for name in (required.name, *required.aliases))


def _name_of(asked: object, namespace: Mapping[str, Any]) -> str:
    if asked is None:
        return ""
    own = getattr(asked, "__name__", "")
    if isinstance(own, str) and own:
        return own
    return next((name for name, value in namespace.items() if value is asked), type(asked).__name__)


def _found(assignment: Assignment, namespace: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Definition, ...]]:
    things: dict[str, Any] = {}
    definitions = []
    for required in assignment.functions:
        name = next((n for n in (required.name, *required.aliases) if n in namespace), None)
        if name is None:
            known = [n for n in namespace if not n.startswith("_")]
            definitions.append(Definition(required.name, "missing", note=missing(required.name, known, ())))
            continue
        things[required.name] = namespace[name]
        state = "present" if callable(namespace[name]) else "not_callable"
        definitions.append(Definition(required.name, state, None, name))
    return things, tuple(definitions)


def _place_of_error(traceback: TracebackType | None) -> Place | None:
    """The deepest line of a traceback that was typed into a cell, shown by its own text."""
    spot = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if "ipykernel" in file or file.startswith(("<ipython-input", "<stdin")):
            text = linecache.getline(file, traceback.tb_lineno).strip()
            spot = Place(f"`{text}`" if text else "cell", traceback.tb_lineno)
        traceback = traceback.tb_next
    return spot
