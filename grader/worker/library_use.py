"""Where a student's code really uses a library call the exercise is about: a call or an alias, by ``ast``.

Advice for staff, never a wall: code that wants to hide a call can.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_ALIAS_ROUNDS: Final = 4  # names of names of names
_STEPS: Final = 12  # parts of a dotted name
_TEXT_LIMIT: Final = 200  # characters of a name put together from pieces
_LOOKING_UP: Final = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_LOAD: Final = ast.Load()
_IMPORTERS: Final = frozenset({"importlib.import_module", "__import__"})
# The operators below the functions: `torch.ops.aten.name`, and the C functions the public names stand for.
_BELOW: Final = ("torch.ops.aten", "torch._C._nn", "torch._C._VariableFunctions", "torch.nn.modules.activation",
                 "torch.nn.modules", "torch", "torch.special")  # fmt: skip


def uses(trees: Sequence[ast.AST], forbidden: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each use of a forbidden dotted name in a file, with its line. Comments and docstrings never count."""
    wanted = sorted(forbidden)
    nodes = [node for tree in trees for node in ast.walk(tree)]
    aliases = _aliases(nodes, wanted)
    for node in nodes:
        if not isinstance(node, _LOOKING_UP):
            continue
        name = aliases.get(node.id) if isinstance(node, ast.Name) else _dotted(node, aliases)
        if name is not None and (found := _match(name, wanted)) and isinstance(getattr(node, "ctx", _LOAD), ast.Load):
            yield found, getattr(node, "lineno", 1)


def _match(name: str, wanted: Sequence[str]) -> str | None:
    """The forbidden name meant; a name may be reached by other ways than its own."""
    if name in wanted:
        return name
    owner, _, last = name.rpartition(".")
    if owner.startswith("torch.ops.aten."):  # an overload: torch.ops.aten.softmax.int
        owner, _, last = owner.rpartition(".")
    if owner in _BELOW:
        return next((w for w in wanted if w.startswith("torch.") and w.rsplit(".", 1)[-1] == last.lstrip("_")), None)
    return None


def _aliases(nodes: Sequence[ast.AST], wanted: Sequence[str]) -> dict[str, str]:
    """Local names of imported modules and functions, e.g. ``F`` -> ``torch.nn.functional``; also by assignment."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                if name.name != "*":
                    found[name.asname or name.name] = f"{node.module}.{name.name}"
                else:
                    found |= _starred(node.module, wanted)
    assigned = [pair for node in nodes for pair in _assigned(node)]
    for _ in range(_ALIAS_ROUNDS):
        new = {name: dotted for name, value in assigned if name not in found and (dotted := _dotted(value, found))}
        if not new:
            break
        found |= new
    return found


def _starred(module: str, wanted: Sequence[str]) -> dict[str, str]:
    """What ``from module import *`` brings of what is wanted."""
    return {w.rsplit(".", 1)[-1]: w for w in wanted if w.rpartition(".")[0] == module} | (
        {"functional": "torch.nn.functional"}
        if module == "torch.nn"
        else {"nn": "torch.nn"}
        if module == "torch"
        else {}
    )


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """``name = value`` in all its forms."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _bound(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=values) | ast.List(elts=values))):
            for one, other in zip(targets, values, strict=False):
                yield from _bound(one, other)


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str | None:
    """The full dotted name that a name, an attribute, or a look-up by a text known beforehand stands for."""
    parts: list[str] = []
    for _ in range(_STEPS):
        step = _step(node, aliases)
        if step is None:
            return None
        inner, part = step
        parts += [part] if part else []
        if isinstance(inner, str):
            return ".".join((inner, *reversed(parts)))
        node = inner
    return None


def _step(node: ast.AST, aliases: dict[str, str]) -> tuple[ast.AST | str, str] | None:
    """One step towards the root: what is looked into (or the root's name), and what is taken from it."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return (aliases[name], "") if name in aliases else None
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()):
            return value, attr
        case ast.Call(func=called, args=[first, *rest]):
            return _called(called, first, rest, aliases)
        case ast.Subscript(value=holder, slice=key) if name := _text(key):
            match holder:
                case ast.Attribute(value=of, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[of]):
                    return of, name
            return (name, "") if _plain(holder, aliases) == "sys.modules" else None
    return None


def _called(
    called: ast.expr, first: ast.expr, rest: Sequence[ast.expr], aliases: dict[str, str]
) -> tuple[ast.AST | str, str] | None:
    """What a call looks up: ``getattr``, ``attrgetter``, ``import_module``, ``__import__``."""
    if isinstance(called, ast.Name) and called.id == "getattr" and rest and (name := _text(rest[0])):
        return first, name
    if isinstance(called, ast.Call) and called.args and _plain(called.func, aliases) == "operator.attrgetter":
        return (first, name) if (name := _text(called.args[0])) else None
    if (importer := _plain(called, aliases)) in _IMPORTERS and (name := _text(first)):
        return name.split(".")[0] if importer == "__import__" else name, ""
    return None


def _plain(node: ast.AST, aliases: dict[str, str]) -> str | None:
    """The dotted name of names and attributes alone."""
    parts: list[str] = []
    for _ in range(_STEPS):
        match node:
            case ast.Attribute(value=value, attr=attr):
                parts.append(attr)
                node = value
            case ast.Name(id=name):
                return ".".join((aliases.get(name, name), *reversed(parts)))
            case _:
                return None
    return None


def _text(node: ast.expr) -> str:
    """A text that is known without running anything: constants, also put together with ``+`` or ``join``; else ""."""
    match node:
        case ast.Constant(value=str(text)):
            return text if len(text) <= _TEXT_LIMIT else ""
        case ast.BinOp(op=ast.Add()):
            pieces = [_text(term) if isinstance(term, ast.Constant) else "" for term in _terms(node)]
            return "".join(pieces)[:_TEXT_LIMIT] if all(pieces) else ""
        case ast.JoinedStr(values=values):
            pieces = [_text(v.value if isinstance(v, ast.FormattedValue) else v) for v in values[:20]]
            return "".join(pieces)[:_TEXT_LIMIT] if all(pieces) else ""
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(glue)), attr="join"),
            args=[ast.List(elts=items) | ast.Tuple(elts=items)],
        ):
            pieces = [_text(item) for item in items[:40]]
            return glue.join(pieces)[:_TEXT_LIMIT] if all(pieces) else ""
        case ast.Subscript(
            value=inner,
            slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))),
        ):
            return _text(inner)[::-1]
    return ""


def _terms(node: ast.expr) -> list[ast.expr]:
    """The terms of a sum, from the left."""
    terms: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and len(terms) < _STEPS * 4:
        terms.append(node.right)
        node = node.left
    return [node, *reversed(terms)]
