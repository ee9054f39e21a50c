"""Whether a statement defines something, or only runs something: what to keep where too much of the rest hangs."""

from __future__ import annotations

import ast

_BUILT_IN = frozenset({"bool", "complex", "dict", "float", "frozenset", "int", "list", "range", "set", "str", "tuple"})
_Plain = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)


def defines(node: ast.stmt) -> bool:
    """True for imports, definitions, values that are plain to see, and conditions around nothing else."""
    if isinstance(node, _Plain):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return node.value is not None and _is_plain(node.value)
    if isinstance(node, ast.If):
        return _is_plain(node.test) and all(map(defines, (*node.body, *node.orelse)))
    if isinstance(node, ast.Try):
        handled = [statement for handler in node.handlers for statement in handler.body]
        return all(map(defines, (*node.body, *handled, *node.orelse, *node.finalbody)))
    return False


def _is_plain(value: ast.expr) -> bool:
    """Whether nothing of the student's runs in it: ``float("-inf")`` and ``torch.device("cpu")``, not ``train()``."""
    for node in ast.walk(value):
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await, ast.NamedExpr)):
            return False
        if isinstance(node, ast.Call) and not _is_of_a_module(node.func):
            return False
    return True


def _is_of_a_module(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in _BUILT_IN
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in ("torch", "nn", "np", "numpy", "math")
