"""What a check in a notebook says besides the checks' own notes, in the course's languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from grader.model.course import Text

_WORDS: Mapping[str, Text] = MappingProxyType({
    "passed": Text("{passed} of {all} public checks passed", "公开检查通过 {passed} / {all} 项"),
    "not_passed": Text("Not passed", "未通过"),
    "held": Text("Passed", "已通过"),
    "where": Text("where", "位置"),
    "hint": Text("hint", "提示"),
    "remarks": Text("Read this first", "请先看这里"),
    "touch": Text(
        "Public checks touch {touched} of {all} criteria; these were not looked at: {rest}",
        "公开检查涉及 {all} 项评分标准中的 {touched} 项；未涉及：{rest}",
    ),
    "touch_all": Text("Public checks touch every criterion", "公开检查涉及所有评分标准"),
    "other_numbers": Text("Grading uses other numbers", "评分时使用其他数字"),
    "graded": Text("What will be graded", "将被评分的内容"),
    "present": Text("{name}: {place}", "{name}：{place}"),
    "stub": Text("{name}: {place}, not written yet", "{name}：{place}，尚未编写"),
    "missing": Text("{name}: not found", "{name}：未找到"),
    "not_callable": Text("{name}: cannot be called", "{name}：不能被调用"),
    "fingerprint": Text(
        "Fingerprint of {file}: {fingerprint} (the graded report repeats it for the same file)",
        "{file} 的指纹：{fingerprint}（同一文件的评分报告会显示相同的指纹）",
    ),
    "unsaved": Text(
        "{names}: what runs here is not what {file} holds. Save the notebook before you hand it in, "
        "and run every cell you have changed",
        "{names}：这里运行的代码与 {file} 中保存的不同。提交之前请保存笔记本，并重新运行改动过的单元格",
    ),
    "own_cell": Text("line {line} of its cell", "所在单元格第 {line} 行"),
    "here": Text("in this notebook", "在此笔记本中"),
})  # fmt: skip


def say(key: str, lang: str, **parts: object) -> str:
    """The words for ``key`` in ``lang``, its ``{parts}`` filled in."""
    return _WORDS[key].pick(lang).format(**parts)
