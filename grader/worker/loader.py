"""Loads a student's code inside the box, statement by statement, so that one broken line costs only itself.

Only the standard library is needed; everything that goes in and comes out is plain data (``records.py``).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from types import TracebackType
from typing import Any

from grader.worker import outline, wording
from grader.worker.absent import Absent
from grader.worker.defining import defines
from grader.worker.definitions import Bindings
from grader.worker.exports import talks_to_a_notebook
from grader.worker.memory_modules import MemoryFinder, install, new_module
from grader.worker.progress import furnish_progress
from grader.worker.records import (
    NAMES_CAP,
    REMARKS_CAP,
    DefinitionRecord,
    FlagRecord,
    Loaded,
    RemarkRecord,
    Spot,
    clean,
    flag,
)
from grader.worker.source_map import SourceMap
from grader.worker.standins import NOTEBOOK_NAMES, NoInput, furnish_grader, furnish_notebook, quiet_the_terminal
from grader.worker.statements import Program, Statement, read

Announce = Callable[[int, Spot], None]
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_AWAITS_AT_MOST = 1000  # turns given to an `await` at the top of a cell


def load(
    chunks: Iterable[Mapping[str, Any]],
    modules: Mapping[str, str],
    module_name: str,
    required: Iterable[Mapping[str, Any]],
    skip: Collection[int | str] | Mapping[str, str],
    announce: Announce,
    definitions_alone: bool = False,
) -> Loaded:
    """Run a student's text and say what it defines; whatever a statement raises becomes a remark.

    ``chunks``: dicts of source, file, line, cell (None for a file). ``modules``: sources of the modules beside it,
    by import name. ``required``: dicts of name, aliases, stub (source of the stub file or ""). ``skip``: numbers of
    statements to leave out (as JSON keeps keys, text will do), optionally with why: "hangs" or "ends the process".
    ``announce(number, place)`` is called before each statement runs; the number depends on the text alone.
    ``definitions_alone``: statements that only run something are left out.
    """
    chunks, required = list(chunks), list(required)
    file = str(chunks[0]["file"]) if chunks else module_name + ".py"
    source_map = SourceMap()
    program = read(chunks, module_name + ".py", source_map)
    finder = MemoryFinder({**modules, **program.written}, source_map)
    install(finder)
    own_builtins = quiet_the_terminal(file)
    module = new_module(module_name, file, source_map)
    module.__dict__["__builtins__"] = own_builtins
    if any(chunk["cell"] is not None or talks_to_a_notebook(str(chunk["source"])) for chunk in chunks):
        furnish_notebook(module.__dict__)
    beside = {*modules, *program.written}
    furnish_grader(beside)
    furnish_progress(beside)
    run = _Run(program, source_map, module.__dict__, Bindings(required, module.__dict__, program.trees, source_map))
    why = dict(skip) if isinstance(skip, Mapping) else dict.fromkeys(skip, "")
    run.all({int(number): reason for number, reason in why.items()}, announce, definitions_alone)
    return run.result(required)


class _Run:
    """One pass over a program's statements, and what came of it."""

    def __init__(self, program: Program, source_map: SourceMap, namespace: dict[str, Any], bindings: Bindings) -> None:
        self._program = program
        self._map = source_map
        self._namespace = namespace
        self._bindings = bindings
        self._absent = Absent()
        self._too_early: list[tuple[Statement, RemarkRecord]] = []  # definitions that missed a name, and what was said
        self._remarks: list[RemarkRecord] = list(program.remarks)
        self._failures: list[tuple[Spot, str]] = list(program.broken)  # why Python itself could not import the file

    def all(self, skip: Mapping[int, str], announce: Announce, definitions_alone: bool) -> None:
        idle: list[Statement] = []
        for statement in self._program.statements:
            if statement.index in skip:
                reason = skip[statement.index]
                self._remarks.append(wording.skipped(reason, statement.spot))
                self._failures.append((statement.spot, reason or "did not come back"))
            elif definitions_alone and not defines(statement.node):
                idle.append(statement)
            elif statement.code is None:
                kind, _, message = statement.trouble.partition(": ")
                self._remarks.append(wording.unreadable(kind, message, statement.spot))
                self._failures.append((statement.spot, statement.trouble))
            else:
                announce(statement.index, statement.spot)
                self._one(statement)
        if idle:
            self._remarks.append(wording.only_definitions(len(idle), idle[0].spot))
        self._again(announce)

    def _again(self, announce: Announce) -> None:
        """Definitions whose bases or decorators stand in a cell below, as cells run in another order leave them."""
        found = True
        while found and self._too_early:
            waiting, self._too_early, found = self._too_early, [], False
            for statement, said in waiting:
                if isinstance(statement.node, _Definition) and statement.node.name not in self._namespace:
                    announce(statement.index, statement.spot)
                    before = len(self._remarks)
                    self._one(statement)
                    if len(self._remarks) == before:
                        self._remarks[self._remarks.index(said)] = wording.too_early(
                            statement.node.name, statement.spot
                        )
                        found = True
                    else:
                        del self._remarks[before:]

    def _one(self, statement: Statement) -> None:
        assert statement.code is not None
        try:
            # A plain statement answers None, one that awaits a coroutine.
            _drive(eval(statement.code, self._namespace))
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: they end no load
            self._absent.note(statement.node, error)
            if not self._stands_without_absent(statement, error):
                self._failed(statement, error, sys.exc_info()[2])
        self._bindings.observe(statement)

    def _stands_without_absent(self, statement: Statement, error: BaseException) -> bool:
        """Whether a definition that failed over an absent package is there now, without what it wore of it."""
        found = self._absent.without(statement.node, error)
        if found is None or statement.code is None:
            return False
        bare, names = found
        try:
            code = compile(
                ast.Module([bare], []), statement.code.co_filename, "exec", self._program.flags, dont_inherit=True
            )
            eval(code, self._namespace)
        except BaseException:  # the first failure is the one to tell
            return False
        self._remarks.append(wording.absent_package(names, statement.spot))
        return True

    def _failed(self, statement: Statement, error: BaseException, trace: TracebackType | None) -> None:
        spot = self._map.place_of_error(trace) or statement.spot
        kind, message = describe(error)
        if issubclass(type(error), NoInput):  # isinstance would ask the student's object for its class
            self._remarks.append(wording.asked_for_input(spot))
        else:
            self._remarks.append(wording.raised(kind, message, spot, statement.spot))
            if (
                statement.spot["cell"]
                and isinstance(statement.node, _Definition)
                and issubclass(type(error), NameError)
            ):
                self._too_early.append((statement, self._remarks[-1]))
        self._failures.append((spot, f"{kind}: {message}" if message else kind))

    def result(self, required: Iterable[Mapping[str, Any]]) -> Loaded:
        definitions, flags = self._bindings.settle()
        statements = [statement.node for statement in self._program.statements]
        for definition in definitions:
            if definition["state"] == "missing":
                self._remarks += self._never_ran(definition["name"])
        return Loaded(
            namespace=self._namespace,
            trees=self._program.trees,
            place_of=self._map.place,
            place_of_error=self._map.place_of_error,
            definitions=definitions,
            remarks=_capped(self._remarks),
            flags=[*self._import_flag(), *flags],
            names=self._names(statements),
            inner=outline.inner_names(tree for parts in self._program.trees.values() for tree in parts),
            signatures=outline.signatures(statements),
        )

    def _import_flag(self) -> list[FlagRecord]:
        """A file that stops anywhere is one that ``import`` would not have brought in; cells stand alone."""
        spots = [(spot, why) for spot, why in self._failures if spot["cell"] is None]
        return [flag("does_not_import", why, spot) for spot, why in spots[:1]]

    def _never_ran(self, name: str) -> list[RemarkRecord]:
        for statement in self._program.statements:
            if isinstance(statement.node, (ast.If, ast.Try, ast.Match, ast.For, ast.While)):
                for node in outline.definitions_in(statement.node):
                    if node.name == name:
                        spot = self._map.place(statement.spot["file"], node.lineno) or statement.spot
                        return [wording.never_ran(name, spot)]
        return []

    def _names(self, statements: Iterable[ast.stmt]) -> list[str]:
        """Top-level names that exist, the student's own before those that came by import."""
        own = dict.fromkeys(name for statement in statements for name in outline.names_bound_in(statement))
        every = [*own, *(key for key in list(self._namespace) if type(key) is str and key not in own)]
        standing = (n for n in every if n in self._namespace and n.isidentifier() and not n.startswith("__"))
        return [clean(name) for name in standing if name not in NOTEBOOK_NAMES][:NAMES_CAP]


def describe(error: BaseException) -> tuple[str, str]:
    """Class name and message (at most 300 characters) of any exception, however it behaves."""
    kind = clean(type.__getattribute__(type(error), "__name__"), 60)
    try:
        return kind, clean(str.__str__(error.msg if isinstance(error, SyntaxError) else str(error)))
    except BaseException:  # a message that cannot be told
        return kind, ""


def _drive(coroutine: Coroutine[Any, Any, Any] | None) -> None:
    """Finish a statement that awaits, without an event loop: the box has no sockets to build one from."""
    if coroutine is None:
        return
    for _ in range(_AWAITS_AT_MOST):
        try:
            coroutine.send(None)
        except StopIteration:
            return
    coroutine.close()
    raise RuntimeError("this await needs an event loop, and there is none while grading")


def _capped(remarks: list[RemarkRecord]) -> list[RemarkRecord]:
    if len(remarks) <= REMARKS_CAP:
        return remarks
    return [*remarks[: REMARKS_CAP - 1], wording.more(len(remarks) - REMARKS_CAP + 1)]


__all__ = ["DefinitionRecord", "FlagRecord", "Loaded", "RemarkRecord", "Spot", "describe", "load"]
