"""Where a student's code really uses a library call the exercise is about: a call or an alias, by ``ast``.

Advice for staff, never a wall: code that wants to hide a call can.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence


def uses(trees: Sequence[ast.AST], forbidden: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each use of a forbidden dotted name in a file, with its line. Comments and docstrings never count."""
    wanted = set(forbidden)
    nodes = [node for tree in trees for node in ast.walk(tree)]
    aliases = _aliases(nodes)
    for node in nodes:
        name = _dotted(node, aliases)
        if name is not None and (found := _match(name, wanted)):
            yield found, getattr(node, "lineno", 1)


def _match(name: str, wanted: set[str]) -> str | None:
    """The forbidden name meant; a name may be reached through ``torch`` or through ``torch.nn``'s copies."""
    if name in wanted:
        return name
    last = name.rsplit(".", 1)[-1]
    if name in (f"torch._C._nn.{last}", f"torch.nn.modules.activation.{last}", f"torch.{last}"):
        return next((w for w in sorted(wanted) if w.rsplit(".", 1)[-1] == last), None)
    return None


def _aliases(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Local names of imported modules and functions, e.g. ``F`` -> ``torch.nn.functional``."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                if name.name != "*":
                    found[name.asname or name.name] = f"{node.module}.{name.name}"
                elif node.module == "torch.nn.functional":
                    found["scaled_dot_product_attention"] = "torch.nn.functional.scaled_dot_product_attention"
    return found


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str | None:
    """The full dotted name a loaded name, attribute or literal ``getattr`` stands for."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        owner = _dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else None
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str(name)), *_]):
            owner = _dotted(of, aliases)
            return f"{owner}.{name}" if owner else None
    return None
