"""A student's text as single statements, ready to run one by one, with the way back to every line."""

from __future__ import annotations
import __future__

import ast
import contextlib
import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from grader.worker import wording
from grader.worker.exports import cell_magic
from grader.worker.notebook_source import Cell, Removed, Written, parsed, script_to_python, to_python
from grader.worker.records import RemarkRecord, Spot, clean
from grader.worker.source_map import SourceMap

_TEXT = "text a UTF-8 file can hold"


@dataclass(frozen=True, slots=True)
class Statement:
    """One top-level statement. ``code`` is None where Python could not compile it; ``trouble`` then says why."""

    index: int
    node: ast.stmt
    spot: Spot
    code: CodeType | None
    trouble: str = ""


@dataclass(slots=True)
class Program:
    """Everything to run, in order, and what was noticed while reading it."""

    statements: list[Statement] = field(default_factory=list)
    trees: dict[str, list[ast.Module]] = field(default_factory=dict)  # by file, lines as running
    remarks: list[RemarkRecord] = field(default_factory=list)
    broken: list[tuple[Spot, str]] = field(default_factory=list)  # chunks that could not be read, and why
    written: dict[str, str] = field(default_factory=dict)  # modules that cells would have written, by import name
    flags: int = 0  # the compiler flags of the __future__ imports so far


def read(chunks: Iterable[Mapping[str, Any]], own_file: str, source_map: SourceMap) -> Program:
    """Parse and compile every chunk without running anything.

    The number of a statement depends on the text alone, so it means the same in the next worker.
    """
    program = Program()
    for chunk in chunks:
        _Reader(program, source_map, chunk).read(own_file)
    source_map.publish()
    return program


class _Reader:
    """Reads one chunk into a program."""

    def __init__(self, program: Program, source_map: SourceMap, chunk: Mapping[str, Any]) -> None:
        self._program = program
        self._map = source_map
        self._file = str(chunk["file"])
        self._line = int(chunk["line"])
        self._cell: int | None = chunk["cell"]
        self._source = str(chunk["source"]).replace("\r\n", "\n").replace("\r", "\n")
        if self._cell is None:
            self._program.flags = 0  # a file's __future__ imports are its own; a notebook's hold from cell to cell

    def read(self, own_file: str) -> None:
        cell, tree = (to_python(self._source, own_file), None) if self._cell is not None else self._script()
        source = cell.source
        self._program.remarks += [wording.neutralised(each, self._spot(each.line)) for each in cell.removed]
        if cell.written:
            _write(self._program.written, cell.written)
        tree = self._parse(source, tree)
        # What cannot be read stays out of the text that inspect parses as a whole.
        text = source if tree is not None else "\n" * source.count("\n")
        offset = self._map.add(self._file, text, self._line, self._cell)
        if tree is not None:
            self._take(tree, offset, source.split("\n"), own_file)

    def _script(self) -> tuple[Cell, ast.Module | None]:
        """A file as it is, unless notebook commands alone keep Python from reading it; and its tree, if it is read."""
        tree, cell = None, None
        with contextlib.suppress(ValueError, RecursionError, MemoryError):  # no notebook's words will mend that
            tree = parsed(self._source, self._file)
            cell = script_to_python(self._source) if tree is None else None
        if cell is None:
            return Cell(self._source), tree
        first = cell.removed[0]
        self._program.broken.append((self._spot(first.line), f"SyntaxError: `{clean(first.what, 80)}` is no Python"))
        return cell, None

    def _parse(self, source: str, tree: ast.Module | None) -> ast.Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = tree or ast.parse(source, self._file)
                self._program.flags |= _future_flags(tree)
                if self._cell is None:  # a notebook compiles each statement by itself
                    _compile(tree, self._file, self._flags())
        except SyntaxError as error:
            self._syntax_error(error, source.split("\n"))
            return None
        except (ValueError, RecursionError, MemoryError) as error:
            return self._not_compiled(error, source)
        return tree

    def _not_compiled(self, error: Exception, source: str) -> ast.Module | None:
        """The whole is too deep for Python, or holds what no file can: its single statements may still do."""
        try:
            return ast.parse(source, self._file)
        except Exception:  # the parser itself gave up
            kind, message = type(error).__name__, clean(str(error)) or _TEXT
            self._program.remarks.append(wording.unreadable(kind, message, self._spot(1)))
            self._program.broken.append((self._spot(1), f"{kind}: {message}"))
            return None

    def _take(self, tree: ast.Module, offset: int, lines: Sequence[str], own_file: str) -> None:
        if offset:
            ast.increment_lineno(tree, offset)
        self._program.trees.setdefault(self._file, []).append(tree)
        for position, node in enumerate(tree.body):
            if position and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a bare constant does nothing, and alone it would become the module's docstring
            for each in self._unfolded(node, own_file) if self._cell is None else _apart(node):
                statement = self._statement(each)
                if statement.code is not None and statement.code.co_flags & inspect.CO_COROUTINE:  # it awaits
                    awaiting = Removed(each.lineno, lines[each.lineno - offset - 1].strip(), "await")
                    self._program.remarks.append(wording.neutralised(awaiting, statement.spot))

    def _statement(self, node: ast.stmt) -> Statement:
        code, trouble = self._compile_one(node)
        spot = self._map.place(self._file, node.lineno) or self._spot(1)
        self._program.statements.append(Statement(len(self._program.statements), node, spot, code, trouble))
        return self._program.statements[-1]

    def _unfolded(self, node: ast.stmt, own_file: str) -> list[ast.stmt]:
        """A statement of a script; where an export packed a whole cell into it, the statements of that cell."""
        packed = cell_magic(node)
        if packed is None:
            return _apart(node)
        cell = to_python(packed, own_file)
        try:
            tree = ast.parse(cell.source, self._file)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return [node]
        spot = self._map.place(self._file, node.lineno) or self._spot(1)
        self._program.remarks += [wording.neutralised(each, spot) for each in cell.removed]
        line = spot["line"] or 1
        offsets = [self._map.add(self._file, text, line, None) for text in cell.source.split("\n")]
        ast.increment_lineno(tree, offsets[0])
        self._program.trees[self._file].append(tree)
        return tree.body

    def _compile_one(self, node: ast.stmt) -> tuple[CodeType | None, str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _compile(ast.Module([node], []), self._file, self._flags()), ""
        except SyntaxError as error:  # its text names the line of the joined cells, which nobody wrote
            return None, f"{type(error).__name__}: {clean(error.msg or '')}"
        except (ValueError, RecursionError, MemoryError) as error:
            return None, f"{type(error).__name__}: {clean(str(error))}"

    def _flags(self) -> int:
        return self._program.flags | (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if self._cell is not None else 0)

    def _syntax_error(self, error: SyntaxError, lines: Sequence[str]) -> None:
        line = min(max(error.lineno or 1, 1), len(lines))
        spot = self._spot(line)
        kind, message = type(error).__name__, clean(error.msg or "")
        column = max(error.offset or 1, 1)
        self._program.remarks.append(wording.syntax_error(kind, message, clean(lines[line - 1], 10_000), spot, column))
        self._program.broken.append((spot, f"{kind}: {message} (line {spot['line']})"))

    def _spot(self, line: int) -> Spot:
        return Spot(file=self._file, line=self._line + line - 1, cell=self._cell)


def _write(modules: dict[str, str], written: Written) -> None:
    """As the cell would have: over what stood there, or behind it. The folder may be on the path as well."""
    for name in {written.module, written.module.rpartition(".")[2]}:
        modules[name] = (modules.get(name, "") if written.appended else "") + written.source


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """The imports that one ``import a, b`` makes, one by one: a package that is not here takes no other with it."""
    if not isinstance(node, ast.Import):
        return [node]
    return [ast.copy_location(ast.Import([alias]), node) for alias in node.names]


def _compile(tree: ast.Module, file: str, flags: int) -> CodeType:
    code: CodeType = compile(tree, file, "exec", flags=flags, dont_inherit=True)
    return code


def _future_flags(tree: ast.Module) -> int:
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                feature = getattr(__future__, alias.name, None)
                flags |= getattr(feature, "compiler_flag", 0)
    return flags
