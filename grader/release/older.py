"""Python 3.11 source as source that 3.9 runs, for machines whose Python nobody may renew.

What is younger in the syntax or the library and used in the student's part is rewritten here; a test looks for more.
"""

from __future__ import annotations

import ast
from typing import Final

SHIM: Final = "grader/older.py"
SHIM_SOURCE: Final = '''\
"""What Python 3.9 and 3.10 lack of the standard library."""

import re as _re
import sys
from enum import Enum


class StrEnum(str, Enum):
    def __str__(self):
        return str.__str__(self)

    def __format__(self, spec):
        return str.__format__(self, spec)


def pairwise(items):
    items = list(items)
    return zip(items, items[1:])


def loosened(pattern):
    """A pattern without possessive quantifiers: it matches the same on everything but text made to be slow."""
    plain = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    out, at, inside = [], 0, False
    while at < len(plain):
        char = plain[at]
        if char == "\\\\":
            out.append(plain[at : at + 2])
            at += 2
            continue
        if char == "[" and not inside:
            inside = True
            if plain[at + 1 : at + 3] == "^]":
                out.append("[^]")
                at += 3
                continue
            if plain[at + 1 : at + 2] == "]":
                out.append("[]")
                at += 2
                continue
        elif char == "]":
            inside = False
        elif char in "*+?}" and not inside and plain[at + 1 : at + 2] == "+":
            out.append(char)
            at += 2
            continue
        out.append(char)
        at += 1
    text = "".join(out)
    return text if isinstance(pattern, str) else text.encode("latin-1")


class _Expressions:
    """The module ``re``, for patterns of a newer Python."""

    def __getattr__(self, name):
        found = getattr(_re, name)
        if name not in ("compile", "search", "match", "fullmatch", "split", "sub", "findall", "finditer"):
            return found
        return lambda pattern, *rest, **named: found(
            loosened(pattern) if isinstance(pattern, (str, bytes)) else pattern, *rest, **named
        )


re = _re if sys.version_info >= (3, 11) else _Expressions()
'''
_FROM_SHIM: Final = {("enum", "StrEnum"), ("itertools", "pairwise")}
_YOUNG_KEYWORDS: Final = {"dataclass": {"slots", "kw_only"}, "zip": {"strict"}}
_YOUNG_NODES: Final = {"Match": "If", "match_case": "If", "TryStar": "Try"}  # of the module ast; older text has none


def for_older_pythons(source: str) -> str:
    """The same program for Python 3.9. Raises ``ValueError`` where it meets what it cannot rewrite."""
    tree = _Older().visit(ast.parse(source))
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    ast.parse(text, feature_version=(3, 9))
    return text


class _Older(ast.NodeTransformer):
    def visit_Import(self, node: ast.Import) -> ast.AST | list[ast.AST]:
        if not any(alias.name == "re" for alias in node.names):
            return node
        rest = [alias for alias in node.names if alias.name != "re"]
        shim: ast.AST = ast.ImportFrom("grader.older", [alias for alias in node.names if alias.name == "re"], 0)
        return [*([ast.Import(rest)] if rest else []), shim]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.AST]:
        young = [alias for alias in node.names if (node.module, alias.name) in _FROM_SHIM]
        rest = [alias for alias in node.names if alias not in young]
        if not young:
            return node
        old: list[ast.AST] = [ast.ImportFrom(node.module, rest, 0)] if rest else []
        return [*old, ast.ImportFrom("grader.older", young, 0)]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        whose = node.value.id if isinstance(node.value, ast.Name) else ""
        if whose == "ast" and node.attr in _YOUNG_NODES:
            return ast.parse(f"getattr(ast, {node.attr!r}, ast.{_YOUNG_NODES[node.attr]})", mode="eval").body
        if whose == "itertools" and node.attr == "pairwise":
            return ast.parse("__import__('grader.older').older.pairwise", mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        young = _YOUNG_KEYWORDS.get(name, set())
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in young]
        if name in ("isinstance", "issubclass") and len(node.args) == 2:
            kinds = _members(node.args[1])
            if len(kinds) > 1:
                node.args[1] = ast.Tuple([_kind(each) for each in kinds], ast.Load())
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        node.value = _Unions().visit(node.value) if _is_type(node.value) else node.value
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.AST]:
        """A chain of ``if``: the subject is a plain name, the patterns are classes and constants."""
        self.generic_visit(node)
        if not isinstance(node.subject, ast.Name):
            raise ValueError(f"line {node.lineno}: match needs a plain name")
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            asked = _condition(node.subject.id, case.pattern)
            if case.guard is not None:
                asked = case.guard if asked is None else ast.BoolOp(ast.And(), [asked, case.guard])
            chain = list(case.body) if asked is None else [ast.If(asked, case.body, chain)]
        return list(chain)


class _Unions(ast.NodeTransformer):
    """``A | B`` in a type that is built when the program runs."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        kinds = [self.visit(each) for each in _members(node)]
        union = ast.parse("__import__('typing').Union", mode="eval").body
        return ast.Subscript(union, ast.Tuple(kinds, ast.Load()), ast.Load())


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left), *_members(node.right)]
    return [node]


def _kind(node: ast.expr) -> ast.expr:
    none = isinstance(node, ast.Constant) and node.value is None
    return ast.parse("type(None)", mode="eval").body if none else node


def _is_type(node: ast.expr) -> bool:
    """Whether an assigned value reads as a type: classes joined by ``|``, alone or between square brackets."""
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(_is_type(each) for each in inner)
    if isinstance(node, ast.List):
        return any(_is_type(each) for each in node.elts)
    kinds = _members(node)
    return len(kinds) > 1 and all(_names_a_class(each) for each in kinds)


def _names_a_class(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return _names_a_class(node.value)
    if isinstance(node, ast.Constant):
        return node.value is None
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    builtin = name in ("str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set")
    return builtin or (name[:1].isupper() and not name.isupper())


def _condition(subject: str, pattern: ast.pattern) -> ast.expr | None:
    """What a pattern asks of the subject; None where it takes everything."""
    match pattern:
        case ast.MatchAs(pattern=None, name=None):
            return None
        case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
            return ast.Call(ast.Name("isinstance"), [ast.Name(subject), cls], [])
        case ast.MatchValue(value=value):
            return ast.Compare(ast.Name(subject), [ast.Eq()], [value])
        case ast.MatchSingleton(value=value):
            return ast.Compare(ast.Name(subject), [ast.Is()], [ast.Constant(value)])
        case ast.MatchOr(patterns=patterns):
            asked = [_condition(subject, each) for each in patterns]
            return None if None in asked else ast.BoolOp(ast.Or(), [each for each in asked if each is not None])
        case _:
            raise ValueError(f"line {pattern.lineno}: this pattern cannot be written for an older Python")
