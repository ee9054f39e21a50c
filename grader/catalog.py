"""Finds the course and validates it: every mistake at once, each with file, line, column and advice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from grader.course_files import AssignmentShape, CourseShape, CriterionShape, Words, read
from grader.course_rules import (
    Problem,
    contract_problems,
    course_problems,
    number_problems,
    repeated_names,
    stub_problems,
)
from grader.errors import CourseError, UsageError
from grader.model.course import Assignment, Course, Criterion, Forbidden, Limits, Required, Text
from grader.strict_yaml import Loaded, load

_COURSE = "assignments/course.yaml"
_DIGESTED = ("checks.py", "solution.py", "faults.py")  # of reference/<name>, as far as they are there


def find_root(start: Path) -> Path:
    """The nearest folder, from ``start`` upward, that holds a course. Raises ``UsageError``."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / _COURSE).is_file():
            return folder
    raise UsageError(f"no course here: neither {start} nor a folder above it holds {_COURSE}")


def load_course(root: Path, reference: Path | None = None) -> Course:
    """The whole course, validated. ``reference`` is ``root/reference`` unless named.

    Raises ``CourseError`` with every problem of every file.
    """
    loaded = _loaded(root, _COURSE)
    problems = _placed(_COURSE, loaded, (*repeated_names(loaded.data), *course_problems(root, loaded.data)))
    if reference is not None and not reference.is_dir():
        problems.append(f"{reference}: there is no such folder for the reference")
    shape, assignments = None, []
    try:
        shape = read(CourseShape, loaded, _COURSE, _texts(loaded, "languages"))
    except CourseError as bad:
        problems = [*bad.problems, *problems]
    for name in dict.fromkeys(_texts(loaded, "assignments")):
        if not (root / "assignments" / name).is_dir():
            continue  # said above
        try:
            assignments.append(_assignment(root, reference or root / "reference", name, _texts(loaded, "languages")))
        except CourseError as bad:
            problems += bad.problems
    if problems or shape is None:
        raise CourseError(problems)
    feedback = shape.feedback
    return Course(
        title=_text(shape.title),
        languages=tuple(shape.languages),
        assignments=tuple(assignments),
        before_deadline=feedback.before_deadline,
        after_release=feedback.after_release,
        hidden_runs_per_day=feedback.hidden_runs_per_day,
    )


def _loaded(root: Path, name: str) -> Loaded:
    try:
        return load((root / name).read_bytes(), name)
    except OSError as bad:
        raise CourseError([f"{name}:1:1: cannot be read: {bad.strerror}"]) from bad


def _texts(loaded: Loaded, key: str) -> list[str]:
    """A list of names, as far as it can be read before the file is known to be right."""
    listed = loaded.data.get(key) if isinstance(loaded.data, dict) else None
    return [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []


def _placed(file: str, loaded: Loaded, problems: Iterable[Problem]) -> list[str]:
    return [f"{file}:{loaded.position(path)}: {what}" for path, what in problems]


def _assignment(root: Path, references: Path, name: str, languages: Sequence[str]) -> Assignment:
    file, folder = f"assignments/{name}/assignment.yaml", root / "assignments" / name
    loaded = _loaded(root, file)
    # Without a reference this is a student's copy, where the stub is the file that is being worked in.
    authors = (references / name).is_dir()
    problems = _placed(file, loaded, stub_problems(folder, loaded.data)) if authors else []
    repeated = _placed(file, loaded, repeated_names(loaded.data))
    try:
        shape = read(AssignmentShape, loaded, file, languages)
    except CourseError as bad:
        raise CourseError([*bad.problems, *problems, *repeated]) from bad
    if authors and not problems and shape.file.endswith(".py"):
        problems = _placed(file, loaded, contract_problems(folder / shape.file, shape.functions))
    problems += [*repeated, *_placed(file, loaded, number_problems(shape))]
    if problems:
        raise CourseError(problems)
    return _built(shape, name, folder, references / name if authors else None)


def _built(shape: AssignmentShape, name: str, folder: Path, reference: Path | None) -> Assignment:
    forbidden = Forbidden()
    if shape.forbidden is not None:
        forbidden = Forbidden(tuple(shape.forbidden.calls), _marks(shape.forbidden.costs))
    return Assignment(
        name=name,
        title=_text(shape.title),
        file=shape.file,
        functions=tuple(Required(f.name, tuple(f.aliases), tuple(f.parameters)) for f in shape.functions),
        criteria=tuple(_criterion(criterion) for criterion in shape.criteria),
        folder=folder,
        reference=reference,
        limits=Limits(**shape.limits.model_dump()),
        forbidden=forbidden,
        import_errors=shape.import_errors,
        digest=_digest(folder, shape.file, reference),
    )


def _criterion(shape: CriterionShape) -> Criterion:
    hints = shape.hints
    steps = zip(hints.en, hints.zh or [""] * len(hints.en), strict=True)
    return Criterion(
        id=shape.id,
        marks=_marks(shape.marks),
        title=_text(shape.title),
        hints=tuple(Text(en, zh) for en, zh in steps),
        all_or_nothing=shape.all_or_nothing,
        when_blocked=shape.when_blocked,
    )


def _text(words: Words) -> Text:
    return Text(words.en, words.zh)


def _marks(number: float) -> Fraction:
    return Fraction(str(number))  # 0.1 as it was written, not its nearest binary fraction


def _digest(folder: Path, stub: str, reference: Path | None) -> str:
    """One number for everything that decides marks: names and contents, wherever the course lies."""
    private = [reference / name for name in _DIGESTED] if reference else []
    files = [folder / "assignment.yaml", *private, folder / stub]
    seen = hashlib.sha256()
    for file in files:
        if file.is_file():
            data = file.read_bytes()
            seen.update(f"{file.name}\0{len(data)}\0".encode() + data)
    return seen.hexdigest()
