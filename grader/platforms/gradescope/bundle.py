"""``autograder.zip``: scripts at its root, this program, one assignment with its reference, exact versions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from grader.errors import UsageError
from grader.model.course import Assignment, Course
from grader.platforms.gradescope.scripts import RUN, SETUP
from grader.release.folder import is_litter
from grader.release.single import packed
from grader.reports.gradescope import dump, failed

# What this program needs to grade; the same names as in its project file.
NEEDS: Final = ("click", "jinja2", "numpy", "pydantic", "pytest", "pyyaml", "rich", "torch")
FACTS: Final = "bundle.json"
_PACKAGE: Final = Path(__file__).resolve().parents[2]
_TORCH_INDEX: Final = "https://download.pytorch.org/whl/cpu"


def bundle(
    course: Course, root: Path, assignment: Assignment, facts: Mapping[str, object], wheels: Iterable[Path] = ()
) -> bytes:
    """The archive. ``facts`` are what a run has to know; the same arguments give the same bytes."""
    if assignment.reference is None:
        raise UsageError(f"{assignment.name} has no reference here; name its folder with --reference DIR")
    members = {
        "setup.sh": SETUP.encode(),
        "run_autograder": RUN.encode(),
        FACTS: (json.dumps({"assignment": assignment.name, **facts}, indent=1) + "\n").encode(),
        "requirements.txt": requirements().encode(),
        "not_graded.json": dump(failed(lang=str(facts["lang"]))).encode(),
        **_folder(_PACKAGE, "grader"),
        "course/assignments/course.yaml": (root / "assignments" / "course.yaml").read_bytes(),
        **_folder(assignment.reference, f"course/reference/{assignment.name}"),
    }
    for each in course.assignments:
        members |= _folder(each.folder, f"course/assignments/{each.name}")
    for wheel in wheels:
        members[f"wheels/{wheel.name}"] = wheel.read_bytes()
    return packed(members, executable={"setup.sh", "run_autograder"})


def requirements() -> str:
    """The versions that are installed here, of all that is needed: what was tested is what will run."""
    pins = sorted(f"{name}=={_release(name)}" for name in _needed(NEEDS))
    return "\n".join([f"--extra-index-url {_TORCH_INDEX}", *pins]) + "\n"


def _needed(names: Iterable[str]) -> set[str]:
    """The names and whatever they need in turn."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        for written in _requires(name):
            needed = Requirement(written)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name)
    return found


def _requires(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        raise UsageError(f"{name} is not installed here, so its version cannot be pinned; install it first") from None


def _release(name: str) -> str:
    """Without what a build adds (``+cpu``): indexes differ in that."""
    return metadata.version(name).partition("+")[0]


def _folder(folder: Path, prefix: str) -> dict[str, bytes]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and not is_litter(path.relative_to(folder))
    }
