"""Writes submissions that do nothing: each has to earn what the stub earns, nothing.

Two families, both made from the files alone, for any assignment. *Hollow* ones are the stub with other bodies: None,
a number, an argument given back. *Wrapped* ones hold the solution under private names, run it, and answer with
something of the same type, shape and dtype that says nothing: zeros, noise, a constant, uniform weights. So they pass
whatever looks at shapes alone, and raise nothing, not even where the solution does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from grader.lifeless_answers import ANSWERING, ANSWERS, DEAF

_HOLLOW: Final[Mapping[str, str]] = {
    "returns_none": "None",
    "returns_zero": "0.0",
    "returns_true": "True",
    "returns_nothing_twice": "(None, None)",
    "returns_text": "'nothing'",
}
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
_EMPTY_INIT: Final = "super().__init__()"
_FUNCTION = """
def {name}(*arguments, **named):
    return _empty_answer(_living_{name}, arguments, named)
"""
_CLASS = """
class {name}(_living_{name}):
    def __init__(self, *arguments, **named):
        try:
            super().__init__(*arguments, **named)
        except Exception:
            if isinstance(self, _empty_torch.nn.Module):
                _empty_torch.nn.Module.__init__(self)
"""
_METHOD = """
    def {method}(self, *arguments, **named):
        return _empty_answer(_empty_functools.partial(_living_{name}.{method}, self), arguments, named)
"""


def lifeless_sources(stub: str, solution: str) -> Iterator[tuple[str, str]]:
    """Name and source of every lifeless variant of an assignment."""
    yield from hollow_sources(stub)
    yield from wrapped_sources(stub, solution)


def hollow_sources(stub: str) -> Iterator[tuple[str, str]]:
    """The stub, each body replaced by one ``return``; and the stub as it is, but for a touch."""
    for name, answer in _HOLLOW.items():
        yield name, _hollow(stub, _always(answer))
    for at, ordinal in enumerate(_ORDINALS[: _most_parameters(stub)]):
        yield f"returns_{ordinal}_argument", _hollow(stub, _argument(at))
    yield "stub_with_a_touch", _touched(stub)
    yield "returns_all_arguments", _hollow(stub, lambda names: f"({', '.join(names)},)")


def wrapped_sources(stub: str, solution: str) -> Iterator[tuple[str, str]]:
    """The solution behind private names, its answers replaced."""
    living = _renamed(ast.parse(solution), "_living_", imports=False)
    required = ast.parse(stub).body
    public = "".join(_public(node, required) for node in required)
    answers = {name: f"def answer_for(t, inputs):\n    return {text}\n" for name, text in ANSWERS.items()}
    for name, text in {**answers, "deaf": DEAF}.items():
        answering = _renamed(ast.parse(ANSWERING + text), "_empty_", imports=True)
        yield name, f"{living}\n\n{answering}\n{public}"


def _always(answer: str) -> Callable[[list[str]], str]:
    return lambda _: answer


def _argument(at: int) -> Callable[[list[str]], str]:
    return lambda names: names[min(at, len(names) - 1)]


def _hollow(stub: str, answer: Callable[[list[str]], str]) -> str:
    """``answer`` gives the source of the returned expression from the parameters' names."""
    module = ast.parse(stub)
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            node.body = _returning(node, answer)
        elif isinstance(node, ast.ClassDef):
            for method in (item for item in node.body if isinstance(item, ast.FunctionDef)):
                method.body = ast.parse(_EMPTY_INIT).body if method.name == "__init__" else _returning(method, answer)
    return ast.unparse(module) + "\n"


def _touched(stub: str) -> str:
    """The stub with a statement more in each body: what its bodies do, should they do anything, then counts."""
    module = ast.parse(stub)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.parse("touched = True").body[0])
    return ast.unparse(module) + "\n"


def _returning(function: ast.FunctionDef, answer: Callable[[list[str]], str]) -> list[ast.stmt]:
    names = [name for name in _parameters(function) if name != "self"]
    return [ast.Return(ast.parse(answer(names) if names else "None", mode="eval").body)]


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _most_parameters(stub: str) -> int:
    functions = (node for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.FunctionDef))
    return max((len(_parameters(function)) for function in functions), default=0)


def _public(node: ast.stmt, required: list[ast.stmt]) -> str:
    """The required name, answering emptily; a class keeps its constructor and answers in each method of the stub."""
    if isinstance(node, ast.FunctionDef):
        return _FUNCTION.format(name=node.name)
    if isinstance(node, ast.ClassDef):
        methods = "".join(_METHOD.format(name=node.name, method=method) for method in _methods(node, required))
        return _CLASS.format(name=node.name) + methods
    return ""


def _methods(node: ast.ClassDef, required: list[ast.stmt]) -> list[str]:
    """What the class answers to besides its constructor, its bases in the stub included."""
    own = [item.name for item in node.body if isinstance(item, ast.FunctionDef) and item.name != "__init__"]
    names = {part.id for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Name)}
    bases = [other for other in required if isinstance(other, ast.ClassDef) and other.name in names]
    return list(dict.fromkeys([*own, *(method for base in bases for method in _methods(base, required))]))


def _renamed(module: ast.Module, prefix: str, *, imports: bool) -> str:
    """The module's source, every name it defines at its top under another one."""
    named = {name: prefix + name for node in module.body for name in _defined(node, imports)}
    return ast.unparse(_Renaming(named).visit(module))


def _defined(node: ast.stmt, imports: bool) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
    elif imports and isinstance(node, ast.Import):
        yield from (alias.asname or alias.name for alias in node.names)


class _Renaming(ast.NodeTransformer):
    """Renames global names; a parameter of the same name, and what stands for it, stays."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = dict(named)
        self._inside_class = False

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._named.get(node.id, node.id)
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        if (node.asname or node.name) in self._named:
            node.asname = self._named[node.asname or node.name]
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self._named.get(name, name) for name in node.names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not self._inside_class:
            node.name = self._named.get(node.name, node.name)
        return self._below(node, _parameters(node), inside_class=False)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._named.get(node.name, node.name)
        return self._below(node, [], inside_class=True)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._below(node, [a.arg for a in node.args.args], inside_class=self._inside_class)

    def _below(self, node: ast.AST, hidden: list[str], *, inside_class: bool) -> ast.AST:
        kept = self._named, self._inside_class
        self._named = {old: new for old, new in self._named.items() if old not in hidden}
        self._inside_class = inside_class
        self.generic_visit(node)
        self._named, self._inside_class = kept
        return node
