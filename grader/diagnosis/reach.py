"""Which functions a mistake can show in: those whose text it changes, and those that use one of these."""

from __future__ import annotations

import ast
from collections.abc import Mapping

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def reached(solution: str, faulty: str) -> frozenset[str] | None:
    """Names at the top of a solution that mean something else in a changed text of it; None where any may."""
    before, after = ast.parse(solution), ast.parse(faulty)
    if _dumped_rest(before) != _dumped_rest(after):
        return None
    old, new = _definitions(before), _definitions(after)
    changed = {name for name in old.keys() | new.keys() if _dumped(old.get(name)) != _dumped(new.get(name))}
    uses = {name: _names(old.get(name)) | _names(new.get(name)) for name in old.keys() | new.keys()}
    while more := {name for name, used in uses.items() if name not in changed and not used.isdisjoint(changed)}:
        changed |= more
    return frozenset(changed)


def _definitions(tree: ast.Module) -> Mapping[str, Definition]:
    return {node.name: node for node in tree.body if isinstance(node, Definition)}


def _dumped_rest(tree: ast.Module) -> list[str]:
    """Imports, constants and whatever else stands at the top."""
    return [ast.dump(node) for node in tree.body if not isinstance(node, Definition)]


def _dumped(node: Definition | None) -> str:
    return "" if node is None else ast.dump(node)


def _names(node: Definition | None) -> set[str]:
    return set() if node is None else {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
