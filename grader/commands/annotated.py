"""The graded notebook as a page: the report above, marks beside its cells."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grader.commands.setting import Setting
from grader.errors import NotGradable, UsageError
from grader.intake.notebook import cells_of
from grader.model.course import Assignment

_NEEDED = ("nbconvert", "bleach")


def require(option: str = "--notebook") -> None:
    """Raises ``UsageError`` where the libraries that read Markdown are not installed."""
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise UsageError(f"{option} needs {' and '.join(absent)}: pip install 'attention-grader[feedback]'")


def page(setting: Setting, path: Path, assignment: Assignment, document: Mapping[str, Any]) -> str:
    """The page for whoever ``document`` is for. Raises ``UsageError`` where no notebook was graded."""
    try:
        return page_of(setting, path, assignment, document, lang=setting.lang)
    except NoNotebook as other:
        raise UsageError(f"--notebook: what was graded is {other}, no notebook; --html takes any hand-in") from None
    except NotGradable as unreadable:
        raise UsageError(f"--notebook: {unreadable}") from None
    except Changed:
        raise UsageError(f"--notebook: {path} changed while it was graded; grade it again") from None


def page_of(setting: Setting, path: Path, assignment: Assignment, document: Mapping[str, Any], *, lang: str) -> str:
    """The page. Raises `NoNotebook`, `Changed` or ``NotGradable``."""
    from grader.reports import notebook

    submission = setting.ports.load_submission(path, assignment, document["submission"]["id"], ())
    if submission.kind != "notebook":
        raise NoNotebook(submission.main)
    main = submission.files[0]
    cells = cells_of(main.data, main.path)
    if [main.sha256] != [file["sha256"] for file in document["submission"]["files"][:1]]:
        raise Changed
    return notebook.render(document, [(cell.number, cell.kind, cell.source) for cell in cells], lang=lang)


class NoNotebook(Exception):
    """What was graded is another file, which this names."""


class Changed(Exception):
    """What lies there is no longer what was graded."""
