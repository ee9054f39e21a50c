"""What to do about a line that Python cannot read, where its text shows how it came to be."""

from __future__ import annotations

import re
from collections.abc import Callable

_INVISIBLE = "\u00a0\u00ad\u200b\u200c\u200d\u2060\ufeff\u202f\u3000"
_CAUSES: tuple[tuple[Callable[[str, str], object], str, str], ...] = (
    (
        lambda message, line: re.match(r"\s*(?:<{7}|={7}|>{7})(?:\s|$)", line),
        "These are the marks of an unfinished git merge: keep one of the versions and delete the marks.",
        "这是未解决的 git 合并标记：请保留其中一个版本，并删掉这些标记。",
    ),
    (
        lambda message, line: re.match(r"\s*(?:`{3}|~{3})", line),
        "This is the fence that text puts around code: delete it, and the one that closes it.",
        "这是文本里包住代码的围栏标记：请删掉它和结尾的那一行。",
    ),
    (
        lambda message, line: "non-printable" in message and any(c in line for c in _INVISIBLE),
        "There is a character here that does not show, as copying from a page brings along: type the line again.",
        "这里有一个看不见的字符，通常是从网页复制来的：请把这一行重新输入一遍。",
    ),
    (
        lambda message, line: message.startswith("invalid character") and re.search("[‘’“”]", line),
        "These quotes come from a word processor: type straight ones, ' or \".",
        "这里用了弯引号或中文引号：请改成英文直引号 ' 或 \"。",
    ),
    (
        lambda message, line: message.startswith("invalid character"),
        "Python knows ASCII punctuation only: switch the keyboard to English and type this character again.",
        "Python 只认识英文标点：请切换到英文输入法，重新输入这个字符。",
    ),
    (
        lambda message, line: "inconsistent use of tabs" in message,
        "Some lines are indented by tabs, others by blanks: use blanks in all of them.",
        "有的行用制表符缩进，有的行用空格：请全部改用空格。",
    ),
)


def advice(message: str, line: str) -> tuple[str, str]:
    """A sentence in English and in Chinese, or two empty texts where the cause is not plain to see."""
    return next(((en, zh) for holds, en, zh in _CAUSES if holds(message, line)), ("", ""))
