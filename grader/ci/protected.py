"""Files a student has no reason to change: those of the course and of CI, and names that libraries have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping

from grader.ci.changed import Read
from grader.ci.objects import Entry
from grader.intake.found import readable
from grader.model.course import Course
from grader.model.submission import Flag

PROTECTED, SHADOWS = "protected_path", "named_like_a_library"
_LIMIT = 50  # flags of these kinds; a repository can cause one with every file
_FILES = re.compile(
    r"""(?ix)
    (?:^|/)\.(?:github|gitlab|circleci)/ | (?:^|/)\.(?:gitlab-ci\.ya?ml|travis\.yml|gitattributes|gitmodules|lfsconfig)$
    | (?:^|/)(?:action\.ya?ml|check\.pyz|assignment\.yaml|course\.yaml)$
    | (?:^|/)(?:checks_public|checks|faults|conftest)\.py$
    | (?:^|/)(?:pytest\.ini|tox\.ini|setup\.(?:py|cfg)|pyproject\.toml|pyvenv\.cfg)$
    | \.(?:pth|egg-link|so|pyd|pyc)$ | (?:^|/)(?:sitecustomize|usercustomize|__main__)\.py$
    """
)
_NEVER = re.compile(
    r"(?:^|/)(?:checks_public|conftest|sitecustomize|usercustomize)\.py$|\.(?:pth|egg-link|so|pyd|pyc)$"
)
_LIBRARIES = frozenset({
    "torch", "numpy", "scipy", "pytest", "_pytest", "pluggy", "einops", "grader", "safetensors", "transformers",
    *sys.stdlib_module_names,
})  # fmt: skip


def flags_of(before: Iterable[Entry] | None, after: Iterable[Entry], course: Course, read: Read) -> list[Flag]:
    """What staff should look at. ``before`` None (a first push): only what no handout of this course holds."""
    old = None if before is None else {entry.path: entry for entry in before}
    new = {entry.path: entry for entry in after}
    flags = list(_about(old, new, _handed_out(course), read))
    if len(flags) <= _LIMIT:
        return flags
    return [*flags[: _LIMIT - 1], Flag(PROTECTED, f"... and {len(flags) - _LIMIT + 1} more of this kind")]


def _about(
    old: Mapping[str, Entry] | None, new: Mapping[str, Entry], handed_out: frozenset[bytes], read: Read
) -> Iterator[Flag]:
    for path, entry in new.items():
        was = None if old is None else old.get(path)
        if was is not None and (was.sha, was.mode) == (entry.sha, entry.mode):
            continue
        done = "changed" if was else "added"
        if _FILES.search(path) and not _is_handed_out(entry, handed_out, read):
            if old is not None or _NEVER.search(path):
                yield Flag(PROTECTED, f"{done} {readable(path)}")
        elif (name := _library(path)) and done == "added":
            yield Flag(SHADOWS, f"added {readable(path)}: `import {name}` could mean it")
    for path in old or ():
        if path not in new and _FILES.search(path):
            yield Flag(PROTECTED, f"removed {readable(path)}")


def _library(path: str) -> str:
    """The library that a file, or a folder of files, is named like; "" of none."""
    if not path.endswith(".py"):
        return ""
    parts = [*path.split("/")[:-1], path.rsplit("/", 1)[-1].removesuffix(".py")]
    return next((part for part in parts if part in _LIBRARIES and part not in ("test", "this")), "")


def _handed_out(course: Course) -> frozenset[bytes]:
    files = (path for a in course.assignments for path in a.folder.glob("*") if path.is_file())
    return frozenset(path.read_bytes() for path in files if _FILES.search(path.name))


def _is_handed_out(entry: Entry, handed_out: frozenset[bytes], read: Read) -> bool:
    sizes = {len(data) for data in handed_out}
    return entry.is_regular and entry.size in sizes and read(entry) in handed_out
