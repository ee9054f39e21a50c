"""Finding the file a student works on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.commands.setting import advice, assignment_named
from grader.commands.written import left_to_write
from grader.errors import UsageError
from grader.model.course import Assignment, Course

SUFFIXES = (".py", ".ipynb")


@dataclass(frozen=True, slots=True)
class Work:
    """A student's file and the assignment it answers; ``other`` is a second one that was passed over, ``why`` the key
    of the phrase that says so."""

    assignment: Assignment
    path: Path
    other: Path | None = None
    why: str = ""


def find_work(course: Course, folder: Path, target: str | None, named: str | None) -> Work:
    """The file meant by ``target`` (an assignment's name or a path), or by the working folder alone.

    ``named`` says which assignment a file of another name answers. Raises ``UsageError`` with what to type instead.
    """
    if target is None:
        return _only_one(course, folder, named)
    path = folder / target
    assignment = course.assignment(target)
    if assignment is not None and not path.is_file():
        return _of(assignment, folder)
    if not path.exists():
        known = advice(target, [a.name for a in course.assignments])
        raise UsageError(f"{target!r} is neither a file nor an assignment{known}")
    return Work(assignment_named(course, named) if named else _answered_by(course, path), path)


def candidates(assignment: Assignment, folder: Path) -> Iterator[Path]:
    """Where an assignment's file may lie: the working folder, then the course's own folder."""
    for home in (folder, assignment.folder):
        for suffix in SUFFIXES:
            path = (home / assignment.file).with_suffix(suffix)
            if path.is_file():
                yield path


def work_on(assignment: Assignment, folder: Path) -> Work | None:
    """The file that answers an assignment: the one in the working folder first, None where there is none.

    Of a file and a notebook side by side: the one that was written in, else the one that was changed last.
    """
    found = list(dict.fromkeys(path.resolve() for path in candidates(assignment, folder)))
    if not found:
        return None
    beside = [path for path in found if path.parent == found[0].parent]
    if len(beside) > 1:
        return _of_two(assignment, beside)
    elsewhere = [path for path in found if path not in beside and path.suffix == found[0].suffix]
    return Work(assignment, found[0], elsewhere[0], "both") if elsewhere else Work(assignment, found[0])


def _of_two(assignment: Assignment, beside: Sequence[Path]) -> Work:
    left = {path: left_to_write(path) for path in beside}
    most = max((count for count in (left_to_write(assignment.stub), *left.values()) if count is not None), default=0)
    begun = [path for path in beside if (count := left[path]) is None or count < most or not most]
    newest = max(beside, key=lambda path: path.stat().st_mtime_ns)  # the Python file, where they are of one moment
    chosen = begun[0] if len(begun) == 1 else newest
    (other,) = [path for path in beside if path != chosen]
    return Work(assignment, chosen, other, "only_begun" if len(begun) == 1 else "newer" if begun else "")


def _of(assignment: Assignment, folder: Path) -> Work:
    work = work_on(assignment, folder)
    if work is None:
        raise UsageError(
            f"found no {assignment.file} in {folder} or {assignment.folder}; give its path: grader check PATH"
        )
    return work


def _only_one(course: Course, folder: Path, named: str | None) -> Work:
    if named:
        return _of(assignment_named(course, named), folder)
    here = [a for a in course.assignments if any(p.parent == folder for p in candidates(a, folder))]
    if len(here) == 1:
        return _of(here[0], folder)
    names = ", ".join(a.name for a in (here or course.assignments))
    raise UsageError(f"say what to check: grader check NAME, with NAME one of {names}; or grader check FILE")


def _answered_by(course: Course, path: Path) -> Assignment:
    """The assignment whose file this is, by its name or its folder's."""
    for assignment in course.assignments:
        if path.stem == Path(assignment.file).stem:
            return assignment
    inside = course.assignment(path.resolve().name if path.is_dir() else path.resolve().parent.name)
    if inside is not None:
        return inside
    names = ", ".join(a.name for a in course.assignments)
    raise UsageError(f"cannot tell which assignment {path.name} answers; add -a NAME, one of {names}")
