"""Whether what was handed out was kept: parameters of the required functions, and code that came with them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.worker.outline import definitions_in
from grader.worker.records import FlagRecord, Spot, flag
from grader.worker.stubs import Definition, Function, is_stub, stub_definitions


def edits(
    trees: Mapping[str, Sequence[ast.Module]], required: Iterable[Mapping[str, Any]], place_of: Any
) -> list[FlagRecord]:
    """A flag for each required function whose parameters were changed, and each piece of given code that was."""
    found: list[FlagRecord] = []
    required = list(required)
    own = {
        node.name: (node, file)
        for file, parts in trees.items()
        for tree in parts
        for statement in tree.body
        for node in definitions_in(statement)
    }
    stub = stub_definitions(str(required[0].get("stub", "")) if required else "")
    names = {str(each["name"]) for each in required}
    for name, asked in stub.items():
        if name not in own:
            continue
        node, file = own[name]
        if name in names:
            found += _changed_parameters(asked, node, file, place_of)
        elif not is_stub(asked, None) and not _same(node, asked):
            found.append(flag("given_code", f"{name} was handed out and has been changed", place_of(file, node.lineno)))
    return found


def _same(node: Definition, given: Definition) -> bool:
    return type(node) is type(given) and is_stub(node, given) and not is_stub(node, None)


def _changed_parameters(asked: Definition, node: Definition, file: str, place_of: Any) -> list[FlagRecord]:
    found = []
    for name, before, after, line in _pairs(asked, node):
        if not _kept(before, after):
            old, new = _parameters(before), _parameters(after)
            spot: Spot | None = place_of(file, line)
            found.append(flag("given_code", f"{name}({old}) was handed out; it is {name}({new}) now", spot))
    return found


def _pairs(asked: Definition, node: Definition) -> Iterable[tuple[str, ast.arguments, ast.arguments, int]]:
    if isinstance(asked, Function) and isinstance(node, Function):
        yield asked.name, asked.args, node.args, node.lineno
    if isinstance(asked, ast.ClassDef) and isinstance(node, ast.ClassDef):
        mine = {item.name: item for item in node.body if isinstance(item, Function)}
        for item in asked.body:
            if isinstance(item, Function) and item.name in mine:
                yield f"{asked.name}.{item.name}", item.args, mine[item.name].args, mine[item.name].lineno


def _kept(before: ast.arguments, after: ast.arguments) -> bool:
    """Whether whoever calls by the old parameters means the same by the new ones: more of them are free to come."""
    old, new = _with_defaults(before), _with_defaults(after)
    anything = after.vararg is not None and after.kwarg is not None
    if (before.vararg and not after.vararg) or (before.kwarg and not after.kwarg):
        return False
    if anything and new == old[: len(new)]:
        return True
    if new[: len(old)] != old or (after.posonlyargs and not before.posonlyargs):
        return False
    more = dict(new[len(old) :]) | _by_name_alone(after)
    asked = _by_name_alone(before)
    return all(more.pop(name, None) == default for name, default in asked.items()) and all(more.values())


def _by_name_alone(arguments: ast.arguments) -> dict[str, str]:
    """Keyword-only parameters, each with its default or ""."""
    defaults = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {each.arg: _dumped(default) for each, default in defaults}


def _with_defaults(arguments: ast.arguments) -> list[tuple[str, str]]:
    """Names in order, each with its default or ""."""
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    defaults = [_dumped(default) for default in arguments.defaults]
    return list(zip(names, [""] * (len(names) - len(defaults)) + defaults, strict=True))


def _dumped(default: ast.expr | None) -> str:
    return "" if default is None else ast.dump(default)


def _parameters(arguments: ast.arguments) -> str:
    """Names, order and defaults, without annotations."""
    bare = ast.arguments(
        posonlyargs=[ast.arg(a.arg) for a in arguments.posonlyargs],
        args=[ast.arg(a.arg) for a in arguments.args],
        vararg=ast.arg(arguments.vararg.arg) if arguments.vararg else None,
        kwonlyargs=[ast.arg(a.arg) for a in arguments.kwonlyargs],
        kw_defaults=arguments.kw_defaults,
        kwarg=ast.arg(arguments.kwarg.arg) if arguments.kwarg else None,
        defaults=arguments.defaults,
    )
    try:
        return ast.unparse(bare)[:200]
    except RecursionError:  # a default nested without end
        return "..."
