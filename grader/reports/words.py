"""The reports' own words, in the course's languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from grader.model.course import Text

WORDS: Mapping[str, Text] = MappingProxyType({
    "score": Text("Score", "得分"),
    "submission": Text("Submission", "提交"),
    "fingerprint": Text("fingerprint", "指纹"),
    "students": Text("Students", "学生"),
    "status": Text("Status", "状态"),
    "practice": Text(
        "PRACTICE - these marks do not count: the code ran without proven isolation.",
        "练习模式：分数不计入成绩，代码在未经证明的隔离中运行。",
    ),
    "remarks": Text("Read this first", "请先看这里"),
    "diagnosis": Text("What most likely happened", "最可能的原因"),
    "explains": Text(
        "explains {explains} of {of} calls of {function}",
        "解释了 {function} 的 {of} 次调用中的 {explains} 次",
    ),
    "mended": Text("with this mended: {score} of {max}", "改正之后：{score} / {max}"),
    "lost": Text("Marks lost", "失分项"),
    "held": Text("Full marks", "满分项"),
    "passed": Text("Passed", "通过项"),
    "why": Text("why", "原因"),
    "unmet": Text("does not hold yet: {title} ({ending})", "尚未做到：{title}（{ending}）"),
    "where": Text("where", "位置"),
    "next": Text("next", "下一步"),
    "more": Text("more help: {command}", "更多提示：{command}"),
    "checks": Text("{count} checks", "{count} 项检查"),
    "further": Text("... and {count} more of this criterion", "……本项还有 {count} 条"),
    "more_of_these": Text("... and {count} more", "……还有 {count} 条"),
    "waits": Text("not checked: '{criterion}' has to hold first", "未检查：需先满足“{criterion}”"),
    "waits_for_some": Text("not checked: another part has to hold first", "未检查：需先满足其他部分"),
    "flags": Text("Flags", "标记"),
    "late": Text(
        "Late policy: {note}: {penalty} off, {counts} of {max} count",
        "迟交规定：{note}：扣 {penalty} 分，计 {counts} / {max} 分",
    ),
    "late_free": Text("Late policy: {note}: nothing is taken off", "迟交规定：{note}：不扣分"),
    "late_practice": Text("Late policy: {note}: {penalty} off", "迟交规定：{note}：扣 {penalty} 分"),
    "costs": Text("costs {marks}", "扣 {marks} 分"),
    "output": Text("Output of the code", "程序输出"),
    "truncated": Text("cut", "已截断"),
    "staff": Text("Staff", "教师"),
    "seed": Text("seed", "种子"),
    "walls": Text("isolation", "隔离"),
    "in_cell": Text("{file}, cell {cell}, line {line}", "{file}，第 {cell} 个单元格，第 {line} 行"),
    "in_line": Text("{file}:{line}", "{file}:{line}"),
    "public_passed": Text("{passed} of {all} public checks passed", "公开检查通过 {passed} / {all} 项"),
    "not_passed": Text("Not passed", "未通过项"),
    "not_attempted": Text("Not attempted", "尚未开始"),
    "notebook": Text("The notebook as it was handed in", "提交的笔记本"),
    "no_outputs": Text(
        "Its stored outputs and pictures are left out; cells are counted from 1.",
        "其中保存的输出与图片已省略；单元格从 1 开始编号。",
    ),
    "cell": Text("cell {number}", "单元格 {number}"),
    "cell_holds": Text("{name}: every check on it holds", "{name}：相关检查全部通过"),
    "cell_loses": Text("{name}: {passed} of {all} checks on it hold", "{name}：相关检查通过 {passed} / {all} 项"),
    "cell_stub": Text("{name}: not written yet", "{name}：尚未编写"),
    "cell_not_callable": Text("{name}: cannot be called", "{name}：不能被调用"),
    "cell_unseen": Text("{name}: this is what is graded", "{name}：评分以此为准"),
    "picture": Text("[picture: {name}]", "[图片：{name}]"),
})  # fmt: skip

STATUSES: Mapping[str, Text] = MappingProxyType({
    "graded": Text("graded", "已评分"),
    "needs_marking": Text("waits for a person to mark it", "等待人工评分"),
    "not_gradable": Text("could not be graded", "无法评分"),
    "missing": Text("nothing handed in", "未提交"),
    "grader_fault": Text(
        "not graded: the grader failed, which is not the student's fault",
        "未评分：评分程序出错，与学生无关",
    ),
})  # fmt: skip

OUTCOMES: Mapping[str, Text] = MappingProxyType({
    "passed": Text("passed", "通过"),
    "failed": Text("wrong result", "结果不对"),
    "raised": Text("raised an exception", "抛出异常"),
    "timed_out": Text("took too long", "超时"),
    "out_of_memory": Text("ran out of memory", "内存不足"),
    "died": Text("ended its own process", "进程中途退出"),
    "missing": Text("not defined", "未定义"),
    "not_attempted": Text("not written yet", "尚未编写"),
    "blocked": Text("not checked", "未检查"),
    "grader_fault": Text("the grader failed here; no marks are lost", "评分程序在此出错，不扣分"),
})  # fmt: skip


def word(key: str, lang: str, **parts: object) -> str:
    """The report's word for ``key`` in ``lang``, its ``{parts}`` filled in."""
    return WORDS[key].pick(lang).format(**parts)


def marks(value: float) -> str:
    """Marks as every format writes them: 17, 16.5, 16.67."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
