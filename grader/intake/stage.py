"""From a path to a staged submission: find the file, read it, say what was noticed on the way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from grader.errors import UsageError
from grader.intake import refusals
from grader.intake.archive import read_archive
from grader.intake.choice import Choice, choose
from grader.intake.folder import TOTAL_LIMIT, Contents, ending_of_archive, read_folder
from grader.intake.found import NOTEBOOK, Found, kind_of, limit_of, read_regular, readable, stem_of
from grader.intake.modules import beside
from grader.intake.notebook import looks_like_notebook, read_notebook
from grader.intake.tar import looks_like_tar, read_tar
from grader.intake.text import decode
from grader.model.course import Assignment, Text
from grader.model.submission import Chunk, Flag, Place, Remark, SourceFile, Submission

_OTHER_ARCHIVES = {b"Rar!": "RAR", b"7z\xbc\xaf": "7z"}


def load(path: Path, assignment: Assignment, *, submission_id: str = "", students: Sequence[str] = ()) -> Submission:
    """Stage a ``.py``, a notebook, a folder or one student's zip or tar. Nothing of it is run.

    A lone file travels alone; in a folder or a zip the Python files beside the chosen one travel as modules.

    Raises:
        NotGradable: it cannot be read; the reason is in words for a student.
        UsageError: there is nothing at ``path``.
    """
    path = Path(os.path.abspath(path))
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"there is nothing at {path}")
    contents = _contents(path, assignment)
    choice = choose(contents.code, assignment)
    if choice is None:
        raise contents.refused or refusals.nothing_to_grade(assignment.file, contents.other)
    kind, chunks, remarks, flags = _read(choice.file, assignment)
    modules, left_out = beside(choice.file, contents.code)
    told, noted = ([], []) if _is_lone(path) else _about(choice, assignment)
    return Submission(
        id=submission_id or _default_id(path),
        students=tuple(students),
        main=choice.file.path,
        kind=kind,
        chunks=chunks,
        files=tuple(SourceFile(f.path, sha256(f.data).hexdigest(), f.data) for f in (choice.file, *modules)),
        origin=str(path),
        remarks=(*told, *remarks),
        flags=(*noted, *flags, *contents.flags, *left_out),
    )


def _contents(path: Path, assignment: Assignment) -> Contents:
    """Everything at ``path`` that may be code: a file, a folder's files, an archive's members."""
    if path.is_symlink():
        raise refusals.no_regular_file(readable(path.name))
    if path.is_dir():
        contents = read_folder(path)
        if contents.code or len(contents.archives) != 1:
            return contents
        path = contents.archives[0]
    if ending := ending_of_archive(path.name):
        return _unpacked(read_regular(path, TOTAL_LIMIT), readable(path.name), ending)
    kind = kind_of(path.name)
    if kind is None:
        raise refusals.wrong_kind(readable(path.name), assignment.file)
    return Contents(code=[Found(readable(path.name), read_regular(path, limit_of(kind)))])


def _unpacked(data: bytes, name: str, ending: str) -> Contents:
    """By what the archive is; its name decides where the bytes say nothing."""
    for start, kind in _OTHER_ARCHIVES.items():
        if data.startswith(start):
            raise refusals.other_archive(name, kind)
    if data.startswith(b"PK"):
        return read_archive(data, name)
    return read_tar(data, name) if looks_like_tar(data) or ending != ".zip" else read_archive(data, name)


def _is_lone(path: Path) -> bool:
    """A file named on its own: nothing was chosen, so nothing is said about its name."""
    return not path.is_dir() and not ending_of_archive(path.name)


def _default_id(path: Path) -> str:
    name = readable(path.name)
    if path.is_dir():
        return name
    ending = ending_of_archive(name)
    return name[: len(name) - len(ending)] if ending else stem_of(name)


def _read(found: Found, assignment: Assignment) -> tuple[str, tuple[Chunk, ...], list[Remark], list[Flag]]:
    """The kind, the code, and what is worth saying about one file."""
    place = Place(found.path, 1)
    flags: list[Flag] = []
    if found.kind == NOTEBOOK:
        return _read_notebook(found, assignment, flags)
    decoded = decode(found.data, found.name)
    if looks_like_notebook(decoded.text):
        flags.append(Flag("file_kind", f"{found.path} holds a notebook", place))
        return _read_notebook(found, assignment, flags)
    remarks = _about_encoding(decoded.encoding, found, flags)
    return found.kind or "", (Chunk(decoded.text, place),), remarks, flags


def _read_notebook(
    found: Found, assignment: Assignment, flags: list[Flag]
) -> tuple[str, tuple[Chunk, ...], list[Remark], list[Flag]]:
    wanted = tuple(function.name for function in assignment.functions)
    notebook = read_notebook(found.data, found.path, wanted)
    remarks = _about_encoding(notebook.encoding, found, flags)
    if notebook.has_rest:
        rest = "something stands behind the end of its JSON; it was left out"
        flags.append(Flag("notebook_form", rest, Place(found.path, 1)))
    if notebook.repeated:
        keys = ", ".join(key[:40] for key in notebook.repeated)
        flags.append(
            Flag("notebook_form", f"keys stand twice in its JSON, the last counts: {keys}", Place(found.path, 1))
        )
    return NOTEBOOK, notebook.chunks, [*remarks, *notebook.remarks], flags


def _about_encoding(encoding: str, found: Found, flags: list[Flag]) -> list[Remark]:
    if not encoding:
        return []
    flags.append(Flag("encoding", f"{found.path} was read as {encoding}", Place(found.path, 1)))
    text = Text(
        f"`{found.name}` is not in UTF-8; it was read as {encoding}. Save it as UTF-8, or Python may refuse it",
        f"`{found.name}` 不是 UTF-8 编码，已按 {encoding} 读取。请存为 UTF-8，否则 Python 可能无法读取",
    )
    return [Remark(text, Place(found.path, 1))]


def _about(choice: Choice, assignment: Assignment) -> tuple[list[Remark], list[Flag]]:
    """What the student and staff should know about the choice of the file."""
    name, place = choice.file.path, Place(choice.file.path, 1)
    remarks: list[Remark] = []
    flags: list[Flag] = []
    if choice.passed_over is not None:
        stub = choice.passed_over.path
        flags.append(Flag("stub_file", f"{stub} is the untouched stub; {name} was graded", place))
        text = Text(
            f"`{stub}` is the untouched stub, so `{name}` was graded", f"`{stub}` 未改动，因此评分的是 `{name}`"
        )
        remarks.append(Remark(text, place))
    elif not choice.exact:
        text = Text(
            f"no file is called `{assignment.file}`, so `{name}` was graded",
            f"没有名为 `{assignment.file}` 的文件，因此评分的是 `{name}`",
        )
        remarks.append(Remark(text, place))
    if not choice.exact:
        flags.append(Flag("file_name", f"{name} was graded, not {assignment.file}", place))
    if choice.rivals:
        others = ", ".join(found.path for found in choice.rivals[:5])
        flags.append(Flag("several_candidates", f"{name} was graded; also there: {others}", place))
        text = Text(f"`{name}` was graded; these were not: {others}", f"评分的是 `{name}`；未评分：{others}")
        remarks.append(Remark(text, place))
    return remarks, flags
