"""The code cells of a notebook of any age, from its JSON alone; outputs, metadata and identifiers decide nothing."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.intake import refusals
from grader.intake.found import SOURCE_LIMIT
from grader.intake.json_cut import DROPPED, TooDeep, TooMuch, cut
from grader.intake.text import Decoded, decode, plain, refuse_other_kinds
from grader.model.course import Text
from grader.model.submission import Chunk, Place, Remark

_DIGITS_LIMIT = 400  # of one number; reading a longer one takes time without bound
_SEARCHED = 200_000  # characters of a text cell looked through for a solution
_BLANK = " \t\r\n"
_HEAD = 2_000  # bytes that say what a file is that is no notebook
_TOO_MUCH = Text(
    "it holds far too much; clear its outputs, and take large pictures out of its text cells",
    "内容过多；请清除所有输出，并去掉文本单元格里的大图片",
)
_PAGE = re.compile(r"<(?:!doctype|html|head|\?xml|!--)", re.IGNORECASE)
_CODE = re.compile(r"^(?:def |class |import |from \w[\w.]*+ import |@\w)", re.MULTILINE)
_SAVE_AGAIN = Text(
    "open it in Jupyter, save it and hand in that .ipynb file", "请用 Jupyter 打开、保存，再提交这个 .ipynb"
)


@dataclass(frozen=True, slots=True)
class Notebook:
    """What counts in a notebook."""

    chunks: tuple[Chunk, ...]
    remarks: tuple[Remark, ...]
    encoding: str = ""
    repeated: tuple[str, ...] = ()  # keys that stand twice in one object of the JSON: the last one counts
    has_rest: bool = False  # something stands behind the end of the JSON, as a copy that went wrong leaves it


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a person sees it; ``kind`` is "code", "markdown", "raw" or whatever the file says."""

    number: int  # counted from 1 over all cells
    kind: str
    source: str


def read_notebook(data: bytes, path: str, wanted: tuple[str, ...]) -> Notebook:
    """Read a notebook; ``wanted`` are the names whose definitions are worth pointing at outside code cells.

    Raises:
        NotGradable: no JSON, no notebook, or too much code.
    """
    name = path.rsplit("/", 1)[-1]
    decoded = _without_outputs(data, name)
    repeated: dict[str, None] = {}
    found, rest = _parsed(decoded.text, data, name, repeated)
    cells = list(_cells(found, name))
    code = [cell for cell in cells if cell.kind == "code" and cell.source.strip()]
    if sum(len(cell.source) for cell in code) > SOURCE_LIMIT:
        raise refusals.too_big(name, SOURCE_LIMIT, Text("that much code cannot be graded", "代码过多，无法评分"))
    chunks = tuple(Chunk(cell.source, Place(path, 1, cell.number)) for cell in code)
    return Notebook(chunks, tuple(_remarks(cells, code, path, wanted)), decoded.encoding, tuple(repeated)[:5], rest)


def cells_of(data: bytes, path: str) -> tuple[Cell, ...]:
    """Every cell in document order, without outputs. Raises ``NotGradable``."""
    name = path.rsplit("/", 1)[-1]
    return tuple(_cells(_parsed(_without_outputs(data, name).text, data, name, {})[0], name))


def looks_like_notebook(text: str) -> bool:
    """Whether text under another name is a notebook's JSON."""
    return text.lstrip()[:1] == "{" and '"nbformat"' in text and ('"cells"' in text or '"worksheets"' in text)


def _without_outputs(data: bytes, name: str) -> Decoded:
    """The text of the JSON without the parts that never count; what stands in those need not even be text."""
    refuse_other_kinds(data, name)
    try:
        try:
            return Decoded(_text(cut(data.removeprefix(codecs.BOM_UTF8).rstrip(b"\0"))))
        except UnicodeDecodeError:
            whole = decode(data, name)
            return Decoded(_text(cut(whole.text.encode())), whole.encoding)
    except TooDeep:
        raise refusals.no_notebook(
            name, Text(f"it is nested too deeply; {_SAVE_AGAIN.en}", f"嵌套过深；{_SAVE_AGAIN.zh}")
        ) from None
    except TooMuch:
        raise refusals.no_notebook(name, _TOO_MUCH) from None


def _text(data: bytes) -> str:
    if b"\0" in data:  # UTF-16 in the eyes of UTF-8, or no text at all
        raise UnicodeDecodeError("utf-8", data[:1], 0, 1, "a NUL byte")
    return data.decode()


def _parsed(text: str, data: bytes, name: str, repeated: dict[str, None]) -> tuple[dict[str, Any], bool]:
    """The JSON, and whether anything stands behind it."""

    def noted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.update((key, None) for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        return {key: value for key, value in found.items() if key not in DROPPED}  # also where a key has escapes in it

    try:
        decoder = json.JSONDecoder(object_pairs_hook=noted, parse_int=_number)
        found, end = decoder.raw_decode(text, len(text) - len(text.lstrip(_BLANK)))
    except (ValueError, RecursionError, MemoryError):
        raise refusals.no_notebook(name, _why_no_json(data)) from None
    if not isinstance(found, dict):
        raise refusals.no_notebook(
            name, Text(f"its JSON is no notebook; {_SAVE_AGAIN.en}", f"其 JSON 不是笔记本；{_SAVE_AGAIN.zh}")
        )
    return found, bool(text[end:].strip(_BLANK))


def _number(digits: str) -> int:
    """A whole number of a length that somebody may have meant; none of them decides anything."""
    if len(digits) > _DIGITS_LIMIT:
        raise ValueError("a number without end")
    return int(digits)


def _why_no_json(data: bytes) -> Text:
    start = data[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if _PAGE.match(start):
        return Text(
            "it is a web page; download the notebook itself (the raw file)", "这是一个网页；请下载笔记本文件本身（raw）"
        )
    if start.startswith("version https://git-lfs"):
        return Text(
            "it is a placeholder of Git LFS, without the notebook; run `git lfs pull` and hand in the file itself",
            "这只是 Git LFS 的占位文件，没有笔记本的内容；请运行 `git lfs pull`，再提交文件本身",
        )
    if data.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data:
        return Text(
            "it holds the marks of an unfinished git merge; settle them and hand it in again",
            "其中有未解决的 git 合并标记；请解决后再提交",
        )
    if start[:1] != "{" and re.search(r"^[ \t]*+(?:import|from|def|class)\s", start, re.MULTILINE):
        return Text("it is Python source; hand it in with the ending .py", "这是 Python 源码；请以 .py 为扩展名提交")
    return Text(f"its JSON is damaged or cut off; {_SAVE_AGAIN.en}", f"JSON 已损坏或不完整；{_SAVE_AGAIN.zh}")


def _cells(notebook: dict[str, Any], name: str) -> Iterator[Cell]:
    """Every cell in document order: of format 4, or of the worksheets of formats 3 and 2."""
    if isinstance(notebook.get("content"), dict) and "cells" not in notebook:
        notebook = notebook["content"]  # as a server's own interface hands a notebook out
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
            source = _source(cell)
            yield Cell(number, _kind(cell, source), source)


def _kind(cell: dict[str, Any], source: str) -> str:
    """What the file says; where it says nothing, a cell that was run or that defines something is code."""
    kind = cell.get("cell_type")
    if isinstance(kind, str) and kind.strip():
        return kind.strip().lower()
    ran = any(key in cell for key in ("execution_count", "prompt_number", "input"))
    return "code" if ran or _CODE.search(source) else ""


def _source(cell: dict[str, Any]) -> str:
    """A cell's text: a string or a list of them, under the name its format gives it."""
    value = next((cell[key] for key in ("source", "input", "code") if key in cell), "")
    if isinstance(value, list):
        lines = [part for part in value if isinstance(part, str)]
        value = ("" if any("\n" in line for line in lines) else "\n").join(lines)  # some writers leave the ends out
    return plain(value).removeprefix("\ufeff") if isinstance(value, str) else ""


def _remarks(cells: list[Cell], code: list[Cell], path: str, wanted: tuple[str, ...]) -> Iterator[Remark]:
    if not code:
        yield Remark(Text("this notebook has no code cells", "这个笔记本里没有代码单元格"), Place(path, 1))
    for name in wanted:
        definition = re.compile(rf"^[ \t]*+(?:def|class)[ \t]++{re.escape(name)}\b", re.MULTILINE)
        if any(definition.search(cell.source) for cell in code):
            continue
        for cell in cells:
            if cell.kind != "code" and (found := definition.search(cell.source, 0, _SEARCHED)):
                line = cell.source.count("\n", 0, found.start()) + 1
                yield Remark(_elsewhere(name, cell.kind), Place(path, line, cell.number))


def _elsewhere(name: str, kind: str) -> Text:
    shown = kind if kind in ("markdown", "raw") else "non-code"
    return Text(
        f"`{name}` is written in a {shown} cell, which never runs; make it a code cell",
        f"`{name}` 写在 {shown} 单元格里，不会运行；请改成代码单元格",
    )
