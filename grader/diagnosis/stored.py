"""The counterexamples of an assignment: found anew and written down, or checked against their calls."""

from __future__ import annotations

from grader.diagnosis.example import stored_form
from grader.diagnosis.faults import load_faults, source_of_solution
from grader.diagnosis.recipes import find_examples, load_recipes, stale_examples
from grader.errors import CourseError
from grader.model.course import Assignment


def store(assignment: Assignment) -> tuple[int, list[str]]:
    """Write ``examples.json``. Gives how many there are, and the mistakes that no recipe shows."""
    if assignment.reference is None:
        raise CourseError([f"{assignment.name}: there is no reference to find examples with"])
    faults = load_faults(assignment)
    found = find_examples(faults, load_recipes(assignment), source_of_solution(assignment))
    (assignment.reference / "examples.json").write_text(stored_form(found), encoding="utf-8")
    return len(found), [fault.id for fault in faults if fault.id not in found]


def stale(assignment: Assignment) -> list[str]:
    """The mistakes whose stored example no longer holds."""
    if assignment.reference is None:
        return []
    return stale_examples(load_faults(assignment), load_recipes(assignment), source_of_solution(assignment))
