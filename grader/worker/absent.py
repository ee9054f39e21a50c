"""Packages that a student has and this machine has not: what a definition only wears of them is taken off.

A decorator or an annotation of such a package says nothing about what a function computes: without it the same
function stands there. Whatever else needs the package is left as it is.
"""

from __future__ import annotations

import ast
import copy
from typing import cast

_Def = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Absent:
    """The names that imports would have bound, had their packages been here."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def note(self, node: ast.stmt, error: BaseException) -> None:
        """``node`` raised ``error``."""
        if isinstance(node, (ast.Import, ast.ImportFrom)) and issubclass(type(error), ImportError):
            self._names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}

    def without(self, node: ast.stmt, error: BaseException) -> tuple[ast.stmt, list[str]] | None:
        """The definition without what it wears of absent packages, and the names that went; None: nothing to take."""
        if not self._names or not isinstance(node, _Def) or not issubclass(type(error), NameError):
            return None
        taken = _Undressed(self._names)
        bare = cast(ast.stmt, taken.visit(copy.deepcopy(node)))
        return (ast.fix_missing_locations(bare), sorted(taken.gone)) if taken.gone else None


class _Undressed(ast.NodeTransformer):
    def __init__(self, absent: set[str]) -> None:
        self._absent = absent
        self.gone: set[str] = set()

    def _of(self, node: ast.AST) -> set[str]:
        return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & self._absent

    def _off(self, node: ast.expr | None) -> ast.expr | None:
        """An annotation as ``from __future__ import annotations`` would leave it, where it needs what is absent."""
        found = self._of(node) if node is not None else set()
        if node is None or not found:
            return node
        self.gone |= found
        return ast.copy_location(ast.Constant(ast.unparse(node)), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._definition(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._definition(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = self._off(node.annotation)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = self._off(node.annotation) or node.annotation
        return self.generic_visit(node)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        for decorator in node.decorator_list:
            self.gone |= self._of(decorator)
        node.decorator_list = [each for each in node.decorator_list if not self._of(each)]
        if not isinstance(node, ast.ClassDef):
            node.returns = self._off(node.returns)
        return self.generic_visit(node)
