"""An assignment, ready to grade with: its checks collected, its reference and known mistakes at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from grader.checks.collected import Test
from grader.checks.examination import Examination
from grader.checks.plain import collect_public
from grader.checks.recalled import Recalled
from grader.checks.shown import Shown
from grader.diagnosis.faults import Fault, load_faults, source_of_solution
from grader.diagnosis.inherited import block_inherited
from grader.diagnosis.naming import Named, diagnose
from grader.diagnosis.plays import Plays
from grader.diagnosis.rehearsal import Rehearsals, foreseen
from grader.diagnosis.written import as_facts, from_facts
from grader.errors import UsageError
from grader.model.course import Assignment, Course
from grader.model.submission import Flag
from grader.shelf import Shelf
from grader.student import Script, Student
from grader.student.log import fingerprint

T = TypeVar("T")
Diagnosed = dict[bytes, tuple[Named, ...]]  # by all that was answered


@dataclass(frozen=True, slots=True)
class Exercise:
    """An assignment with its checks collected and, where there is one, its reference at hand."""

    assignment: Assignment
    public: tuple[Test, ...]
    hidden: tuple[Test, ...] = ()
    reference: ModuleType | None = None
    faults: tuple[Fault, ...] = ()
    solution: str = ""  # the text of solution.py, into which mistakes are written
    shelf: Shelf | None = None  # what others found out that grade the same class
    _rehearsed: dict[int, Rehearsals] = field(default_factory=dict)  # of the latest seed: a class shares its answers
    _foreseen: dict[int, Script] = field(default_factory=dict)  # likewise
    _recalled: dict[int, Recalled] = field(default_factory=dict)  # likewise
    _diagnosed: dict[int, Diagnosed] = field(default_factory=dict)  # likewise
    _shown: dict[int, Shown] = field(default_factory=dict)  # likewise

    def script(self, seed: int) -> Script:
        """What the hidden tests ask of right code on this seed."""
        if self.reference is None:
            return {}
        reference = self.reference
        return _of_seed(self._foreseen, seed, lambda: foreseen(self.hidden, self.solution, reference, seed))

    def recalled(self, seed: int) -> Recalled:
        """How the hidden tests ended on which answers, on this seed."""
        return _of_seed(self._recalled, seed, Recalled)

    def shown(self, seed: int) -> Shown:
        """What was said of which answers, on this seed."""
        return _of_seed(self._shown, seed, lambda: Shown(self.shelf, f"shown on {seed}"))

    def without_inherited(self, seen: Examination, student: Student, seed: int) -> Examination:
        """Failures that only pass on a broken helper's answer are blocked at no cost."""
        if self.reference is None:
            return seen
        return block_inherited(self.hidden, seen, student, self.solution, self.reference, seed)

    def diagnose(self, seen: Examination, answers: bytes, seed: int) -> tuple[tuple[Named, ...], tuple[Flag, ...]]:
        """The known mistakes that explain what failed; a flag for staff where finding them went wrong.

        Who gave the same answers as another one before has the same mistakes.
        """
        if not self.faults or self.reference is None:
            return (), ()
        reference = self.reference
        rehearsals = _of_seed(
            self._rehearsed, seed, lambda: Rehearsals(self.solution, reference, seed, self._plays(seed))
        )
        known = _of_seed(self._diagnosed, seed, dict)
        try:
            if answers not in known:
                named = self._named_elsewhere(answers, seed)
                if named is None:
                    rehearsals.exchange()
                    named = diagnose(self.hidden, seen.results, seen.logs, self.faults, rehearsals)
                    rehearsals.exchange()
                    self._put(answers, seed, named)
                if not answers:
                    return named, ()
                known[answers] = named
            return known[answers], ()
        except Exception as failed:  # a diagnosis is a courtesy: no mark may hang on it
            return (), (Flag("diagnosis_failed", f"{type(failed).__name__}: {failed}"[:300]),)

    def _plays(self, seed: int) -> Plays | None:
        return Plays(self.shelf, seed) if self.shelf else None

    def _named_elsewhere(self, answers: bytes, seed: int) -> tuple[Named, ...] | None:
        facts = self.shelf.get(f"named on {seed}", answers) if self.shelf and answers else None
        return None if facts is None else from_facts(facts, self.faults)

    def _put(self, answers: bytes, seed: int, named: tuple[Named, ...]) -> None:
        if self.shelf and answers:
            self.shelf.put(f"named on {seed}", answers, as_facts(named))


def all_answers(seen: Examination) -> bytes:
    """A digest of how every test ended and what was answered in it; empty where an answer has none."""
    try:
        return b"".join(r.outcome.value.encode() + fingerprint(seen.logs[r.id]) for r in seen.results)
    except Exception:  # what is remembered by it is a courtesy
        return b""


def _of_seed(kept: dict[int, T], seed: int, make: Callable[[], T]) -> T:
    """What was made for this seed; what belongs to another one goes."""
    if seed not in kept:
        kept.clear()
        kept[seed] = make()
    return kept[seed]


def open_exercise(course: Course, name: str, public_only: bool, shared: Path | None = None) -> Exercise:
    """Collect an assignment's checks. ``shared``: a folder of all who grade in this run.

    Raises ``UsageError`` for an unknown name, ``CourseError`` for bad checks.
    """
    assignment = course.assignment(name)
    if assignment is None:
        known = ", ".join(a.name for a in course.assignments)
        raise UsageError(f"there is no assignment {name!r}; this course has {known}")
    if public_only:
        return Exercise(assignment, collect_public(assignment))
    from grader.checks.pytest_plugin import collect_hidden
    from grader.checks.reference import load_reference

    return Exercise(
        assignment,
        (),
        collect_hidden(assignment),
        load_reference(assignment),
        load_faults(assignment),
        source_of_solution(assignment),
        Shelf(shared, f"{assignment.name} {assignment.digest}") if shared else None,
    )
