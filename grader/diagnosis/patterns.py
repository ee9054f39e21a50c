"""What can be said of wrong answers that no known mistake gives: plain facts about the numbers.

Each pattern looks at all calls of one function that count against one criterion, and has to hold in every one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import torch
from torch import Tensor

from grader.diagnosis.faults import Fault
from grader.diagnosis.measured import Wrong, measured, of_module, with_tensor
from grader.model.course import Text
from grader.student.log import alike

_ATOL: Final = 1e-5
_CALLS: Final = 3  # fewer may look like anything by chance


def pattern_in(
    wrong: Sequence[Wrong], all_calls: Sequence[Wrong], criterion: str, everywhere: Sequence[Wrong] = ()
) -> Fault | None:
    """The first pattern that holds in every one of these answers.

    ``all_calls``: of this function, right ones too. ``everywhere``: its wrong ones, whatever they cost; what is said of
    the function as such has to hold in all of them.
    """
    everywhere = everywhere or wrong
    if len(everywhere) < _CALLS:
        return _told(measured(wrong, everywhere), criterion)
    if _changing(all_calls):
        return Fault("changes_from_call_to_call", [criterion], _CHANGES, {})
    calls = with_tensor(everywhere, None)
    plain = len(calls) == len(everywhere)
    for name, (holds, text) in _PATTERNS.items() if plain else ():
        if all(holds(w) for w in calls):
            return Fault(name, [criterion], text, {})
    return _told(measured(wrong, everywhere), criterion) or (_unheard(all_calls, criterion) if plain else None)


def _told(fact: tuple[str, Text] | None, criterion: str) -> Fault | None:
    return None if fact is None else Fault(fact[0], [criterion], fact[1], {})


def _unheard(all_calls: Sequence[Wrong], criterion: str) -> Fault | None:
    ignored = _ignored(all_calls)
    return None if ignored is None else Fault("argument_ignored", [criterion], _ignores(ignored), {})


def _changing(calls: Sequence[Wrong]) -> bool:
    """Whether a function (a module has a state) answers the same arguments differently, where it should not."""
    if not calls or not calls[0].answered.given or of_module(calls[0]):
        return False
    return any(
        alike(a.answered.given, b.answered.given, 0.0, 0.0)
        and not alike(a.answered.value, b.answered.value)
        and alike(a.right.value, b.right.value)
        for i, a in enumerate(calls)
        for b in calls[i + 1 :]
    )


def _tensors(w: Wrong) -> tuple[Tensor, Tensor]:
    a, b = w.answered.value, w.right.value
    assert isinstance(a, Tensor) and isinstance(b, Tensor)
    return a.detach().double(), b.detach().double()


def _columns(w: Wrong) -> bool:
    value, _ = _tensors(w)
    return _sums_to_one(value, -2) and not _sums_to_one(value, -1)


def _table(w: Wrong) -> bool:
    value, _ = _tensors(w)
    return value.dim() >= 2 and value.shape[-2] > 1 and _are_ones(value.sum((-2, -1)))


def _sums_to_one(value: Tensor, axis: int) -> bool:
    return value.dim() >= 2 and value.shape[axis] > 1 and _are_ones(value.sum(axis))


def _are_ones(sums: Tensor) -> bool:
    return bool(torch.allclose(sums, torch.ones_like(sums), atol=_ATOL))


def _an_input(w: Wrong) -> bool:
    value, _ = _tensors(w)
    return any(isinstance(given, Tensor) and _same(value, given.detach().double()) for given in w.answered.given)


def _transposed(w: Wrong) -> bool:
    value, right = _tensors(w)
    return right.dim() >= 2 and _same(value, right.transpose(-2, -1)) and not _same(value, right)


def _all_nan(w: Wrong) -> bool:
    value, _ = _tensors(w)
    return value.numel() > 0 and bool(value.isnan().all())


def _zeros(w: Wrong) -> bool:
    value, _ = _tensors(w)
    return value.numel() > 0 and not bool(value.any())


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(torch.allclose(a, b, atol=_ATOL, equal_nan=True))


def _ignored(calls: Sequence[Wrong]) -> int | None:
    """An argument (by number) whose change changes the right answer and never the student's."""
    found: set[int] = set()
    moved: set[int] = set()
    for i, a in enumerate(calls):
        for b in calls[i + 1 :]:
            one, other = a.answered.given, b.answered.given
            if len(one) != len(other) or len(one) < 2:
                continue
            apart = [n for n, (x, y) in enumerate(zip(one, other, strict=True)) if not alike(x, y)]
            if len(apart) == 1 and not alike(a.right.value, b.right.value):
                (found if alike(a.answered.value, b.answered.value) else moved).add(apart[0])
    return min(found - moved, default=None)


def _ignores(argument: int) -> Text:
    return Text(
        en=f"Your result does not change when argument {argument + 1} does. Look at where that argument is used.",
        zh=f"第 {argument + 1} 个参数变了，你的结果却不变。请看这个参数用在了哪里。",
    )


_CHANGES: Final = Text(
    en="The same arguments get another answer the second time. Look for chance (dropout, random numbers) and for "
    "something that is kept from one call to the next.",
    zh="同样的参数，第二次得到的答案却不同。请找随机的东西（dropout、随机数），以及从一次调用留到下一次的东西。",
)
_PATTERNS: Final[dict[str, tuple[Callable[[Wrong], bool], Text]]] = {
    "all_nan": (_all_nan, Text(
        en="Where your result is wrong, every number of it is NaN. Look for 0/0, infinity minus infinity, or 0 times "
        "infinity.",
        zh="你的结果出错时全是 NaN。请找找 0/0、无穷减无穷或 0 乘无穷。",
    )),
    "all_zero": (_zeros, Text(
        en="Where your result is wrong, every number of it is 0. Look at what you multiply with or fill in last.",
        zh="你的结果出错时全是 0。请看最后乘上或填入了什么。",
    )),
    "equals_an_input": (_an_input, Text(
        en="Where your result is wrong, it is one of the inputs, unchanged. Look at which variable you return.",
        zh="你的结果出错时就是某个输入，原封未动。请看返回的是哪个变量。",
    )),
    "transposed": (_transposed, Text(
        en="Your result is the right one with its last two axes exchanged. Look at the order of the product.",
        zh="你的结果是正确结果交换最后两维后的样子。请看矩阵乘法的次序。",
    )),
    "columns_sum_to_one": (_columns, Text(
        en="Each column of your result sums to 1, and the rows do not. A row is what one query gives out: it has to "
        "sum to 1.",
        zh="你的结果每列和为 1，每行却不是。一行是一个 query 分出的份额，和应当为 1。",
    )),
    "table_sums_to_one": (_table, Text(
        en="All numbers of a table together sum to 1, as if the queries shared one budget. Each row has to sum to 1 "
        "by itself.",
        zh="整张表的和是 1：所有 query 共用一份预算。应当每行各自的和为 1。",
    )),
}  # fmt: skip
