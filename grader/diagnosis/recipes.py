"""Finds the smallest call that shows a mistake, from recipes an author gives: which shapes to try, smallest first.

``reference/<name>/recipes.py`` holds ``RECIPES``: each says which function, and for every argument a shape to be
filled with small whole numbers, a mask, or a value as it is. The first filling that shows the mistake is taken.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis.example import Example
from grader.diagnosis.faults import Fault, build, faulty_source
from grader.diagnosis.shown import shown
from grader.model.course import Assignment

_FILLINGS: Final = 8  # of one recipe
_VISIBLE: Final = 0.02  # a difference that is seen on paper, where two decimals are written


@dataclass(frozen=True, slots=True)
class Whole:
    """A tensor (an array, with ``array``) of this shape, of whole numbers from ``low`` to ``high``."""

    shape: tuple[int, ...]
    low: int = 0
    high: int = 2
    array: bool = False


@dataclass(frozen=True, slots=True)
class Keep:
    """A bool mask of this shape."""

    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """One kind of call. ``make``: arguments of a constructor; its weights become small whole numbers."""

    function: str
    given: Mapping[str, Any]
    make: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """A recipe with its arguments filled in."""

    recipe: int  # which one
    turn: int  # which filling of it
    of: Recipe
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Attempt:
    value: Any
    after: Mapping[str, Any] = field(default_factory=dict)
    raised: str = ""
    weights: str = ""  # of the module that was made


def load_recipes(assignment: Assignment) -> tuple[Recipe, ...]:
    """``RECIPES`` of ``reference/<name>/recipes.py``; none where the file is absent."""
    path = assignment.reference / "recipes.py" if assignment.reference else None
    if path is None or not path.is_file():
        return ()
    return tuple(build(path.read_text(encoding="utf-8"), f"recipes_of_{assignment.name}", str(path)).RECIPES)


def find_examples(faults: Sequence[Fault], recipes: Sequence[Recipe], solution: str) -> dict[str, Example]:
    """For each mistake the first call that shows it, by id; a mistake that no call shows is left out."""
    with warnings.catch_warnings(action="ignore"):  # some mistakes are such that a library warns of them
        return _found(faults, recipes, solution)


def _found(faults: Sequence[Fault], recipes: Sequence[Recipe], solution: str) -> dict[str, Example]:
    reference = build(solution, "solution_on_paper")
    calls = list(_calls(recipes))
    rights = [_attempt(reference, call) for call in calls]
    found: dict[str, Example] = {}
    for fault in faults:
        module = _with_mistake(fault, solution)
        told = (_told(call, right, _attempt(module, call)) for call, right in zip(calls, rights, strict=True))
        example = next((one for one in told if one is not None), None)
        if example is not None:
            found[fault.id] = example
    return found


def stale_examples(faults: Sequence[Fault], recipes: Sequence[Recipe], solution: str) -> list[str]:
    """The mistakes whose stored example is no longer what its call gives."""
    with warnings.catch_warnings(action="ignore"):
        return _stale(faults, recipes, solution)


def _stale(faults: Sequence[Fault], recipes: Sequence[Recipe], solution: str) -> list[str]:
    reference = build(solution, "solution_on_paper")
    calls = {(call.recipe, call.turn): call for call in _calls(recipes)}
    stale = []
    for fault in faults:
        if fault.example is not None:
            call = calls.get((fault.example.recipe, fault.example.turn))
            again = call and _told(call, _attempt(reference, call), _attempt(_with_mistake(fault, solution), call))
            if again != fault.example:
                stale.append(fault.id)
    return stale


def _with_mistake(fault: Fault, solution: str) -> ModuleType:
    source = faulty_source(solution, [fault])
    assert source is not None, "one mistake cannot overlap with itself"
    return build(source, f"on_paper_{fault.id}")


def _calls(recipes: Sequence[Recipe]) -> Iterator[_Call]:
    """Every recipe filled again and again; the same on every machine."""
    for number, recipe in enumerate(recipes):
        draw = np.random.default_rng(7)
        for turn in range(_FILLINGS):
            yield _Call(number, turn, recipe, {name: _filled(value, draw) for name, value in recipe.given.items()})


def _filled(value: Any, draw: np.random.Generator) -> Any:
    if isinstance(value, Whole):
        numbers = draw.integers(value.low, value.high, value.shape, endpoint=True).astype(np.float64)
        return numbers if value.array else torch.from_numpy(numbers)
    if isinstance(value, Keep):
        return torch.from_numpy(draw.integers(0, 2, value.shape).astype(bool))
    return value


def _attempt(module: ModuleType, call: _Call) -> _Attempt:
    """One call on copies of the arguments."""
    own = copy.deepcopy(dict(call.given))
    torch.manual_seed(0)
    weights = ""
    try:
        function: Callable[..., Any] = getattr(module, call.of.function)
        if call.of.make is not None:
            made = function(**call.of.make).double().eval()
            _fill_weights(made)
            function, weights = made, _weights(made)
        value = function(**own)
    except Exception as error:
        return _Attempt(None, raised=type(error).__name__)
    return _Attempt(value, own, weights=weights)


def _fill_weights(made: torch.nn.Module) -> None:
    """Small whole weights, a block of rows like no other: multiples of the identity, every second one with ones
    above its diagonal (so that no two roles can be exchanged unseen). Biases are 0."""
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.zero_()
        for number, matrix in enumerate(p for p in made.parameters() if p.dim() == 2):
            for row in range(matrix.shape[0]):
                block, column = divmod(row, matrix.shape[1])
                matrix[row, column] = number + block + 1
                if (number + block) % 2 and column + 1 < matrix.shape[1]:
                    matrix[row, column + 1] = 1


def _weights(made: torch.nn.Module) -> str:
    return ", ".join(f"{name} {shown(p)}" for name, p in made.named_parameters() if p.dim() > 1)


def _told(call: _Call, right: _Attempt, wrong: _Attempt) -> Example | None:
    """The example, where the mistake shows; raising where the reference answers shows, too."""
    if right.raised:
        return None
    written = _written(call)

    def example(before: Any, after: Any, looked_at: str = "") -> Example:
        one, other = (shown(value, with_dtype=_only_dtypes_differ(before, after)) for value in (before, after))
        return Example(written, one, other, looked_at, right.weights, call.recipe, call.turn)

    if wrong.raised:
        return Example(written, shown(right.value), wrong.raised, "", right.weights, call.recipe, call.turn)
    if _apart(right.value, wrong.value):
        return example(right.value, wrong.value)
    moved = (name for name, before in call.given.items() if _apart(before, wrong.after[name]))
    name = next(moved, None)
    return None if name is None else example(call.given[name], wrong.after[name], name)


def _written(call: _Call) -> str:
    inside = ", ".join(f"{name}={shown(value)}" for name, value in call.given.items())
    if call.of.make is None:
        return f"{call.of.function}({inside})"
    made = ", ".join(f"{name}={value}" for name, value in call.of.make.items())
    return f"{call.of.function}({made})({inside})"


def _only_dtypes_differ(a: Any, b: Any) -> bool:
    return shown(a) == shown(b)


def _apart(a: Any, b: Any) -> bool:
    """Whether two values differ to the eye: in kind, in shape, in dtype, or by two hundredths somewhere."""
    if isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b):
        return any(map(_apart, a, b))
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return any(_apart(a[key], b[key]) for key in a)
    if isinstance(a, Tensor | np.ndarray) and type(a) is type(b):
        if a.shape != b.shape or a.dtype != b.dtype:
            return True
        x, y = np.asarray(_numbers(a)), np.asarray(_numbers(b))
        return not np.allclose(x, y, atol=_VISIBLE, rtol=0, equal_nan=True)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) > _VISIBLE
    return type(a) is not type(b) or bool(a != b)


def _numbers(value: Any) -> Any:
    return value.detach().double().numpy() if isinstance(value, Tensor) else value.astype(np.float64)
