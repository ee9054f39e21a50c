"""Where a missing function may be: misspelt, tucked inside something, or written for another assignment."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from grader.model.course import Assignment, Course, Required, Text
from grader.model.submission import Definition, Remark


def missing(name: str, names: Sequence[str], inner: Sequence[str]) -> Text:
    """Why ``name`` is missing, as far as the names in the file can tell."""
    if name in inner:
        return Text(
            en=f"{name} was found only inside a class or another function; define it at the left margin",
            zh=f"{name} 只出现在某个类或别的函数里面；请把它定义在最外层",
        )
    simple = {_simple(n): n for n in names}
    near = simple.get(_simple(name)) or next(iter(difflib.get_close_matches(name, names, 1, 0.75)), None)
    if near:
        return Text(
            en=f"{name} was not found; did you mean {near}? Rename it to {name}",
            zh=f"没有找到 {name}；你写的是 {near} 吗？请改名为 {name}",
        )
    return Text(en=f"{name} was not found in the file", zh=f"文件里没有找到 {name}")


def _simple(name: str) -> str:
    return name.replace("_", "").lower()


def remarks(
    assignment: Assignment,
    course: Course,
    definitions: Sequence[Definition],
    names: Sequence[str],
    signatures: Mapping[str, Sequence[str]],
) -> list[Remark]:
    """Functions in the file that belong to another assignment, where something of this one is amiss."""
    found = []
    own = {n for f in assignment.functions for n in (f.name, *f.aliases)}
    for other in course.assignments:
        if other.name == assignment.name:
            continue
        for function in other.functions:
            name = next((n for n in (function.name, *function.aliases) if n in names), None)
            if name is None:
                continue
            namesake = name in own and _is_namesake(name, assignment, function, signatures)
            stray = name not in own and any(d.state == "missing" for d in definitions)
            if namesake or stray:
                found.append(_belongs(name, function, other))
    return found


def _is_namesake(name: str, assignment: Assignment, other: Required, signatures: Mapping[str, Sequence[str]]) -> bool:
    """The same name, but the parameters of the other assignment's function."""
    mine = next((f for f in assignment.functions if name in (f.name, *f.aliases)), None)
    have = list(signatures.get(name, ()))
    if mine is None or not have or not mine.parameters or not other.parameters:
        return False
    return have == list(other.parameters) and have != list(mine.parameters)


def _belongs(name: str, function: Required, other: Assignment) -> Remark:
    as_ = "" if name == function.name else f" (there it counts as {function.name})"
    zh = "" if name == function.name else f"（在那里算作 {function.name}）"
    return Remark(
        Text(
            en=f"{name} as written here belongs to the assignment {other.name}, file {other.file}{as_}",
            zh=f"这里的 {name} 属于作业 {other.name}，文件 {other.file}{zh}",
        )
    )
