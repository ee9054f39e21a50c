"""What the loader tells a student, in English and Chinese."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from grader.worker.notebook_source import Removed
from grader.worker.records import RemarkRecord, Spot, clean
from grader.worker.syntax_advice import advice

_LINE_CAP = 120  # characters of a source line shown


def remark(kind: str, en: str, zh: str, spot: Spot | None) -> RemarkRecord:
    where = spot or Spot(file="", line=None, cell=None)
    return RemarkRecord(
        kind=kind,
        text_en=clean(en, 1200),
        text_zh=clean(zh, 1200),
        file=where["file"] or None,
        line=where["line"],
        cell=where["cell"],
    )


def syntax_error(kind: str, message: str, line: str, spot: Spot, column: int) -> RemarkRecord:
    """The line Python could not read, with a caret under the place."""
    shown = _line_and_caret(line, column)
    todo_en, todo_zh = (text and "\n" + text for text in advice(message, line))
    where_en = f"cell {spot['cell']}, line {spot['line']}" if spot["cell"] else f"line {spot['line']}"
    where_zh = f"第 {spot['cell']} 个单元格第 {spot['line']} 行" if spot["cell"] else f"第 {spot['line']} 行"
    rest_en = "Nothing in this cell could be used." if spot["cell"] else "Nothing in this file could be used."
    rest_zh = "这个单元格里的代码都没有生效。" if spot["cell"] else "这个文件里的代码都没有生效。"
    return remark(
        "syntax_error",
        f"Python cannot read {where_en}, column {column}: {kind}: {message}\n{shown}{todo_en}\n{rest_en}",
        f"Python 读不懂{where_zh}第 {column} 列：{kind}: {message}\n{shown}{todo_zh}\n{rest_zh}",
        spot,
    )


def unreadable(kind: str, message: str, spot: Spot) -> RemarkRecord:
    en = f"Python could not compile this ({kind}: {message}); it was left out."
    return remark("not_compiled", en, f"Python 无法编译这段代码（{kind}: {message}），已跳过。", spot)


def raised(kind: str, message: str, spot: Spot, statement: Spot) -> RemarkRecord:
    said = f"{kind}: {message}" if message else kind
    line = statement["line"]
    en = f"This raised {said} while your code was loaded. The statement at line {line} was left out; the rest counts."
    zh = f"加载代码时这里抛出 {said}。第 {line} 行开始的这条语句被跳过，其余部分照常评分。"
    return remark("raised", en, zh, spot)


def absent_package(names: list[str], spot: Spot) -> RemarkRecord:
    """A definition lost a decorator or an annotation whose package is not installed."""
    shown = clean(", ".join(f"`{name}`" for name in names), 200)
    return remark(
        "absent_package",
        f"{shown} could not be imported here, so this was defined without it; the definition itself counts.",
        f"此处无法导入 {shown}，因此去掉它之后再定义；定义本身照常评分。",
        spot,
    )


def asked_for_input(spot: Spot) -> RemarkRecord:
    return remark(
        "input",
        "This asks for keyboard input, and nobody can answer while grading: left out. Put the value into the code.",
        "这里要求键盘输入，评分时没有人可以输入。这条语句被跳过；请把值直接写进代码。",
        spot,
    )


def skipped(reason: str, spot: Spot) -> RemarkRecord:
    """``reason``: "hangs", "ends the process" or "" where it is not known which."""
    en, zh = {
        "hangs": ("never finished", "一直没有执行完"),
        "ends the process": ("ended the whole process", "结束了整个进程"),
    }.get(reason, ("never finished or ended the whole process", "没有执行完，或者结束了整个进程"))
    return remark(
        "skipped",
        f"This statement {en}, so it was left out; the rest counts.",
        f"这条语句{zh}，因此被跳过；其余部分照常评分。",
        spot,
    )


def too_early(name: str, spot: Spot) -> RemarkRecord:
    return remark(
        "too_early",
        f"`{name}` needs a name that only a cell below defines. It was defined after all cells had run; move this cell "
        "down, then restart the kernel and run all cells in order to see that they work.",
        f"`{name}` 用到了下面的单元格才定义的名字。因此在所有单元格运行之后才定义它；请把这个单元格移到后面，"
        "再重启内核并依次运行全部单元格，确认能正常运行。",
        spot,
    )


def only_definitions(count: int, spot: Spot) -> RemarkRecord:
    return remark(
        "skipped",
        "Too many statements never finish or end the program. So only imports and definitions were taken; "
        f"{count} other statements, from here on, were left out.",
        f"太多语句执行不完，或者会结束程序。因此只保留了导入和定义；从这里开始，其余 {count} 条语句都被跳过。",
        spot,
    )


def neutralised(removed: Removed, spot: Spot) -> RemarkRecord:
    what = clean(removed.what, 80)
    en, zh = {
        "left_out": ("is a notebook command, not Python; it was left out", "是笔记本命令，不是 Python 代码，已忽略"),
        "statement_kept": (
            "is a notebook command; the Python in it was kept",
            "是笔记本命令；其中的 Python 代码照常保留",
        ),
        "body_kept": ("is a notebook command; the code below it was kept", "是笔记本命令；它下面的代码照常保留"),
        "body_left_out": (
            "says that this cell is not plain Python; it was left out",
            "表示这个单元格不是普通的 Python 代码，整个单元格已忽略",
        ),
        "file": (
            "writes another file; it can be imported, but is no code of this notebook",
            "写出另一个文件；可以导入它，但它不算这个笔记本的代码",
        ),
        "run": (
            "runs another file; what that defines counts where the file was handed in",
            "运行另一个文件；如果那个文件也提交了，其中的定义照常算数",
        ),
        "await": (
            "waits at the top of a cell; it was run without an event loop",
            "在单元格最外层等待；已在没有事件循环的情况下运行",
        ),
    }[removed.how]
    return remark("magic_removed", f"`{what}` {en}.", f"`{what}` {zh}。", spot)


def never_ran(name: str, spot: Spot) -> RemarkRecord:
    return remark(
        "never_ran",
        f"`{name}` is defined here, but under a condition that did not hold while grading, so it does not exist.",
        f"`{name}` 定义在这里，但它所在的条件在评分时不成立，所以并不存在。",
        spot,
    )


def put_back(what: str, place: Mapping[str, Any] | None) -> RemarkRecord:
    """A setting that holds for all of torch did not stay; ``what``: "gradients_off" or "device"."""
    en, zh = {
        "gradients_off": ("turns gradients off for everything that follows", "关闭了之后所有代码的梯度"),
        "device": ("makes a device that is not here the default", "把默认设备设成了这里没有的设备"),
    }[what]
    where = place or {}
    spot = Spot(file=str(where.get("file", "")), line=where.get("line"), cell=where.get("cell"))
    return remark("put_back", f"This {en}; it was undone for grading.", f"这里{zh}；评分时已恢复。", spot)


def more(count: int) -> RemarkRecord:
    return remark("more", f"... and {count} more remarks like these.", f"……还有 {count} 条类似的说明。", None)


def _line_and_caret(line: str, column: int) -> str:
    """The line, cut around the column where it is long, and a caret that lines up under wide characters too."""
    at = max(column - 1, 0)
    start = max(0, at - _LINE_CAP // 2) if len(line) > _LINE_CAP else 0
    shown = line[start : start + _LINE_CAP]
    before = "".join(
        "\t" if c == "\t" else "\u3000" if unicodedata.east_asian_width(c) in "WF" else " " for c in shown[: at - start]
    )
    return f"    {shown}\n    {before}^"
