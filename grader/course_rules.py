"""What must hold between the parts of a course: names, marks, folders and stubs fit together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path

from grader.course_files import AssignmentShape, RequiredShape, nearest
from grader.strict_yaml import Path as Keys

Problem = tuple[Keys, str]  # where in the YAML file, and what is wrong there


def course_problems(root: Path, data: object) -> Iterator[Problem]:
    """What is wrong between ``course.yaml`` (its plain data) and the folders beside it."""
    languages = [lang for _, lang in _listed(data, (), "languages")]
    if languages and "en" not in languages:
        yield ("languages",), "en is missing; it is what the other languages fall back to"
    folders = sorted(path.parent.name for path in (root / "assignments").glob("*/assignment.yaml"))
    names = dict(_listed(data, (), "assignments"))
    spare = [folder for folder in folders if folder not in names.values()]
    for path, name in names.items():
        if not (root / "assignments" / name).is_dir():
            yield path, f"there is no folder assignments/{name}{nearest(name, spare)}"


def repeated_names(data: object) -> Iterator[Problem]:
    """Names that stand twice, in the plain data of either file, however wrong it is elsewhere."""
    for key in ("languages", "assignments"):
        yield from _twice(_listed(data, (), key))
    yield from _twice(_inside(data, "criteria", "id"))
    aliases = (found for at, item in _items(data, "functions") for found in _listed(item, ("functions", at), "aliases"))
    yield from _twice(chain(_inside(data, "functions", "name"), aliases))
    for at, item in _items(data, "functions"):
        yield from _twice(_listed(item, ("functions", at), "parameters"))


def number_problems(shape: AssignmentShape) -> Iterator[Problem]:
    """Marks and limits that do not fit together."""
    total = sum((Fraction(str(criterion.marks)) for criterion in shape.criteria), Fraction(0))
    if shape.forbidden and Fraction(str(shape.forbidden.costs)) > total:
        yield ("forbidden", "costs"), f"costs more than the {float(total):g} marks there are"
    limits = shape.limits.model_dump()
    for small, large in (("call_again_s", "call_s"), ("call_s", "submission_s"), ("load_s", "submission_s")):
        if limits[small] > limits[large]:
            key = small if small in shape.limits.model_fields_set else large
            yield ("limits", key), f"{small} ({limits[small]:g}) is above {large} ({limits[large]:g})"


def stub_problems(folder: Path, data: object) -> Iterator[Problem]:
    """What is wrong with the stub. Reads the file's name from the plain data, which may be wrong elsewhere."""
    name = data.get("file") if isinstance(data, dict) else None
    if not isinstance(name, str) or not name or Path(name).name != name:
        return
    stub = folder / name
    if not stub.is_file():
        beside = sorted(path.name for path in folder.glob("*.py") if path.name != "checks_public.py")
        yield ("file",), f"there is no stub {name} in assignments/{folder.name}{nearest(name, beside)}"
    elif stub.suffix == ".py":
        try:
            ast.parse(stub.read_bytes(), filename=name)
        except (SyntaxError, ValueError) as bad:
            line = getattr(bad, "lineno", None)
            yield ("file",), f"the stub {name} is no valid Python{f', line {line}' if line else ''}: {bad.args[0]}"


def contract_problems(stub: Path, functions: Iterable[RequiredShape]) -> Iterator[Problem]:
    """Where the required names and their parameters differ from a stub that parses."""
    found = _signatures(ast.parse(stub.read_bytes()))
    for at, function in enumerate(functions):
        if function.name not in found:
            yield ("functions", at, "name"), f"the stub has no '{function.name}'{nearest(function.name, list(found))}"
        elif function.parameters != found[function.name]:
            has = ", ".join(found[function.name])
            yield ("functions", at), f"the stub's parameters of '{function.name}' are ({has}), not these"


def _twice(named: Iterable[tuple[Keys, str]]) -> Iterator[Problem]:
    seen: set[str] = set()
    for path, name in named:
        if name in seen:
            yield path, f"'{name}' stands here twice"
        seen.add(name)


def _items(data: object, key: str) -> Iterator[tuple[int, object]]:
    listed = data.get(key) if isinstance(data, dict) else None
    yield from enumerate(listed if isinstance(listed, list) else ())


def _listed(data: object, path: Keys, key: str) -> Iterator[tuple[Keys, str]]:
    """The texts of a list under ``key``."""
    for at, item in _items(data, key):
        if isinstance(item, str):
            yield (*path, key, at), item


def _inside(data: object, key: str, name: str) -> Iterator[tuple[Keys, str]]:
    """The text under ``name`` of each item of a list under ``key``."""
    for at, item in _items(data, key):
        text = item.get(name) if isinstance(item, dict) else None
        if isinstance(text, str):
            yield (key, at, name), text


def _signatures(module: ast.Module) -> dict[str, list[str]]:
    """The top-level functions and classes with their parameter names (a class has its constructor's)."""
    found = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = _parameters(node)
        elif isinstance(node, ast.ClassDef):
            constructor = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
            found[node.name] = _parameters(constructor[-1])[1:] if constructor else []
    return found


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
