"""What the student's commands say, in the course's languages."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from grader.model.course import Text
from grader.reports.words import marks

_PHRASES: Mapping[str, Text] = MappingProxyType({
    "mark": Text("{marks} mark", "{marks} 分"),
    "marks": Text("{marks} marks", "{marks} 分"),
    "written": Text("written", "已写完"),
    "to_write": Text("{count} still to write", "还有 {count} 处待写"),
    "no_file": Text("no file {file} here", "此处没有 {file}"),
    "checking": Text("checking {path}", "正在检查 {path}"),
    "both": Text(
        "({other} is left alone: the file in this folder goes first)",
        "（{other} 未检查：当前文件夹中的文件优先）",
    ),
    "only_begun": Text(
        "({other} lies beside it and is left alone: nothing is written in it yet)",
        "（旁边的 {other} 未检查：其中还没有编写任何内容）",
    ),
    "newer": Text(
        "({other} lies beside it and is left alone: it is older. Name a file to check that one)",
        "（旁边的 {other} 未检查：它较旧。要检查它，请写出文件名）",
    ),
    "unreadable": Text("{file} cannot be read", "{file} 无法读取"),
    "touch": Text(
        "Public checks touch {touched} of {all} criteria.",
        "公开检查涉及 {all} 项评分标准中的 {touched} 项。",
    ),
    "untouched": Text("Not touched: {names}.", "未涉及：{names}。"),
    "graded_lines": Text("What will be graded in this file:", "此文件中将被评分的内容："),
    "present": Text("{name}  {place}", "{name}  {place}"),
    "present_as": Text("{name}  {place}, found as {other}", "{name}  {place}，以 {other} 之名找到"),
    "stub": Text("{name}  {place}, not written yet", "{name}  {place}，尚未编写"),
    "missing": Text("{name}  not found", "{name}  未找到"),
    "not_callable": Text("{name}  {place}, cannot be called", "{name}  {place}，不能被调用"),
    "fingerprint": Text(
        "Fingerprint {fingerprint} (the graded report repeats it for the same file).",
        "指纹 {fingerprint}（同一文件的评分报告会显示相同的指纹）。",
    ),
    "no_checks": Text("This assignment has no public checks.", "本作业没有公开检查。"),
    "hint": Text(
        "Hint {step} of {steps} for {criterion} ({title}):",
        "{criterion}（{title}）的第 {step} / {steps} 条提示：",
    ),
    "next_hint": Text("The next one: {command}", "下一条：{command}"),
    "last_hint": Text("That was the last hint.", "这是最后一条提示。"),
    "everything": Text("every criterion", "所有标准"),
    "saved_at": Text("{time}  {file}", "{time}  {file}"),
    "gone": Text("{file} is not there any more.", "{file} 已不存在。"),
    "watching": Text(
        "Watching {folders}. Every save is checked; Ctrl-C ends it.",
        "正在监视 {folders}。每次保存都会检查；按 Ctrl-C 结束。",
    ),
    "keys": Text("h hint   n next   a check all   q quit", "h 提示   n 下一个   a 全部检查   q 退出"),
    "course": Text("Course: {states}", "课程：{states}"),
    "is_passed": Text("{name} passed", "{name} 已通过"),
    "is_partly": Text("{name} {passed} of {all}", "{name} 通过 {passed} / {all}"),
    "is_untouched": Text("{name} not attempted", "{name} 尚未开始"),
    "is_absent": Text("{name} no file", "{name} 没有文件"),
    "is_unknown": Text("{name} not checked", "{name} 未检查"),
    "is_unreadable": Text("{name} cannot be graded", "{name} 无法评分"),
    "all_pass": Text("Nothing is left: every public check passes.", "没有剩下的：公开检查全部通过。"),
    "no_hint": Text("No criterion of the public checks is lost here.", "这里没有未通过的公开检查项。"),
    "watch_fault": Text(
        "The checking process ended; the next save starts it again.", "检查进程已结束；下次保存时会重新启动。"
    ),
    "pick": Text("Ask for one: {command}", "选择一项：{command}"),
})  # fmt: skip


def phrase(key: str, lang: str, **parts: object) -> str:
    """The phrase for ``key`` in ``lang``, its ``{parts}`` filled in."""
    return _PHRASES[key].pick(lang).format(**parts)


def marks_phrase(value: Fraction, lang: str) -> str:
    """``1 mark``, ``2.5 marks``."""
    return phrase("mark" if value == 1 else "marks", lang, marks=marks(float(value)))
