"""The students' copy of a course: a folder, and the same as an archive that is always the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.model.course import Assignment, Course
from grader.release.notebooks import handout_name, notebook_name, notebook_text
from grader.release.readme import readme
from grader.release.single import NAME as SINGLE
from grader.release.single import packed, single_file

_LITTER: Final = ("__pycache__", ".pyc", ".pyo", ".swp", "~", ".ipynb_checkpoints", ".DS_Store")


@dataclass(frozen=True, slots=True)
class Released:
    """What was written. ``members`` are the files by their path below the folder, in order."""

    folder: Path
    archive: Path
    members: tuple[str, ...]


def members_of(course: Course, root: Path, languages: Iterable[str]) -> dict[str, bytes]:
    """Every file a student gets, by path. The first of ``languages`` has the plain names."""
    chosen = tuple(languages)
    files: dict[str, bytes] = {SINGLE: single_file(course)}
    for at, lang in enumerate(chosen):
        files[handout_name("en" if at == 0 else lang)] = readme(course, lang).encode()
    files["assignments/course.yaml"] = (root / "assignments" / "course.yaml").read_bytes()
    for assignment in course.assignments:
        files |= _of_assignment(assignment, chosen, course.languages)
    return files


def release(course: Course, root: Path, out: Path, languages: Iterable[str]) -> Released:
    """Write the folder ``out`` and ``out.zip`` beside it. Raises ``UsageError`` where something lies there already."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty: name a folder that is not there yet")
    files = members_of(course, root, languages)
    for name, data in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    archive = out.with_name(out.name + ".zip")
    archive.write_bytes(packed({f"{out.name}/{name}": data for name, data in files.items()}))
    return Released(out, archive, tuple(sorted(files)))


def _of_assignment(assignment: Assignment, chosen: tuple[str, ...], every: Iterable[str]) -> dict[str, bytes]:
    """An assignment's own files as they are, but for those that are written by language."""
    home = f"assignments/{assignment.name}"
    by_language = {name for lang in every for name in (handout_name(lang), notebook_name(assignment, lang))}
    files = {
        f"{home}/{path.relative_to(assignment.folder).as_posix()}": path.read_bytes()
        for path in sorted(assignment.folder.rglob("*"))
        if path.is_file() and path.name not in by_language and not is_litter(path.relative_to(assignment.folder))
    }
    for at, lang in enumerate(chosen):
        handout = assignment.folder / handout_name(lang)
        if not handout.is_file():
            continue
        shown = "en" if at == 0 else lang
        files[f"{home}/{handout_name(shown)}"] = handout.read_bytes()
        if assignment.stub.suffix == ".py":
            files[f"{home}/{notebook_name(assignment, shown)}"] = notebook_text(assignment, lang).encode()
    return files


def is_litter(path: Path) -> bool:
    """What editors and Python leave behind."""
    return any(part.startswith(".") or part.endswith(_LITTER) for part in path.parts)
