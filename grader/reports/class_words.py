"""The words of a class's page and of what a batch tells at its end."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from grader.model.course import Text

_WORDS: Mapping[str, Text] = MappingProxyType({
    "class": Text("The class", "全班"),
    "students": Text("students", "学生"),
    "graded": Text("graded", "已评分"),
    "mean": Text("mean", "平均分"),
    "median": Text("median", "中位数"),
    "waiting": Text("need a person", "需人工处理"),
    "absent": Text("handed in nothing", "未提交"),
    "of": Text("of {most}", "满分 {most}"),
    "quarantine": Text("What needs a person", "需要人工处理"),
    "nobody_waits": Text("Nothing: every submission has its mark.", "没有：所有提交均已评分。"),
    "distribution": Text("Marks", "分数分布"),
    "bar": Text("{count} from {low} to {high}", "{low} 至 {high} 分：{count} 人"),
    "mistakes": Text("Mistakes they share", "共同的错误"),
    "mistake": Text("{count}: {text}", "{count} 人：{text}"),
    "failures": Text("Ways to fail", "失败方式"),
    "criteria": Text("Criteria", "评分标准"),
    "criterion": Text("criterion", "标准"),
    "full": Text("full marks", "满分"),
    "none": Text("no marks", "零分"),
    "share": Text("marks earned", "得分率"),
    "discrimination": Text("discrimination", "区分度"),
    "all_hold": Text("everybody holds it", "全部做到"),
    "none_hold": Text("nobody holds it: is the check right, was it taught?", "无人做到：检查是否正确？是否讲过？"),
    "weak": Text("hardly parts the class", "区分度低"),
    "discrimination_is": Text(
        "Discrimination: the correlation of a criterion's marks with the marks of all the others (Henrysson 1963); "
        "below 0.2 it hardly parts the class (Ebel and Frisbie 1991). Blank: fewer than ten graded, or all alike.",
        "区分度：某项得分与其余各项总分的相关系数（Henrysson 1963）；低于 0.2 说明几乎不能区分学生"
        "（Ebel 与 Frisbie 1991）。空白：已评分的不足十份，或全部相同。",
    ),
    "student": Text("student", "学生"),
    "name": Text("name", "姓名"),
    "mark": Text("mark", "分数"),
    "late": Text("late", "迟交"),
    "late_by": Text("{days} d, -{penalty}", "{days} 天，-{penalty}"),
    "late_off": Text("-{marks} late", "迟交 -{marks}"),
    "noticed": Text("noticed", "备注"),
    "by_person": Text("marked by a person", "人工评分"),
    "for_student": Text("for the student", "学生版"),
    "nobody": Text("Nobody is in the class yet.", "班级为空。"),
    "end_mistakes": Text("What they share (students):", "共同的错误（人数）："),
    "end_more": Text("and {count} other mistakes, in index.html", "另有 {count} 种错误，见 index.html"),
    "end_none": Text("Nobody holds: {names}", "无人做到：{names}"),
    "end_waiting": Text("{count} need a person: {names}", "{count} 份需人工处理：{names}"),
})  # fmt: skip


def words(lang: str) -> dict[str, str]:
    """All of them, their ``{parts}`` still open."""
    return {key: text.pick(lang) for key, text in _WORDS.items()}


def class_word(key: str, lang: str, **parts: object) -> str:
    """The words for ``key`` in ``lang``, their ``{parts}`` filled in."""
    return _WORDS[key].pick(lang).format(**parts)
