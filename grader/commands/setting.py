"""What every command is given: where the course is, how to speak, and the doors to the rooms it may use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.engines import Engine
from grader.errors import UsageError
from grader.model.course import Assignment, Course

if TYPE_CHECKING:
    from grader.model.submission import Submission

if TYPE_CHECKING:
    from grader.proof import Plan, Sheet
    from grader.sandbox.effects import Examination

# What of our own environment the grading process may hand on. Nothing personal, no tokens.
ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP",
               "TMPDIR", "TZ", "VIRTUAL_ENV")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ports:
    """The rooms behind the commands. Each is imported when it is first used: torch-free commands stay quick."""

    find_root: Callable[[Path], Path]
    load_course: Callable[[Path, Path | None], Course]
    load_submission: Callable[[Path, Assignment, str, tuple[str, ...]], Submission]
    open_engine: Callable[[dict[str, Any]], AbstractContextManager[Engine]]
    open_proving_engine: Callable[[dict[str, Any]], AbstractContextManager[Engine]]
    validate: Callable[[Course, Sequence[str], Engine, Plan, Path | None], Iterator[Sheet]]
    examine_isolation: Callable[[Mapping[str, str], Sequence[Path]], Examination]
    open_own_engine: Callable[[dict[str, Any]], AbstractContextManager[Engine]]


@dataclass(frozen=True, slots=True)
class Setting:
    """The options that stand anywhere on the command line, and the place the command was called from."""

    ports: Ports
    folder: Path  # the working folder
    lang: str = "en"
    plain: bool = False
    course_folder: Path | None = None
    reference: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    lang_asked: bool = False  # on the command line, not by the locale

    @property
    def root(self) -> Path:
        """The folder that holds ``assignments/``. Raises ``UsageError`` where there is none."""
        if self.course_folder is None:
            return self.ports.find_root(self.folder)
        folder = self.folder / self.course_folder
        if not (folder / "assignments" / "course.yaml").is_file():
            raise UsageError(f"--course {self.course_folder}: there is no assignments/course.yaml in that folder")
        return folder

    def course(self) -> Course:
        """The course, validated. Raises ``UsageError`` or ``CourseError``."""
        return self.ports.load_course(self.root, self._reference())

    def engine(self, *, practice: bool = False, jobs: int | None = None) -> AbstractContextManager[Engine]:
        """A started engine; close it by leaving the ``with``. ``practice``: isolation need not be proven.

        ``jobs``: that many processes side by side, results as they come; else one, results in order.
        """
        return self.ports.open_engine({**self._config(), "practice": practice, "jobs": jobs})

    def own_engine(self, *, stay: bool = False) -> AbstractContextManager[Engine]:
        """The same for a student's own run of the public checks: quick, on any machine, without the reference.

        ``stay``: it will be asked again and again.
        """
        return self.ports.open_own_engine({**self._config(), "stay": stay})

    def proving_engine(self) -> AbstractContextManager[Engine]:
        """The same for ``validate``: it answers more than marks."""
        return self.ports.open_proving_engine(self._config())

    def examine_isolation(self) -> Examination:
        """What this machine can prove; the folders of the course, if there is one here, are what must not be read."""
        guarded: list[Path] = []
        with suppress(UsageError):
            guarded = [self.root / "assignments", self.reference_folder()]
        return self.ports.examine_isolation(dict(self.environment), guarded)

    def _config(self) -> dict[str, Any]:
        reference = self._reference()
        return {
            "course": str(self.root.resolve()),
            "reference": None if reference is None else str(reference.resolve()),
            "environment": dict(self.environment),
            "lang": self.lang,
        }

    def reference_folder(self) -> Path:
        """Where the private parts are, named or beside the course. Raises ``UsageError``."""
        return self._reference() or self.root / "reference"

    def _reference(self) -> Path | None:
        if self.reference is None:
            return None
        folder = self.folder / self.reference
        if not folder.is_dir():
            raise UsageError(f"--reference {self.reference}: there is no such folder")
        return folder


def assignment_named(course: Course, name: str) -> Assignment:
    """The assignment of that name. Raises ``UsageError`` with the nearest name."""
    assignment = course.assignment(name)
    if assignment is None:
        raise UsageError(f"there is no assignment {name!r}{advice(name, [a.name for a in course.assignments])}")
    return assignment


def advice(name: str, known: Sequence[str]) -> str:
    """``; did you mean 'x'?`` or the list of what there is."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there is {', '.join(known)}"
