"""What a failed comparison says to a learner, in both languages."""

from __future__ import annotations

import numpy as np
import torch

from grader.model.course import Text
from grader.student import Opaque


def both(what: Text | str) -> Text:
    return what if isinstance(what, Text) else Text(en=what, zh=what)


def kind(value: object) -> Text:
    """What a value is, in a few words."""
    match value:
        case None:
            return Text(en="None", zh="None")
        case torch.Tensor():
            dtype, shape = str(value.dtype)[6:], list(value.shape)
            return Text(en=f"a {dtype} tensor of shape {shape}", zh=f"形状为 {shape} 的 {dtype} 张量")
        case np.ndarray():
            shape = list(value.shape)
            return Text(en=f"a NumPy array of shape {shape}", zh=f"形状为 {shape} 的 NumPy 数组")
        case tuple() | list():
            name, zh = ("tuple", "元组") if isinstance(value, tuple) else ("list", "列表")
            if not 0 < len(value) <= 3 or any(isinstance(item, tuple | list) for item in value):
                return Text(en=f"a {name} of {len(value)} items", zh=f"含 {len(value)} 个元素的{zh}")
            items = [kind(item) for item in value]
            return Text(
                en=f"a {name} of " + " and ".join(item.en for item in items),
                zh=f"含{'、'.join(item.zh for item in items)}的{zh}",
            )
        case Opaque():
            return Text(en=value.kind, zh=value.kind)
        case _:
            return Text(en=f"a Python {type(value).__name__}", zh=f"一个 Python {type(value).__name__}")


def no_such_tensor(what: Text | str, shape: tuple[int, ...], value: object) -> Text:
    name, got = both(what), kind(value)
    return Text(
        en=f"{name.en} should be a tensor of shape {list(shape)}; the function returned {got.en}",
        zh=f"{name.zh}应当是形状为 {list(shape)} 的张量；函数返回的是{got.zh}",
    )


def not_a(what: Text | str, wanted: Text, value: object) -> Text:
    name, got = both(what), kind(value)
    return Text(
        en=f"{name.en} should be {wanted.en}; it is {got.en}",
        zh=f"{name.zh}应当是{wanted.zh}；实际是{got.zh}",
    )


def wrong_shape(what: Text | str, got: tuple[int, ...], want: tuple[int, ...]) -> Text:
    name = both(what)
    return Text(
        en=f"{name.en} has shape {list(got)}, expected {list(want)}",
        zh=f"{name.zh}的形状是 {list(got)}，应当是 {list(want)}",
    )


def wrong_dtype(what: Text | str, got: str, want: str) -> Text:
    name = both(what)
    return Text(
        en=f"{name.en} has dtype {got}, expected {want}",
        zh=f"{name.zh}的 dtype 是 {got}，应当是 {want}",
    )


def not_finite(what: Text | str, where: str, got: float) -> Text:
    name = both(what)
    return Text(
        en=f"{name.en} holds {got} at {where}; every entry should be a finite number",
        zh=f"{name.zh}在 {where} 处是 {got}；每个元素都应当是有限的数",
    )


def wrong_value(what: Text | str, where: str, got: str, want: str, count: int, of: int) -> Text:
    name = both(what)
    return Text(
        en=f"{name.en} at {where} is {got}, expected {want} ({count} of {of} entries are off)",
        zh=f"{name.zh}在 {where} 处是 {got}，应当是 {want}（{of} 个元素中有 {count} 个不对）",
    )


def position(index: tuple[int, ...], axes: tuple[str, ...]) -> str:
    """``[0, 2, 1]`` with the names of its axes, counted from the last: ``[head 0, query 2, key 1]``."""
    if not index:
        return "[]"
    names = ("",) * (len(index) - len(axes)) + axes[max(0, len(axes) - len(index)) :]
    return "[" + ", ".join(f"{name} {i}".strip() for name, i in zip(names, index, strict=True)) + "]"


def number(x: float) -> str:
    return f"{x:.6g}"
