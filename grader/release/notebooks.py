"""An assignment's notebook, made from its handout and its stub: the same text always gives the same file."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.model.course import Assignment, Text

_HEADING = re.compile(r"^(?=## )", re.MULTILINE)
_NO_ID = re.compile(r"[^A-Za-z0-9_-]")
_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_CHECK = Text(
    en="""\
# Run this cell to check what you wrote above, as often as you like. Nothing in it is graded.
""",
    zh="""\
# 运行这个单元格，检查上面写的代码，次数不限。它本身不参与评分。
""",
)
_FIND = """\
try:
    from grader import check
except ImportError:
    import pathlib
    import sys

    here = pathlib.Path.cwd()
    sys.path += [str(folder / "check.pyz") for folder in (here, *here.parents)]
    try:
        from check import check
    except ImportError:
        check = None
        print({advice!r})
check and check({name!r}{lang})"""
_ADVICE = Text(
    en="To check your code here, put check.pyz (it came with the course) into the folder of this notebook, "
    "or install the command: pip install attention-grader. Handing in works without either.",
    zh="要在这里检查代码，请把课程附带的 check.pyz 放到这个笔记本所在的文件夹，"
    "或安装命令：pip install attention-grader。提交作业不需要它们。",
)


@dataclass(frozen=True, slots=True)
class _Cell:
    id: str
    kind: str
    source: str

    def as_json(self) -> dict[str, Any]:
        lines = self.source.strip("\n").splitlines(keepends=True)
        cell: dict[str, Any] = {"cell_type": self.kind, "id": self.id, "metadata": {}, "source": lines}
        if self.kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        return dict(sorted(cell.items()))


def notebook_name(assignment: Assignment, lang: str) -> str:
    """``attention.ipynb``, or ``attention.zh.ipynb`` where it is not English."""
    stem = assignment.stub.stem
    return f"{stem}.ipynb" if lang == "en" else f"{stem}.{lang}.ipynb"


def notebook_text(assignment: Assignment, lang: str) -> str:
    """The notebook as JSON: the handout by sections, a cell for each function of the stub, a cell that checks."""
    handout = (assignment.folder / handout_name(lang)).read_text(encoding="utf-8")
    stub = assignment.stub.read_text(encoding="utf-8")
    cells = [*_handout(handout), *_stub(stub), _check(assignment.name, lang)]
    whole = {"cells": [cell.as_json() for cell in cells], "metadata": _KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def handout_name(lang: str) -> str:
    return "README.md" if lang == "en" else f"README.{lang}.md"


def _handout(text: str) -> Iterator[_Cell]:
    for number, part in enumerate(_HEADING.split(text)):
        if part.strip():
            yield _Cell(f"handout-{number}", "markdown", part)


def _stub(text: str) -> Iterator[_Cell]:
    """Definitions one by one, what stands between them together; every line of the stub is in one of the cells."""
    lines, taken = text.split("\n"), 0
    waiting, first = "", True
    for node in ast.parse(text).body:
        end = node.end_lineno or node.lineno
        part = "\n".join(lines[taken:end])
        taken = end
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if waiting:
                yield _Cell("imports" if first else f"before-{_NO_ID.sub('-', node.name)}", "code", waiting)
            waiting, first = "", False
            yield _Cell(_NO_ID.sub("-", node.name)[:64], "code", part)
        else:
            waiting = f"{waiting}\n{part}" if waiting else part
    waiting += "\n".join(lines[taken:]).rstrip()
    if waiting.strip():
        yield _Cell("rest", "code", waiting)


def _check(name: str, lang: str) -> _Cell:
    given = "" if lang == "en" else f", lang={lang!r}"
    return _Cell("check", "code", _CHECK.pick(lang) + _FIND.format(advice=_ADVICE.pick(lang), name=name, lang=given))
