"""``check.pyz``: the student's part of this program and the course's public parts, in one file."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from grader.model.course import Course
from grader.onefile.course import as_plain
from grader.release.older import SHIM, SHIM_SOURCE, for_older_pythons

NAME: Final = "check.pyz"
TIME: Final = (1980, 1, 1, 0, 0, 0)  # of every member: the same content is the same file
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_ENTRIES: Final = ("grader.onefile.main", "grader.onefile.kernel")
# Read by a Python of any age: nothing here may be younger than what it says.
_MAIN: Final = """\
import os
import sys

if sys.version_info < (3, 9):
    sys.exit("check.pyz needs Python 3.9 or newer; this is Python %d.%d." % sys.version_info[:2])
try:
    import numpy
    import torch
except ImportError as missing:
    sys.exit("check.pyz needs NumPy and torch, and this Python has no %s. Use the Python of your notebooks: "
             "%s -m pip install numpy torch" % (missing.name, os.path.basename(sys.executable or "python")))
if int(torch.__version__.split(".")[0]) < 2:
    sys.exit("check.pyz needs torch 2.0 or newer; this is torch %s." % torch.__version__)

from pathlib import Path

from grader.onefile.main import main

sys.exit(main(sys.argv[1:], Path(__file__).parent))
"""
_MODULE: Final = '''\
"""from check import check; check("attention")"""

from grader.onefile.kernel import check

__all__ = ["check"]
'''


def single_file(course: Course) -> bytes:
    """The archive; the same course and the same program give the same bytes."""
    members = dict(_program())
    members["course/course.json"] = json.dumps(as_plain(course), ensure_ascii=False, indent=1) + "\n"
    for assignment in course.assignments:
        for name in (assignment.file, "checks_public.py"):
            text = (assignment.folder / name).read_text(encoding="utf-8")
            checks = name == "checks_public.py"
            members[f"course/{assignment.name}/{name}"] = for_older_pythons(text) if checks else text
    return packed({name: text.encode() for name, text in members.items()}, b"#!/usr/bin/env python3\n")


@lru_cache(maxsize=1)
def _program() -> Mapping[str, str]:
    """The code, by name: the same for every course."""
    members = {"__main__.py": _MAIN, "check.py": _MODULE, SHIM: SHIM_SOURCE}
    for path in _closure():
        name = path.relative_to(_PACKAGE.parent).as_posix()
        members[name] = for_older_pythons(path.read_text(encoding="utf-8"))
    members["grader/__init__.py"] = '"""The student\'s part of the grader."""\n'
    return members


def packed(members: dict[str, bytes], before: bytes = b"", executable: Container[str] = ()) -> bytes:
    """A zip archive that depends on names and contents alone; ``executable`` members are scripts."""
    out = io.BytesIO()
    out.write(before)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if name in executable else 0o100644) << 16
            info.create_system = 3
            archive.writestr(info, members[name])
    return out.getvalue()


def _closure() -> list[Path]:
    """Every module of this program that the entries reach by import, packages on the way included."""
    found: dict[Path, None] = {}
    waiting = list(_ENTRIES)
    while waiting:
        parts = waiting.pop().split(".")
        for count in range(1, len(parts) + 1):
            path = _file_of(parts[:count])
            if path is not None and path not in found:
                found[path] = None
                waiting += _imported(path)
    return sorted(found)


def _file_of(parts: list[str]) -> Path | None:
    place = _PACKAGE.parent.joinpath(*parts)
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "grader")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "grader":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
