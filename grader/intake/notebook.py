"""The code cells of a notebook of any age, from its JSON alone; outputs, metadata and identifiers decide nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.intake import refusals
from grader.intake.found import SOURCE_LIMIT
from grader.intake.text import decode, plain
from grader.model import Chunk, Place, Remark, Text

_CONTAINERS_LIMIT = 3_000_000  # brackets in the file: bounds what parsing it can allocate
_DROPPED = frozenset({"outputs", "metadata", "attachments"})
_SAVE_AGAIN = Text(
    "open it in Jupyter, save it and hand in that .ipynb file", "请用 Jupyter 打开、保存，再提交这个 .ipynb"
)


@dataclass(frozen=True, slots=True)
class Notebook:
    """What counts in a notebook."""

    chunks: tuple[Chunk, ...]
    remarks: tuple[Remark, ...]
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class _Cell:
    number: int  # counted from 1 over all cells
    kind: str
    source: str


def read_notebook(data: bytes, path: str, wanted: tuple[str, ...]) -> Notebook:
    """Read a notebook; ``wanted`` are the names whose definitions are worth pointing at outside code cells.

    Raises:
        NotGradable: no JSON, no notebook, or too much code.
    """
    name = path.rsplit("/", 1)[-1]
    decoded = decode(data, name)
    cells = list(_cells(_parsed(decoded.text, data, name), name))
    code = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    if sum(len(cell.source) for cell in code) > SOURCE_LIMIT:
        raise refusals.too_big(name, SOURCE_LIMIT, Text("that much code cannot be graded", "代码过多，无法评分"))
    chunks = tuple(Chunk(cell.source, Place(path, 1, cell.number)) for cell in code)
    return Notebook(chunks, tuple(_remarks(cells, code, path, wanted)), decoded.encoding)


def looks_like_notebook(text: str) -> bool:
    """Whether text under another name is a notebook's JSON."""
    return text.lstrip()[:1] == "{" and '"nbformat"' in text and ('"cells"' in text or '"worksheets"' in text)


def _parsed(text: str, data: bytes, name: str) -> dict[str, Any]:
    if data.count(b"[") + data.count(b"{") > _CONTAINERS_LIMIT:
        raise refusals.no_notebook(name, Text("it holds far too much; clear its outputs", "内容过多；请清除所有输出"))
    try:
        found = json.loads(text, object_pairs_hook=_without_outputs)
    except RecursionError:
        raise refusals.no_notebook(
            name, Text(f"it is nested too deeply; {_SAVE_AGAIN.en}", f"嵌套过深；{_SAVE_AGAIN.zh}")
        ) from None
    except (ValueError, MemoryError):
        raise refusals.no_notebook(name, _why_no_json(text)) from None
    if not isinstance(found, dict):
        raise refusals.no_notebook(
            name, Text(f"its JSON is no notebook; {_SAVE_AGAIN.en}", f"其 JSON 不是笔记本；{_SAVE_AGAIN.zh}")
        )
    return found


def _without_outputs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if key not in _DROPPED}


def _why_no_json(text: str) -> Text:
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html")):
        return Text(
            "it is a web page; download the notebook itself (the raw file)", "这是一个网页；请下载笔记本文件本身（raw）"
        )
    if re.search(r"^<{7} ", text, re.MULTILINE):
        return Text(
            "it holds the marks of an unfinished git merge; settle them and hand it in again",
            "其中有未解决的 git 合并标记；请解决后再提交",
        )
    if re.search(r"^\s*(?:import|from|def|class)\s", text, re.MULTILINE) and start[:1] != "{":
        return Text("it is Python source; hand it in with the ending .py", "这是 Python 源码；请以 .py 为扩展名提交")
    return Text(f"its JSON is damaged or cut off; {_SAVE_AGAIN.en}", f"JSON 已损坏或不完整；{_SAVE_AGAIN.zh}")


def _cells(notebook: dict[str, Any], name: str) -> Iterator[_Cell]:
    """Every cell in document order: of format 4, or of the worksheets of formats 3 and 2."""
    raw = notebook.get("cells")
    if not isinstance(raw, list):
        sheets = notebook.get("worksheets")
        if not isinstance(sheets, list):
            raise refusals.no_notebook(
                name, Text(f"it has no cells; {_SAVE_AGAIN.en}", f"没有单元格；{_SAVE_AGAIN.zh}")
            )
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        raw = [cell for part in parts if isinstance(part, list) for cell in part]
    for number, cell in enumerate(raw, start=1):
        if isinstance(cell, dict):
            yield _Cell(number, str(cell.get("cell_type")), _source(cell))


def _source(cell: dict[str, Any]) -> str:
    """A cell's text: a string or a list of them, under the name its format gives it."""
    value = next((cell[key] for key in ("source", "input", "code") if key in cell), "")
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return plain(value) if isinstance(value, str) else ""


def _remarks(cells: list[_Cell], code: list[_Cell], path: str, wanted: tuple[str, ...]) -> Iterator[Remark]:
    if not code:
        yield Remark(Text("this notebook has no code cells", "这个笔记本里没有代码单元格"), Place(path, 1))
    for name in wanted:
        definition = re.compile(rf"^[ \t]*(?:def|class)[ \t]+{re.escape(name)}\b", re.MULTILINE)
        if any(definition.search(cell.source) for cell in code):
            continue
        for cell in cells:
            if cell.kind != "code" and (found := definition.search(cell.source)):
                line = cell.source.count("\n", 0, found.start()) + 1
                yield Remark(_elsewhere(name, cell.kind), Place(path, line, cell.number))


def _elsewhere(name: str, kind: str) -> Text:
    shown = kind if kind in ("markdown", "raw") else "non-code"
    return Text(
        f"`{name}` is written in a {shown} cell, which never runs; make it a code cell",
        f"`{name}` 写在 {shown} 单元格里，不会运行；请改成代码单元格",
    )
