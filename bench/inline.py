"""A student in our own process: no wall, no limits. Only for measuring what the walls cost."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.checks.collected import Test
from grader.checks.draws import Draws
from grader.errors import CheckFailed
from grader.student import Call


class InlineStudent:
    """The functions of a module, called directly with copies of their arguments."""

    def __init__(self, path: Path) -> None:
        spec = importlib.util.spec_from_file_location("inline_submission", path)
        assert spec is not None and spec.loader is not None
        self._module: ModuleType = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._module)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._module, name)
        return lambda *args, **named: function(*map(_copy, args), **{k: _copy(v) for k, v in named.items()})

    def watch(self, name: str, *args: Any, **named: Any) -> Call:
        copies = tuple(map(_copy, args))
        return Call(getattr(self._module, name)(*copies, **named), copies, named)

    def seed(self, number: int) -> None:
        torch.manual_seed(number)


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def run_inline(tests: Sequence[Test], path: Path, reference: ModuleType, seed: int) -> int:
    """How many tests pass, all in this process."""
    student = InlineStudent(path)
    passed = 0
    for test in tests:
        try:
            test.run({"student": student, "reference": reference, "rng": Draws(seed, test.id)})
            passed += 1
        except CheckFailed:
            pass
        except Exception:
            traceback.print_exc()
    return passed
