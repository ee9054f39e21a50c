"""Whether a definition is still the stub that was handed out, or an empty body."""

from __future__ import annotations

import ast
import copy
import warnings

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PLAIN_PARENTS = frozenset({"object", "Module", "nn.Module", "torch.nn.Module"})


def stub_definitions(source: str) -> dict[str, Definition]:
    """What a stub file defines at its left margin, by name; nothing where it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {node.name: node for node in body if isinstance(node, (*Function, ast.ClassDef))}


def is_stub(node: Definition, stub: Definition | None) -> bool:
    """True where ``node`` equals the handed-out stub but for docstrings, annotations and decorators,
    or where it only holds docstrings, ``...``, ``pass`` and ``raise NotImplementedError``."""
    try:
        if _is_empty(node):
            return True
        return stub is not None and not _is_empty(stub) and _form(node) == _form(stub)  # an empty stub is told above
    except RecursionError:  # nothing that deep was ever handed out
        return False


def is_to_write(node: Definition) -> bool:
    """Whether a handed-out definition asks for anything; one that does not was written into the stub's own file."""
    return any(_is_placeholder(item) for item in ast.walk(node) if isinstance(item, ast.Raise))


def _is_empty(node: Definition) -> bool:
    if isinstance(node, ast.ClassDef):
        return _is_empty_class(node)
    return all(_is_placeholder(statement) for statement in node.body)


def _is_empty_class(node: ast.ClassDef) -> bool:
    """A class whose methods are all empty. One that only inherits is empty too, unless its parent may do the work."""
    methods = [item for item in node.body if isinstance(item, Function)]
    others = [item for item in node.body if not isinstance(item, Function)]
    if not methods and not all(ast.unparse(base) in _PLAIN_PARENTS for base in node.bases):
        return False
    return all(map(_is_placeholder, others)) and all(map(_is_empty_method, methods))


def _is_empty_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return all(_is_placeholder(item) or _is_super_init(item) for item in node.body)


def _is_super_init(item: ast.stmt) -> bool:
    """The bare call every constructor opens with; one that hands arguments on does work."""
    text = ast.unparse(item) if isinstance(item, ast.Expr) else ""
    return text.startswith("super(") and text.endswith(".__init__()")


def _is_placeholder(item: ast.stmt) -> bool:
    if isinstance(item, ast.Pass):
        return True
    if isinstance(item, ast.Expr):
        return isinstance(item.value, ast.Constant)
    if isinstance(item, ast.Raise) and item.exc is not None:
        raised = item.exc.func if isinstance(item.exc, ast.Call) else item.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return False


def _form(node: Definition) -> str:
    """The definition without its docstrings, annotations and decorators, as text."""
    return ast.dump(_Strip().visit(copy.deepcopy(node)))


class _Strip(ast.NodeTransformer):
    """Takes off what does not change what a definition does."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._bare(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self._bare(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._bare(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        node.type_comment = None
        return node

    def _bare(self, node: Definition) -> ast.AST:
        node.decorator_list = []
        node.body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        return self.generic_visit(node)
