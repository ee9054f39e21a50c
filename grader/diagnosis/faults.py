"""Known mistakes of an assignment: small text replacements in its solution, with words about each."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from grader.diagnosis.example import Example, load_examples
from grader.errors import CourseError
from grader.model.course import Assignment, Text


@dataclass(frozen=True, slots=True)
class Fault:
    """One known mistake.

    ``swap`` maps pieces of ``solution.py``, each occurring exactly once, to what the mistake writes there.
    ``costs`` are the criteria it loses, all or part of each; ``text`` says what the code does, why that
    matters for a language model, and where to look. ``near`` is for answers of chance: by what share those of another
    draw may be off.
    """

    id: str
    costs: Sequence[str]
    text: Text
    swap: Mapping[str, str]
    near: float = 0.0
    example: Example | None = None  # found by `grader examples`, not written by hand


def load_faults(assignment: Assignment) -> tuple[Fault, ...]:
    """``FAULTS`` of ``reference/<name>/faults.py``; none where the file is absent. Raises ``CourseError``."""
    path = assignment.reference / "faults.py" if assignment.reference else None
    if path is None or not path.is_file():
        return ()
    module = build(path.read_text(encoding="utf-8"), f"faults_of_{assignment.name}", str(path))
    faults = tuple(module.FAULTS)
    known = {c.id for c in assignment.criteria}
    solution = source_of_solution(assignment)
    problems = []
    for fault in faults:
        problems += [f"{path}: {fault.id} costs {c!r}, which is no criterion" for c in fault.costs if c not in known]
        problems += [
            f"{path}: {fault.id}: {old!r} stands {solution.count(old)} times in solution.py, must be once"
            for old in fault.swap
            if solution.count(old) != 1
        ]
    doubled = {f.id for f in faults if [g.id for g in faults].count(f.id) > 1}
    problems += [f"{path}: the id {name!r} is used twice" for name in sorted(doubled)]
    if problems:
        raise CourseError(problems)
    examples = load_examples(path.with_name("examples.json"))
    return tuple(replace(fault, example=examples.get(fault.id)) for fault in faults)


def source_of_solution(assignment: Assignment) -> str:
    assert assignment.reference is not None
    return (assignment.reference / "solution.py").read_text(encoding="utf-8")


def faulty_source(solution: str, faults: Sequence[Fault]) -> str | None:
    """The solution with these mistakes in it, a file that could be handed in; None where they overlap."""
    spans = sorted(
        (solution.index(old), solution.index(old) + len(old), new)
        for fault in faults
        for old, new in fault.swap.items()
    )
    if any(left[1] > right[0] for left, right in itertools.pairwise(spans)):
        return None
    pieces, at = [], 0
    for start, end, new in spans:
        pieces += [solution[at:start], new]
        at = end
    return "".join([*pieces, solution[at:]])


def build(source: str, name: str, file: str = "<faulty solution>") -> ModuleType:
    """Run trusted source as a module."""
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # dataclasses look their module up by name
    exec(compile(source, file, "exec"), module.__dict__)
    return module
