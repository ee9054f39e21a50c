"""One line of a cell that only a notebook understands, and the Python that may stand in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MAGIC = re.compile(r"(?P<indent>\s*)%{1,2}(?P<name>[A-Za-z_]\w*)\b\s*(?P<rest>.*)")
_SHELL = re.compile(r"(?P<indent>\s*)!")
_ASSIGNED = re.compile(
    r"(?P<target>\s*[^\W\d](?:[\w\s.,:*\[\]]|'[^'\\]*'|\"[^\"\\]*\")*?)\s*=\s*(?:(?P<shell>!)|%(?P<name>[A-Za-z_]\w*)\b\s*(?P<rest>.*))"
)
_ASKED = re.compile(r"(?P<indent>\s*)\?{1,2}\s*[\w.*%]")
# Commands IPython runs without their percent sign; only where the line is no Python.
_BARE = re.compile(
    r"(?P<indent>\s*)(?:pip|pip3|conda|mamba|uv|ls|cd|pwd|cat|cp|mv|mkdir|rm|rmdir|matplotlib|load_ext|reload_ext|run"
    r"|whos?)(?:\s+[\w.~/\"'-][^=(]*|\s*)$"
)
_RUN_STATEMENT = frozenset({"time"})  # line magics whose argument runs in the notebook's own namespace
_LONGEST = 4000  # characters; nobody writes a longer command
_PYLAB = "import numpy; from numpy import *; from numpy.random import *; import numpy as np"
_FILE = re.compile(r"(?:-\w\s+)*(?P<quote>[\"']?)(?P<path>[^\"']+?)(?P=quote)(?:\s|$)")
_OPTION = re.compile(r"--no-raise-error\s+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Python for one line; ``continues`` where the new text may go on in the next line."""

    text: str
    continues: bool = False
    how: str = "left_out"  # as ``Removed`` tells it


def replace(line: str, code: str, complete: bool) -> Replacement | None:
    """Python in place of a line that begins a statement, or None where it is nothing special.

    ``code`` is the line without its comment; ``complete`` whether no bracket or string stays open after it.
    """
    if len(line) > _LONGEST:
        return None
    if found := _MAGIC.match(line):
        return _run(found["indent"], found["name"], found["rest"])
    if found := _SHELL.match(line):
        return Replacement(found["indent"] + "pass")
    if found := _ASSIGNED.match(line):
        if found["shell"]:
            return Replacement(f"{found['target']} = []")
        return _assign(found["target"], found["name"], found["rest"])
    if found := _ASKED.match(line):
        return Replacement(found["indent"] + "pass")
    if complete and code.rstrip().endswith("?"):
        return Replacement(code[: len(code) - len(code.lstrip())] + "pass")
    return None


def module_of(arguments: str) -> str:
    """The import name of the Python file that ``%run`` or ``%%writefile`` is given; "" where it is none."""
    found = _FILE.match(re.sub(r"\s+#.*", "", arguments.strip()))
    path = found["path"].replace("\\", "/") if found else ""
    parts = [part for part in path.removesuffix(".py").split("/") if part not in ("", ".", "..")]
    if not parts or not parts[-1].isidentifier():
        return ""
    return ".".join(parts) if all(part.isidentifier() for part in parts) and path[0] != "/" else parts[-1]


def replace_bare(line: str) -> Replacement | None:
    """Python in place of a command written without its sign (``pip install torch``)."""
    found = _BARE.match(line)
    return Replacement(found["indent"] + "pass") if found else None


def _run(indent: str, name: str, rest: str) -> Replacement:
    statement = _OPTION.sub("", rest, count=1)
    if name in _RUN_STATEMENT and statement and not statement.startswith("#") and not statement.endswith("?"):
        return Replacement(indent + statement, True, "statement_kept")
    if name == "pylab":
        return Replacement(indent + _PYLAB, how="statement_kept")
    if name == "run" and not indent and (module := module_of(rest)):
        return Replacement(f"from {module} import *", how="run")
    return Replacement(indent + "pass")


def _assign(target: str, name: str, rest: str) -> Replacement:
    if name in _RUN_STATEMENT and rest:
        return Replacement(f"{target} = {rest}", True, "statement_kept")
    return Replacement(f"{target} = None")
