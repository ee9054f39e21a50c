"""The answers that are looked at for plain facts, and what can be measured in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis.tables import FACTS, Pair
from grader.model.course import Text
from grader.student.log import Answered

_NEAR: Final = 1e-3  # for what is measured
_LOOSE: Final = {torch.bfloat16: 3e-2, torch.float16: 5e-3}


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong answer, beside the right one."""

    answered: Answered
    right: Answered


def measured(wrong: Sequence[Wrong], everywhere: Sequence[Wrong]) -> tuple[str, Text] | None:
    """A fact with numbers about the tensors that stand at one place of the answers."""
    for name, fact in FACTS.items():
        for place in (None, 1) if fact.of_weights else (None, 0, 1):
            calls = with_tensor(everywhere if fact.of_all else wrong, place)
            if fact.of_weights and place is None and any(of_module(w) for w in calls):
                continue  # its output, whatever it looks like
            found = [number for w in calls if (number := fact.measure(_pair(w))) is not None]
            if found and len(found) >= fact.calls and len(found) >= len(calls) * (1.0 if fact.of_all else 0.5):
                return name, fact.words(found)
    return None


def _pair(w: Wrong) -> Pair:
    got, right = w.answered.value, w.right.value
    assert isinstance(got, Tensor) and isinstance(right, Tensor)
    return Pair(got.detach().double(), right.detach().double(), max(_NEAR, _LOOSE.get(got.dtype, 0.0)))


def with_tensor(calls: Sequence[Wrong], place: int | None) -> Sequence[Wrong]:
    """The calls with a tensor at this place of both answers (None: that is one itself), with nothing else in them."""
    kept = []
    for w in calls:
        got, right = (_tensor_at(answer.value, place) for answer in (w.answered, w.right))
        if got is not None and right is not None:
            kept.append(Wrong(replace(w.answered, value=got), replace(w.right, value=right)))
    return kept


def _tensor_at(value: object, place: int | None) -> Tensor | None:
    if place is not None:
        value = value[place] if isinstance(value, tuple) and place < len(value) else None
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return torch.from_numpy(np.array(value))
    return value if isinstance(value, Tensor) else None


def of_module(w: Wrong) -> bool:
    return w.answered.function[:1].isupper()
