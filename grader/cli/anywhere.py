"""The options that may stand anywhere on the line."""

from __future__ import annotations

from collections.abc import Sequence

_ANYWHERE = {"--course": 1, "--reference": 1, "--lang": 1, "--plain": 0}  # option: how many values it takes


def options_first(args: Sequence[str]) -> list[str]:
    """``args`` with the options that may stand anywhere moved to the front; nothing after ``--`` is touched."""
    front: list[str] = []
    rest: list[str] = []
    left = list(args)
    while left and left[0] != "--":
        word = left.pop(0)
        values = _ANYWHERE.get(word.partition("=")[0])
        if values is None:
            rest.append(word)
            continue
        front.append(word)
        if values and "=" not in word and left:
            front.append(left.pop(0))
    return [*front, *rest, *left]
