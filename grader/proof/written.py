"""The claims that can be read off an assignment's files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.diagnosis.faults import Fault
from grader.leakage import leaks
from grader.model.course import Assignment, Course, Text
from grader.proof.facts import Proof

_HANDOUTS: Mapping[str, str] = {"en": "README.md", "zh": "README.zh.md"}
_CHINESE = re.compile("[\u4e00-\u9fff]")


def written(course: Course, assignment: Assignment, faults: Sequence[Fault]) -> Iterator[Proof]:
    """Texts are complete; nothing of the solution is given away."""
    claim = Text("every text is there, in every language", "每种语言的文字都齐全")
    problems = (*_missing_texts(course, assignment), *_weak_fault_texts(course, faults))
    yield Proof(assignment.name, claim, problems)
    if assignment.reference is not None:
        solution = (assignment.reference / "solution.py").read_text(encoding="utf-8")
        published = assignment.folder.parent
        found = tuple(
            Text(f"{leak.file.relative_to(published.parent)}:{leak.line}: {leak.statement}")
            for leak in leaks(solution, published)
        )
        claim = Text("nothing of the solution stands in what students get", "发给学生的材料不含答案语句")
        yield Proof(assignment.name, claim, found)


def _missing_texts(course: Course, assignment: Assignment) -> Iterator[Text]:
    for file in (*(_HANDOUTS[lang] for lang in course.languages), "checks_public.py"):
        path = assignment.folder / file
        if not path.is_file() or not path.read_text(encoding="utf-8").strip():
            place = f"assignments/{assignment.name}/{file}"
            yield Text(f"{place} is missing or empty", f"{place} 不存在或为空")
    if "zh" in course.languages:
        for what, text in _texts(assignment):
            yield from _not_chinese(what, text)
    for criterion in assignment.criteria:
        if len({hint.en for hint in criterion.hints}) < len(criterion.hints):
            yield Text(f"{criterion.id}: two steps of the hint say the same", f"{criterion.id}：有两条提示内容相同")


def _texts(assignment: Assignment) -> Iterator[tuple[str, Text]]:
    yield "title", assignment.title
    for criterion in assignment.criteria:
        yield f"{criterion.id}: title", criterion.title
        yield from ((f"{criterion.id}: hint {n}", hint) for n, hint in enumerate(criterion.hints, start=1))


def _weak_fault_texts(course: Course, faults: Sequence[Fault]) -> Iterator[Text]:
    """Each known mistake is told in words of its own."""
    told: dict[str, str] = {}
    for fault in faults:
        if not fault.text.en.strip():
            yield Text(f"{fault.id}: there is no text", f"{fault.id}：没有文字说明")
        elif fault.text.en in told:
            yield Text(
                f"{fault.id}: the same text as {told[fault.text.en]}",
                f"{fault.id}：与 {told[fault.text.en]} 的文字相同",
            )
        told.setdefault(fault.text.en, fault.id)
        if "zh" in course.languages:
            yield from _not_chinese(fault.id, fault.text)


def _not_chinese(what: str, text: Text) -> Iterator[Text]:
    if not _CHINESE.search(text.zh):
        yield Text(
            f"{what}: the Chinese text holds no Chinese: {text.zh!r}", f"{what}：中文文字里没有汉字：{text.zh!r}"
        )
