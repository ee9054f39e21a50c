"""The rows of the store as plain facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """One finished grading: what was graded (``digest``), under which ``conditions``, and its staff document."""

    submission: str
    conditions: str
    digest: str
    rubric: str  # the digest of the rubric that its marks were made with
    document: Mapping[str, Any]
    seconds: float
    at: str  # ISO time


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A submission of the class as it was last read, and what was noticed before anything ran."""

    submission: str
    conditions: str
    digest: str
    origin: str = ""
    flags: tuple[Mapping[str, Any], ...] = ()  # in the form of the report
    reason: str = ""  # why it cannot be graded, where that was seen already
    source: str = ""  # who says when it came
    when: str = ""


@dataclass(frozen=True, slots=True)
class Seat:
    """A student of a submission; the members of a group have one each."""

    submission: str
    student_id: str
    name: str = ""
    email: str = ""
    accounts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Override:
    """A person's word on one student's marks: of one criterion, or ("") of the whole. ``marks`` None: withdrawn."""

    student_id: str
    criterion: str
    marks: Fraction | None
    why: str
    who: str
    at: str
    comment: str = ""  # to the student


@dataclass(frozen=True, slots=True)
class Published:
    """A student's row as it was frozen."""

    student_id: str
    submission: str
    standing: str  # JSON
    at: str
