"""The course inside the one file, unpacked to where Python can import its checks from, and removed at the end."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

from grader.model.course import Course
from grader.onefile.course import from_plain

FOLDER = "course"  # of the archive


@lru_cache(maxsize=1)
def own_course() -> Course:
    """The course that travels with this code."""
    archive = Path(__file__).parents[2]  # check.pyz/grader/onefile/archive.py
    folder = Path(tempfile.mkdtemp(prefix="check-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            if name.startswith(FOLDER + "/") and not name.endswith("/"):
                path = folder / name[len(FOLDER) + 1 :]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.read(name))
    return from_plain(json.loads((folder / "course.json").read_text(encoding="utf-8")), folder)
