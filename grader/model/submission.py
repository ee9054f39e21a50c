"""The facts of a submission: what was handed in, what was found in it, and what is noted of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.model.course import Text


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
class Output:
    """The student's own stdout and stderr: head and tail, evidence and never a verdict."""

    stdout: str = ""
    stderr: str = ""
    truncated: bool = False


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
