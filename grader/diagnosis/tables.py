"""Plain facts about a table of weights that is wrong: what each row gives, to whom, and how sharply.

A fact is measured in one call; its words come with the numbers seen in several.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from grader.model.course import Text

_ATOL: Final = 1e-5
_SEEN: Final = 1e-6  # what a hidden key may get
_SHOWN: Final = 3  # numbers told


@dataclass(frozen=True, slots=True)
class Pair:
    """A tensor that was answered beside the right one, both in float64."""

    got: Tensor
    right: Tensor
    near: float  # what counts as the same, in this dtype


Measure = Callable[[Pair], float | None]  # what is found in one call; None where the fact does not hold
Words = Callable[[Sequence[float]], Text]


def hidden_keys_seen(pair: Pair) -> float | None:
    """The largest weight on a key that should have none, in a row that has others."""
    if not _are_weights(pair.right) or pair.got.shape != pair.right.shape or not _are_shares(pair.got):
        return None
    hidden = (pair.right == 0) & (pair.right.sum(-1, keepdim=True) > 0)
    if not bool(hidden.any()):
        return None
    largest = float(pair.got[hidden].max())
    return largest if largest > _SEEN else None


def sharpness(pair: Pair) -> float | None:
    """By which factor the scores are too large, where the rows are a softmax of the right scores times a factor."""
    if not _are_weights(pair.right) or pair.got.shape != pair.right.shape:
        return None
    some = (pair.right > 0) & (pair.got > 0)
    if not bool(torch.equal(pair.right > 0, pair.got > 0)) or not _are_ones(pair.got.sum(-1)[some.any(-1)]):
        return None
    log_right, log_got = (_centred(t, some) for t in (pair.right, pair.got))
    spread = float((log_right**2).sum())
    if spread < _ATOL:
        return None
    factor = float((log_right * log_got).sum()) / spread
    fits = bool(torch.allclose(log_got, factor * log_right, atol=pair.near, rtol=pair.near))
    return factor if fits and abs(factor - 1) > pair.near else None


def row_sum(pair: Pair) -> float | None:
    """The sum of a row that should be 1 and is furthest from it."""
    if not _are_weights(pair.right) or pair.got.shape != pair.right.shape or not _are_shares(pair.got):
        return None
    sums = pair.got.sum(-1)[pair.right.sum(-1) > 0]
    worst = float(sums[(sums - 1).abs().argmax()]) if sums.numel() else 1.0
    return worst if abs(worst - 1) > pair.near / 10 else None


def multiple(pair: Pair) -> float | None:
    """The one number that the right result has to be multiplied with to give this one."""
    got, right = pair.got.flatten(), pair.right.flatten()
    square = float(right @ right)
    if pair.got.shape != pair.right.shape or got.numel() < 2 or not bool(got.isfinite().all()) or square < _ATOL:
        return None
    factor = float(got @ right) / square
    fits = bool(torch.allclose(got, factor * right, atol=pair.near / 10, rtol=pair.near))
    return factor if fits and abs(factor - 1) > pair.near and abs(factor) > pair.near else None


def _are_weights(right: Tensor) -> bool:
    """Rows of shares: none negative, each row sums to 1 or sees nothing."""
    if right.dim() < 2 or right.shape[-1] < 2 or not bool((right >= 0).all()):
        return False
    sums = right.sum(-1)
    return _are_ones(sums[sums > 0]) and bool((sums > 0).any())


def _are_shares(got: Tensor) -> bool:
    return bool(got.isfinite().all()) and bool((got >= 0).all())


def _are_ones(sums: Tensor) -> bool:
    return bool(torch.allclose(sums, torch.ones_like(sums), atol=1e-4))


def _centred(weights: Tensor, some: Tensor) -> Tensor:
    """Logarithms of the weights that are there, less their mean in the row."""
    logs = torch.where(some, weights, torch.ones_like(weights)).log()
    mean = logs.sum(-1, keepdim=True) / some.sum(-1, keepdim=True).clamp(min=1)
    return torch.where(some, logs - mean, torch.zeros_like(logs))


def _listed(found: Sequence[float]) -> str:
    different = list(dict.fromkeys(f"{number:.3g}" for number in found))
    return ", ".join(different[:_SHOWN]) + (", ..." if len(different) > _SHOWN else "")


def _of_hidden(found: Sequence[float]) -> Text:
    most = f"{max(found):.2g}"
    return Text(
        en=f"Keys that a mask hides get weight all the same, up to {most} here. In a softmax nothing is hidden until "
        "its score lies far below every other one, whatever the scores are. Look at the value that hidden scores have "
        "before the softmax, and at which keys get it.",
        zh=f"被遮住的 key 仍然分到了权重，这里最多有 {most}。在 softmax 里，只有分数远低于其他所有分数的"
        " key 才真的被遮住。请看 softmax 之前被遮住的分数是什么值，又是哪些 key 得到了它。",
    )


def _of_sharpness(found: Sequence[float]) -> Text:
    factors = _listed(found)
    return Text(
        en=f"Your weights are a softmax of the right scores times a factor: {factors}. The rest of the table fits. "
        "Look at what the scores are divided by: the root of how many products one score adds up.",
        zh=f"你的权重是“正确的分数乘以一个倍数”之后的 softmax，倍数是 {factors}；表里别的都对。"
        "请看分数除以了什么：应当是一个分数由多少项乘积相加而成，再开平方。",
    )


def _of_row_sums(found: Sequence[float]) -> Text:
    sums = _listed(found)
    return Text(
        en=f"Rows of your weights do not sum to 1; here one sums to {sums}. A row is how one query shares out its "
        "attention. Look at what you divide by, and at what is done to the weights after that.",
        zh=f"你的权重有些行的和不是 1，这里有的行和是 {sums}。一行是一个 query 怎样分配自己的注意力。"
        "请看你除以的是什么，以及除法之后又对权重做了什么。",
    )


def _of_multiples(found: Sequence[float]) -> Text:
    factors = _listed(found)
    return Text(
        en=f"Where your result is wrong, it is the right one times a factor: {factors}. Look at what you multiply with "
        "or divide by, and how often.",
        zh=f"你的结果出错时，是正确结果乘以一个倍数：{factors}。请看你乘了或除了什么，做了几次。",
    )


@dataclass(frozen=True, slots=True)
class Fact:
    """``of_all``: it is said of the function as such, so it has to hold wherever that is wrong; else in some calls.

    ``of_weights``: of what is returned alone by a function or second in a pair; values only look like weights.
    """

    measure: Measure
    of_weights: bool
    of_all: bool
    calls: int  # in which it has to be found
    words: Words


FACTS: Final[dict[str, Fact]] = {
    "multiple_of_the_right": Fact(multiple, False, True, 2, _of_multiples),
    "scores_off_by_a_factor": Fact(sharpness, True, True, 2, _of_sharpness),
    "hidden_keys_seen": Fact(hidden_keys_seen, True, False, 1, _of_hidden),
    "rows_do_not_sum_to_one": Fact(row_sum, True, False, 2, _of_row_sums),
}
