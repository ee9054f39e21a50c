"""Public checks inside a notebook, on the functions as they live in its kernel.

``from grader import check; check("attention")`` or ``%load_ext grader`` and ``%check attention``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from grader.catalog import find_root, load_course
from grader.errors import GraderError
from grader.notebook.asking import checked
from grader.notebook.shown import Checked


def check(target: object = None, *, lang: str = "en") -> Checked | None:
    """Run the public checks on what is defined in the caller's notebook.

    ``target``: an assignment's name, a function or class, or nothing: whatever is there. What cannot be checked is
    said in a line, not raised.
    """
    return check_in(sys._getframe(1).f_globals, target, lang)


def check_in(namespace: dict[str, Any], target: object, lang: str) -> Checked | None:
    """`check` on the names of ``namespace``; the course is looked for from the working folder upward."""
    folder = Path.cwd()
    try:
        return checked(load_course(find_root(folder)), target, namespace, lang, folder)
    except GraderError as wrong:
        print(wrong)
        return None


__all__ = ["check", "check_in"]
