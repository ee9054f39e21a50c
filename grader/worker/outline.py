"""What a student's text defines, read off the syntax trees: names, parameters, things hidden inside others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from grader.worker.records import NAMES_CAP
from grader.worker.source_map import SourceMap
from grader.worker.stubs import Definition, Function

_PARAMETERS_CAP = 50
_SCOPES = (*Function, ast.ClassDef)


def definitions_in(statement: ast.stmt) -> Iterator[Definition]:
    """Functions and classes that a top-level statement may bind at module level, in order of text."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _SCOPES):
            yield node
        elif isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def names_bound_in(statement: ast.stmt) -> Iterator[str]:
    """Names that a top-level statement may bind without an import."""
    yield from (node.name for node in definitions_in(statement))
    if not isinstance(statement, _SCOPES):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


class SourceOutline:
    """Finds the definition a code object or a class came from, in the student's file and the modules beside it."""

    def __init__(self, trees: Mapping[str, list[ast.Module]], source_map: SourceMap) -> None:
        self._map = source_map
        self._functions: dict[tuple[str, int], Definition] = {}
        self._classes: dict[tuple[str, str], list[ast.ClassDef]] = {}
        self._files: set[str] = set()
        for file, parts in trees.items():
            self._take(file, parts)

    def read(self, file: str) -> None:
        """Take in a module that was imported since, if ``file`` is one of the student's."""
        if file in self._files or (source := self._map.source(file)) is None:
            return
        try:
            self._take(file, [ast.parse(source)])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._files.add(file)  # an object can claim to come from a file that was never run

    def function(self, file: str, first_line: int) -> Definition | None:
        """The function whose code object begins at ``first_line``: that of its first decorator."""
        return self._functions.get((file, first_line))

    def last_class(self, file: str, name: str, until: int | None) -> ast.ClassDef | None:
        """The last class of that name that begins in line ``until`` or before."""
        found = [node for node in self._classes.get((file, name), ()) if until is None or node.lineno <= until]
        return found[-1] if found else None

    def _take(self, file: str, parts: Iterable[ast.Module]) -> None:
        self._files.add(file)
        for node in (node for tree in parts for node in ast.walk(tree)):
            if isinstance(node, Function):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                self._functions[(file, first)] = node
            elif isinstance(node, ast.ClassDef):
                self._classes.setdefault((file, node.name), []).append(node)


def inner_names(trees: Iterable[ast.Module]) -> list[str]:
    """Names of functions and classes that stand inside another function or class."""
    found: dict[str, None] = {}
    waiting: list[tuple[ast.AST, bool]] = [(tree, False) for tree in trees]
    while waiting and len(found) < NAMES_CAP:
        node, inside = waiting.pop()
        if isinstance(node, _SCOPES):
            if inside:
                found[node.name] = None
            inside = True
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return list(found)


def signatures(statements: Iterable[ast.stmt]) -> dict[str, list[str]]:
    """The parameters of every function, and of every class's constructor; the last definition of a name counts."""
    found: dict[str, list[str]] = {}
    for statement in statements:
        for node in definitions_in(statement):
            if len(found) >= NAMES_CAP:
                return found
            found[node.name] = _parameters(node)
    return found


def _parameters(node: Definition) -> list[str]:
    if isinstance(node, ast.ClassDef):
        inits = [item for item in node.body if isinstance(item, Function) and item.name == "__init__"]
        return _parameters(inits[-1])[1:] if inits else []
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument.arg for argument in every][:_PARAMETERS_CAP]
