"""Finds statements of a solution in what students get: code, comments, handouts, hints, notebooks."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_CODE_SPAN = re.compile(r"`+([^`\n]+)`+")
_MODULES = ("F", "math", "nn", "np", "torch")  # names that hold functions, not values
_READ = (".py", ".ipynb", ".md", ".yaml")


@dataclass(frozen=True, slots=True)
class Leak:
    """A statement of the solution, and where students can read it."""

    statement: str
    file: Path
    line: int  # of a notebook: the cell, counted from 1


def leaks(solution: str, published: Path) -> list[Leak]:
    """Every telling body statement of ``solution`` that stands in a file below the folder ``published``.

    Statements are compared by what they compute: neither spacing, comments nor the name assigned to matter.
    """
    return leaks_among(solution, statements_in(published))


def statements_in(published: Path) -> list[Leak]:
    """Everything in the files below a folder that reads as a telling statement: read once, for many solutions."""
    files = (path for path in sorted(published.rglob("*")) if path.suffix in _READ and path.is_file())
    return list(dict.fromkeys(Leak(text, path, line) for path in files for line, text in _published(path)))


def leaks_among(solution: str, published: Iterable[Leak]) -> list[Leak]:
    """Those of ``published`` that are body statements of ``solution``."""
    secret = set(_body_statements(ast.parse(solution)))
    return [each for each in published if each.statement in secret]


def _body_statements(module: ast.Module) -> Iterator[str]:
    """What the functions compute, statement by statement. A constructor's layout is the contract's own."""
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef) and function.name != "__init__":
            yield from _statements(ast.Module(function.body, type_ignores=[]))


def _statements(module: ast.AST) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
            value = node.value
            if value is not None and _telling(value):
                yield ast.unparse(value)


def _telling(value: ast.expr) -> bool:
    """Whether it computes something from variables.

    ``x.shape``, ``(values, weights)`` and literals tell nothing, and ``softmax(scores)`` no more than a signature does.
    """
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
        if all(isinstance(argument, ast.Name) for argument in arguments):
            return False
    nodes = list(ast.walk(value))
    callees = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = [node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in callees]
    computes = any(isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.UnaryOp) for node in nodes)
    return computes and any(name not in _MODULES for name in names)


def _published(path: Path) -> Iterator[tuple[int, str]]:
    """(line, statement) of everything in a file that reads as Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        yield from _readable(text, code=path.suffix == ".py")
        return
    for number, cell in enumerate(json.loads(text)["cells"], start=1):
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        for _, statement in _readable(source, code=cell["cell_type"] == "code"):
            yield number, statement


def _readable(text: str, *, code: bool) -> Iterator[tuple[int, str]]:
    """Statements of code as a whole, then line by line (comments, blocks of a handout) and in `code spans`."""
    module = _parsed(text) if code else None
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield from ((node.lineno, statement) for statement in _statements(node))
    for number, line in enumerate(text.splitlines(), start=1):
        for fragment in (line.strip().lstrip("#-> ").strip(), *_CODE_SPAN.findall(line)):
            parsed = _parsed(fragment.strip())
            for statement in _statements(parsed) if parsed else ():
                yield number, statement


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None
