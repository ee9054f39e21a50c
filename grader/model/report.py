"""The facts of a grading: how each test ended, what that comes to, and the report that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.submission import Definition, Flag, Output, Place, Remark

SCHEMA = "grader.report/1"


@dataclass(frozen=True, slots=True)
class TestResult:
    """How one test ended. ``note`` speaks to the student, ``detail`` to staff."""

    id: str
    criterion: str
    title: Text
    outcome: Outcome
    visibility: str = "hidden"
    blocked_by: str | None = None
    inherited: bool = False  # blocked by a broken helper alone: right code around it would have failed the same way
    note: Text | None = None
    detail: str = ""
    function: str | None = None
    place: Place | None = None
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """A rubric line with the marks earned, rounded to 0.01."""

    id: str
    title: str
    points: Fraction
    max_points: Fraction
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A set of known mistakes that reproduces what was seen."""

    faults: tuple[str, ...]
    function: str
    explains: int
    of: int
    text: str
    score_if_mended: Fraction | None = None
    examples: tuple[str, ...] = ()  # small calls to redo by hand


@dataclass(frozen=True, slots=True)
class Isolation:
    """What stood between the student's code and the machine."""

    level: str = "practice"  # "isolated" counts; "practice" never does
    walls: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()  # what was proven to be impossible for the code


@dataclass(frozen=True, slots=True)
class GradeReport:
    """The whole truth about one graded submission; every format renders from this alone."""

    assignment: str
    assignment_digest: str
    submission: Mapping[str, object]
    status: Status
    score: Fraction | None
    max_score: Fraction
    reason: str | None
    seed: int
    lang: str
    isolation: Isolation
    grader_version: str
    duration_s: float
    criteria: tuple[CriterionScore, ...] = ()
    tests: tuple[TestResult, ...] = ()
    diagnosis: tuple[Finding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    flags: tuple[Flag, ...] = ()
    output: Output = Output()  # noqa: RUF009 -- frozen
    definitions: tuple[Definition, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Standing:
    """One student's row of the gradebook: the machine's mark, and what people and terms made of it.

    ``score`` is what counts, ``None`` where nothing may be exported; ``machine`` is what the checks gave before an
    override and before ``late_penalty`` (in marks) was taken off.
    """

    submission: str
    student_id: str
    status: Status
    max_score: Fraction
    name: str = ""
    email: str = ""
    score: Fraction | None = None
    machine: Fraction | None = None
    late_penalty: Fraction = Fraction(0)
    late_note: str = ""  # where the time of handing in came from, and what followed
    late_days: int = 0  # begun after the deadline
    late_source: str = ""  # lms, worksheet, told, late_mark, none; "" where no late policy applies
    criteria: Mapping[str, Fraction] = field(default_factory=dict)  # marks by criterion
    flags: tuple[str, ...] = ()  # kinds
    comment: str = ""  # a person's word to the student
    overridden: bool = False
    practice: bool = False  # no isolation was proven: no gradebook takes it
    accounts: Mapping[str, str] = field(default_factory=dict)  # login, sis_id, github: what the roster knows besides
