"""A notebook saved as a script: what the usual converters leave in a ``.py`` in place of a notebook's own commands."""

from __future__ import annotations

import ast
import re

_SHELL = re.compile(r"^[ \t]*+(?:\w++ = )?get_ipython\(\)", re.MULTILINE)


def talks_to_a_notebook(source: str) -> bool:
    """Whether a script calls the notebook's shell, as exported magics and shell lines do."""
    return _SHELL.search(source) is not None


def cell_magic(statement: ast.stmt) -> str | None:
    """The cell that an exported ``get_ipython().run_cell_magic('time', '', 'code')`` once was, or None."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not _is_shell_method(call.func, "run_cell_magic"):
        return None
    texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if len(texts) != 3 or call.keywords:
        return None
    name, line, body = texts
    return f"%%{name} {line}".rstrip() + f"\n{body}"


def _is_shell_method(node: ast.expr, name: str) -> bool:
    shell = node.value if isinstance(node, ast.Attribute) and node.attr == name else None
    return isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name) and shell.func.id == "get_ipython"
