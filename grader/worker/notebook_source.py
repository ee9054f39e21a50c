"""A notebook cell as plain Python, line for line: what only a notebook understands is neutralised.

A cell that is Python as it stands is left alone, but for its common indentation.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from grader.worker.line_lexer import LineState
from grader.worker.magic_lines import module_of, replace, replace_bare

BODY_RUNS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "debug", "wandb"})
# What looks like Python below these runs in another process, or not at all.
ELSEWHERE = frozenset({"python", "python2", "python3", "pypy", "pypy3", "script", "bash", "sh", "cmd", "skip", "spark"})
_DEFINES = re.compile(r"^(?:def|class|@|import|from)\b", re.MULTILINE)
_HEAD = re.compile(r"%%(?P<name>[A-Za-z_!][\w.]*)\s*(?P<rest>.*)")
_PROMPT = re.compile(r"\s*(?:>>>(?: |$)|In \[\d+\]: ?)")
_MORE = re.compile(r"\s*(?:>>>|\.\.\.|\.{3,}:|In \[\d+\]:)(?: |$)")
_CUT = re.compile(r"^#[ \t]?%%", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Removed:
    """Something neutralised in line ``line`` of the cell. ``how``: left_out, statement_kept, body_kept,
    body_left_out, file (another file is written), run (another file is run) or await."""

    line: int
    what: str
    how: str = "left_out"


@dataclass(frozen=True, slots=True)
class Written:
    """A module that a cell would have written, by the name it is imported under."""

    module: str
    source: str
    appended: bool = False  # behind what stands there already


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as Python with as many lines as before; ``written`` is a module the cell would have written."""

    source: str
    removed: tuple[Removed, ...] = ()
    written: Written | None = None


def to_python(source: str, own_file: str) -> Cell:
    """Turn a code cell into Python. ``own_file`` is the assignment's file: ``%%writefile`` of it is code."""
    lines = _dedent(source.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return _convert(lines, 0, own_file)


def script_to_python(source: str) -> Cell | None:
    """A ``.py`` that Python cannot read, for magics and shell lines alone, as Python; None for every other.

    Some exports leave them in as they stood. A question mark is left alone, as in a script it is more likely a slip;
    but for one that an editor cuts into cells (``# %%``) and runs as a notebook.
    """
    cell = _neutralise(source.split("\n"), bare=False)
    asked = not _CUT.search(source) and any(each.what[:1] == "?" or each.what[-1:] == "?" for each in cell.removed)
    return cell if cell.removed and not asked and _is_python(cell.source) else None


def _convert(lines: list[str], start: int, own_file: str) -> Cell:
    head = next((i for i in range(start, len(lines)) if lines[i].strip() and lines[i].lstrip()[0] != "#"), None)
    if head is not None and (found := _HEAD.match(lines[head])) and not lines[head].rstrip().endswith("?"):
        return _cell_magic(lines, head, found["name"], found["rest"], own_file)
    text = "\n".join(lines)
    if _is_python(text):
        return Cell(text)
    cell = _neutralise(lines, bare=False)
    if _is_python(cell.source):
        return cell
    bold = _neutralise(lines, bare=True)
    return bold if _is_python(bold.source) else cell


def _cell_magic(lines: list[str], head: int, name: str, rest: str, own_file: str) -> Cell:
    title, below = lines[head].strip(), lines[head + 1 :]
    blank = [""] * (head + 1)
    if name in BODY_RUNS:
        inner = _convert([*blank, *_dedent(below)], head + 1, own_file)
        return Cell(inner.source, (Removed(head + 1, title, "body_kept"), *inner.removed), inner.written)
    if name in ("writefile", "file"):
        module = module_of(rest) if rest.rstrip("\"' ").endswith(".py") else ""
        if module.rpartition(".")[2] + ".py" == own_file:
            return Cell("\n".join([*blank, *below]), (Removed(head + 1, title, "body_kept"),))
        if module:
            written = Written(module, "\n".join(below) + "\n", rest.split()[0] in ("-a", "--append"))
            return Cell("\n" * (len(lines) - 1), (Removed(head + 1, title, "file"),), written)
    elif name not in ELSEWHERE and _DEFINES.search("\n".join(below)):  # a package's own: it runs what stands below
        inner = _convert([*blank, *_dedent(below)], head + 1, own_file)
        if _is_python(inner.source):
            return Cell(inner.source, (Removed(head + 1, title, "body_kept"), *inner.removed), inner.written)
    return Cell("\n" * (len(lines) - 1), (Removed(head + 1, title, "body_left_out"),))


def _neutralise(lines: list[str], bare: bool) -> Cell:
    """Replace every line that begins a statement only a notebook understands."""
    out: list[str] = []
    removed: list[Removed] = []
    state, i = LineState(), 0
    while i < len(lines):
        line = lines[i]
        after, code = state.after(line)
        new = replace(line, code, after.fresh) or (replace_bare(line) if bare else None) if state.fresh else None
        i += 1
        if new is None:
            out.append(line)
            state = after
            continue
        removed.append(Removed(i, line.strip(), new.how))
        out.append(new.text)
        if new.continues:
            state, _ = state.after(new.text)
            continue
        while lines[i - 1].endswith("\\") and i < len(lines):  # a shell command may go on after a backslash
            out.append("")
            i += 1
    return Cell("\n".join(out), tuple(removed))


def _dedent(lines: list[str]) -> list[str]:
    """Take the first line's indentation, or its prompt, off every line that has it, as the notebook does."""
    first = next((line for line in lines if line.strip()), "")
    if _PROMPT.match(first):
        return [_MORE.sub("", line, count=1) for line in lines]
    indent = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(indent) for line in lines] if indent else lines


def parsed(text: str, file: str = "<cell>") -> ast.Module | None:
    """Its tree; None where Python cannot read it. Raises ``ValueError``, ``RecursionError`` or ``MemoryError``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, file)
    except SyntaxError:
        return None


def _is_python(text: str) -> bool:
    try:
        return parsed(text) is not None
    except (ValueError, RecursionError, MemoryError):
        return True  # no notebook syntax will mend it: the loader says what is wrong
