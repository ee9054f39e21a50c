"""Which object counts under each required name: what was bound, when, and whether it is more than the stub."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from grader.worker.outline import SourceOutline, definitions_in
from grader.worker.records import DefinitionRecord, FlagRecord, Spot, flag
from grader.worker.source_map import SourceMap
from grader.worker.statements import Statement
from grader.worker.stubs import Definition, is_stub, is_to_write, stub_definitions

_ABSENT = object()  # nothing is bound to the name


@dataclass(frozen=True, slots=True)
class Binding:
    """A value that a name had after a statement."""

    value: Any
    statement: Statement
    origin: Definition | None  # where its code stands, if that could be found
    spot: Spot
    own: bool  # written by the student, not taken from a library as it is

    @property
    def usable(self) -> bool:
        return self.value is not _ABSENT and callable(self.value)


class Bindings:
    """Watches the names of the contract while a student's statements run."""

    def __init__(
        self,
        required: Iterable[Mapping[str, Any]],
        namespace: dict[str, Any],
        trees: Mapping[str, list[ast.Module]],
        source_map: SourceMap,
    ) -> None:
        required = list(required)
        self._required = [(str(r["name"]), tuple(map(str, r.get("aliases", ())))) for r in required]
        self._namespace = namespace
        self._map = source_map
        self._outline = SourceOutline(trees, source_map)
        self._history: dict[str, list[Binding]] = {n: [] for name, aliases in self._required for n in (name, *aliases)}
        texts = {name: str(r.get("stub", "")) for (name, _), r in zip(self._required, required, strict=True)}
        read = {text: stub_definitions(text) for text in set(texts.values())}  # mostly one for all
        stubs = ((name, read[text].get(name)) for name, text in texts.items())
        self._stubs = {name: stub for name, stub in stubs if stub is not None and is_to_write(stub)}

    def observe(self, statement: Statement) -> None:
        """Note which of the names have another value since the last statement."""
        for name, history in self._history.items():
            value = self._namespace.get(name, _ABSENT)
            before = history[-1].value if history else _ABSENT
            if value is not before:
                history.append(self._binding(name, value, statement))

    def settle(self) -> tuple[list[DefinitionRecord], list[FlagRecord]]:
        """Decide what counts under every required name, and bind it there."""
        records: list[DefinitionRecord] = []
        flags: list[FlagRecord] = []
        for name, aliases in self._required:
            records.append(self._settle(name, aliases, flags))
        return records, flags

    def _settle(self, name: str, aliases: tuple[str, ...], flags: list[FlagRecord]) -> DefinitionRecord:
        history = self._history[name]
        chosen = self._best(history, name)
        if chosen is None or self._is_stub(chosen, name):
            for alias in aliases:
                other = self._best(self._history[alias], name)
                if other is not None and other.own and not self._is_stub(other, name):
                    self._namespace[name] = other.value
                    return _record(name, "present", other.spot, alias)
        if chosen is None:
            last = history[-1] if history and history[-1].value is not _ABSENT else None
            return _record(name, "not_callable" if last else "missing", last.spot if last else None)
        stub = self._is_stub(chosen, name)
        if chosen is not history[-1]:
            self._put_back(name, chosen, history, flags)
        return _record(name, "stub" if stub else "present", chosen.spot)

    def _put_back(self, name: str, chosen: Binding, history: list[Binding], flags: list[FlagRecord]) -> None:
        last = history[-1]
        self._namespace[name] = chosen.value
        if not last.usable:
            kind = type.__getattribute__(type(last.value), "__name__")  # whatever its metaclass says
            how = "deleted" if last.value is _ABSENT else f"bound to an object of class {kind}"
            flags.append(flag("name_rebound", f"{name} was later {how}; the definition counts", last.spot))
        later = [each for each in history[history.index(chosen) + 1 :] if each.usable]
        if taken := [each for each in later if not each.own]:
            how = "taken from a library; the definition counts"
            flags.append(flag("name_rebound", f"{name} was later {how}", taken[-1].spot))
        if any(each.own for each in later):
            flags.append(
                flag("stub_after_solution", f"the untouched stub of {name} stands after its solution", chosen.spot)
            )

    def _best(self, history: list[Binding], name: str) -> Binding | None:
        """The last callable that is more than the stub, the student's own before a library's; else the last one."""
        usable = [binding for binding in history if binding.usable]
        real = [binding for binding in usable if not self._is_stub(binding, name)]
        own = [binding for binding in real if binding.own]
        ranked = own or real or usable
        return ranked[-1] if ranked else None

    def _is_stub(self, binding: Binding, name: str) -> bool:
        origin = binding.origin
        return (
            origin is not None and is_stub(origin, self._stubs.get(name)) and not self._is_filled(binding.value, origin)
        )

    def _is_filled(self, value: Any, origin: Definition) -> bool:
        """Whether a class has got methods from elsewhere: written in a later cell, and put into it."""
        if not isinstance(origin, ast.ClassDef) or not issubclass(type(value), type):
            return False
        for method in tuple(type.__dict__["__dict__"].__get__(value).values()):
            code = _code_of(method)
            if code is None or origin.lineno <= code.co_firstlineno <= (origin.end_lineno or origin.lineno):
                continue
            self._outline.read(code.co_filename)
            put = self._outline.function(code.co_filename, code.co_firstlineno)
            if put is not None and not is_stub(put, None):
                return True
        return False

    def _binding(self, name: str, value: Any, statement: Statement) -> Binding:
        code = _code_of(value)
        file, origin = self._origin(name, value, code, statement)
        spot = statement.spot
        if origin is not None:
            spot = self._map.place(file, origin.lineno) or spot
        elif code is not None:
            spot = self._map.place(code.co_filename, code.co_firstlineno) or spot
        own = origin is not None or not _only_taken(statement.node)
        return Binding(value, statement, origin, spot, own)

    def _origin(
        self, name: str, value: Any, code: CodeType | None, statement: Statement
    ) -> tuple[str, Definition | None]:
        """The file and the node of the definition that made ``value``, as far as it can be told."""
        here = statement.spot["file"]
        if isinstance(statement.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return here, statement.node if statement.node.name == name else None
        if code is not None:
            self._outline.read(code.co_filename)
            return code.co_filename, self._outline.function(code.co_filename, code.co_firstlineno)
        named = _class_of(value)
        if named is not None:
            file, qualname = named
            self._outline.read(file)
            until = statement.node.end_lineno if file == here else None
            return file, self._outline.last_class(file, qualname, until)
        within = [node for node in definitions_in(statement.node) if node.name == name]
        return here, within[-1] if within else None


def _only_taken(node: ast.stmt) -> bool:
    """Whether a statement only gives a name to what a module has: an import, or ``softmax = torch.softmax``."""
    return isinstance(node, (ast.Import, ast.ImportFrom)) or (
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
    )


def _code_of(value: Any) -> CodeType | None:
    """The code of a plain function, through wrappers that say what they wrap; None for anything else."""
    for _ in range(20):
        if type(value) is FunctionType:
            wrapped = value.__dict__.get("__wrapped__")
            if wrapped is None:
                return value.__code__
            value = wrapped
        else:
            try:
                value = vars(value)["__wrapped__"]
            except BaseException:  # a student's object may answer with anything
                return None
    return None


def _class_of(value: Any) -> tuple[str, str] | None:
    """The file and the name of a class; None for anything else."""
    if not issubclass(type(value), type):
        return None
    try:
        module = sys.modules[type.__getattribute__(value, "__module__")]
        return str(vars(module)["__file__"]), str(type.__getattribute__(value, "__qualname__"))
    except BaseException:  # a student's metaclass may answer with anything
        return None


def _record(name: str, state: str, spot: Spot | None, bound_as: str = "") -> DefinitionRecord:
    where = spot or Spot(file="", line=None, cell=None)
    return DefinitionRecord(
        name=name, state=state, file=where["file"] or None, line=where["line"], cell=where["cell"], bound_as=bound_as
    )
