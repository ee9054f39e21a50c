"""Every failure belongs to the student, the author or us; the type says which.

GraderError
|- UsageError            the command was called wrongly (exit code 2)
|- CourseError           an author's file is wrong: file, line, key, what to do (exit code 2)
|- NotGradable           a hand-in that cannot be read: the reason, in words for a student
|- WallMissing           an isolation effect could not be proven (exit code 3)
|- GraderFault           our own machinery failed; never the student's zero (exit code 3)
|- LostAhead             a worker ended over a question that nobody waited for: the test begins again
|- CheckFailed           a check saw something wrong: a note for the student, detail for staff
`- StudentError          the student's code did not answer
   |- StudentRaised      it raised
   |- StudentTimedOut    it ran into a time limit
   |- StudentOutOfMemory it ran into the memory limit
   |- WorkerDied         it ended its process or broke the protocol
   |- StudentMissing     the function is not there
   `- StudentStub        the function is still the untouched stub
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.model.course import Text

if TYPE_CHECKING:
    from grader.model.submission import Place


class GraderError(Exception):
    """The root of everything the grader raises on purpose."""


class UsageError(GraderError):
    """The command line or a job asks for something that cannot be done."""


class CourseError(GraderError):
    """A course file is wrong. Carries every problem found, each with file, line and advice."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class NotGradable(GraderError):
    """A hand-in that cannot be read; ``reason`` tells the student what to do about it."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


class WallMissing(GraderError):
    """An effect of isolation could not be proven; says which and how to get it."""


class GraderFault(GraderError):
    """Our own machinery failed."""


class LostAhead(GraderError):
    """A question sent ahead, and not needed after all, ended the worker: no verdict of the test that is on."""


class CheckFailed(GraderError):
    """A check saw something wrong. ``note`` speaks to a learner, ``detail`` to staff."""

    def __init__(self, note: Text, detail: str = "") -> None:
        super().__init__(detail or note.en)
        self.note = note
        self.detail = detail or note.en


class StudentError(GraderError):
    """The student's code did not answer with a value."""

    def __init__(self, function: str, message: str = "", place: Place | None = None) -> None:
        super().__init__(f"{function}: {message}" if message else function)
        self.function = function
        self.message = message
        self.place = place


class StudentRaised(StudentError):
    """The student's code raised. ``kinds`` are the class names of the exception, most derived first."""

    def __init__(self, function: str, kinds: tuple[str, ...], message: str, place: Place | None) -> None:
        super().__init__(function, message, place)
        self.kinds = kinds

    @property
    def kind(self) -> str:
        return self.kinds[0] if self.kinds else "Exception"


class StudentTimedOut(StudentError):
    """A call ran into its wall-time limit of ``limit_s`` seconds."""

    def __init__(self, function: str, limit_s: float, place: Place | None = None) -> None:
        super().__init__(function, f"no answer within {limit_s:g} s", place)
        self.limit_s = limit_s


class StudentOutOfMemory(StudentError):
    """An allocation failed under the memory limit."""


class WorkerDied(StudentError):
    """The student's code ended its own process, or answered in a way no honest code does."""


class StudentMissing(StudentError):
    """The required name is not defined (or cannot be called); ``note`` says where it may be instead."""

    def __init__(self, function: str, note: Text) -> None:
        super().__init__(function, note.en)
        self.note = note


class StudentStub(StudentError):
    """The required name is still the untouched stub."""
