"""The facts the grader passes around: frozen records and enums, standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

PUBLIC_SEED = 20170612  # the fixed seed of every re-enactment a student may see
SCHEMA = "grader.report/1"


class Outcome(StrEnum):
    """How one test ended. Only ``PASSED`` earns marks; ``BLOCKED`` leaves the share."""

    PASSED = "passed"
    FAILED = "failed"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    DIED = "died"
    MISSING = "missing"
    NOT_ATTEMPTED = "not_attempted"
    BLOCKED = "blocked"
    GRADER_FAULT = "grader_fault"


class Status(StrEnum):
    """How one submission ended. Only ``GRADED`` carries a score."""

    GRADED = "graded"
    NEEDS_MARKING = "needs_marking"
    NOT_GRADABLE = "not_gradable"
    MISSING = "missing"
    GRADER_FAULT = "grader_fault"


class Audience(StrEnum):
    """Who reads a report. The staff form is never handed to a student."""

    STUDENT = "student"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence for people, in every language of the course (``zh`` falls back to ``en``)."""

    en: str
    zh: str = ""

    def pick(self, lang: str) -> str:
        return (self.zh or self.en) if lang == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the student's own code; ``cell`` is counted from 1 over all cells of a notebook."""

    file: str
    line: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the student should know that costs nothing."""

    text: Text
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """Something staff should look at; never a verdict. ``costs`` is in marks."""

    kind: str
    detail: str
    place: Place | None = None
    costs: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may use. Seconds are wall time, sizes are above the warm worker."""

    call_s: float = 5.0
    call_again_s: float = 0.5
    load_s: float = 20.0
    submission_s: float = 60.0
    memory_mib: int = 2048
    output_kib: int = 64
    frame_mib: int = 16
    threads: int = 32


@dataclass(frozen=True, slots=True)
class Required:
    """A function or class the contract asks for. ``aliases`` are names that count as it.

    ``parameters`` are the contract's names: they tell a namesake of another assignment apart.
    """

    name: str
    aliases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the rubric.

    Its marks are earned by the share of its tests that pass, unless ``all_or_nothing``. Where
    every test is blocked, ``when_blocked`` says whether the marks are lost ("costs"), kept ("free"), or kept where
    each failure is shown to be a broken helper's alone ("shown").
    """

    id: str
    marks: Fraction
    title: Text
    hints: tuple[Text, ...]
    all_or_nothing: bool = False
    when_blocked: str = "shown"


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A library call the exercise is about; real use is flagged and costs ``costs`` marks once."""

    calls: tuple[str, ...] = ()
    costs: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One exercise, read from ``assignments/<name>/assignment.yaml`` and validated."""

    name: str
    title: Text
    file: str
    functions: tuple[Required, ...]
    criteria: tuple[Criterion, ...]
    folder: Path
    reference: Path | None  # reference/<name>, absent on a student's machine
    limits: Limits = Limits()
    forbidden: Forbidden = Forbidden()
    import_errors: str = "keep"  # "zero": a .py that Python could not import earns nothing
    digest: str = ""

    @property
    def max_score(self) -> Fraction:
        return sum((c.marks for c in self.criteria), Fraction(0))

    @property
    def stub(self) -> Path:
        return self.folder / self.file


@dataclass(frozen=True, slots=True)
class Course:
    """The order of the assignments and what is shown when."""

    title: Text
    languages: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    before_deadline: str = "criteria"  # public | criteria | full
    after_release: str = "full"
    hidden_runs_per_day: int = 0  # that a student is told about before the deadline, where pushes are graded; 0: any

    def assignment(self, name: str) -> Assignment | None:
        return next((a for a in self.assignments if a.name == name), None)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as handed in. ``path`` is relative to the submission, ``data`` its bytes."""

    path: str
    sha256: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of student source that is parsed as a whole: a file, or one code cell.

    ``place.line`` is where its first line stands; ``cell`` is set for notebooks.
    """

    source: str
    place: Place


@dataclass(frozen=True, slots=True)
class Submission:
    """A staged hand-in: what will run, where it came from, what was noticed on the way."""

    id: str
    students: tuple[str, ...]
    main: str  # path of the chosen file
    kind: str  # "python" | "notebook"
    chunks: tuple[Chunk, ...]
    files: tuple[SourceFile, ...]  # the chosen file first, then modules beside it
    origin: str = ""  # where it was found, for staff and replay
    remarks: tuple[Remark, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Eight digits of the chosen file's digest, as ``grader check`` shows them."""
        digest = self.files[0].sha256
        return f"{digest[:4]}-{digest[4:8]}"


@dataclass(frozen=True, slots=True)
class Definition:
    """What the loader found under a required name."""

    name: str
    state: str  # "present" | "missing" | "stub" | "not_callable"
    place: Place | None = None
    bound_as: str = ""  # the alias it was found under, if any
    note: Text | None = None  # why it is missing, where it may be instead


@dataclass(frozen=True, slots=True)
class TestResult:
    """How one test ended. ``note`` speaks to the student, ``detail`` to staff."""

    id: str
    criterion: str
    title: str
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
class Output:
    """The student's own stdout and stderr: head and tail, evidence and never a verdict."""

    stdout: str = ""
    stderr: str = ""
    truncated: bool = False


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
    output: Output = Output()
    definitions: tuple[Definition, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to grade: plain data, so that any engine can carry it."""

    path: str
    assignment: str
    seed: int
    lang: str = "en"
    submission_id: str = ""
    students: tuple[str, ...] = ()
    public_only: bool = False  # a student's own run of the public checks
    asks: str = ""  # what the desk of a proof is asked for besides; no other desk is


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
