"""The facts of a course and its assignments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

PUBLIC_SEED = 20170612  # the fixed seed of every re-enactment a student may see


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
