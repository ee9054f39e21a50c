"""The report as Gradescope's ``results.json``: a test for each line of the rubric, and no leaderboard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.reports import markdown
from grader.reports.outline import Line, outline, reason, why
from grader.reports.untrusted import one_line
from grader.reports.words import STATUSES, marks, word

VISIBLE, HIDDEN, LATER = "visible", "hidden", "after_published"
_OUTPUT_LIMIT = 100_000  # characters of one output
_TROUBLES_SHOWN = 4
_WORDS: Mapping[str, Text] = {
    "report": Text("The whole report", "完整报告"),
    "public": Text("Public checks", "公开检查"),
    "fault": Text(
        "Not graded yet: the grader failed, which is not your fault. Nothing is lost. Staff can run it again.",
        "尚未评分：评分程序出错，与你无关，没有任何损失。教师可以重新运行。",
    ),
    "stands": Text("The score of your last submission stands: {score}.", "上一次提交的分数仍然有效：{score}。"),
    "late": Text("Handed in {days} day(s) after the due date.", "在截止时间后 {days} 天提交。"),
    "held": Text("holds", "满足"),
}  # fmt: skip


def results(
    now: Mapping[str, Any], later: Mapping[str, Any], *, lang: str, late_days: int | None = None,
    score_before: float | None = None, extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """``now`` is the student's form until marks are published, ``later`` the one afterwards: each test says when.

    Always a document the platform takes. Where the grader failed, the last score stands or, for the platform knows no
    blank, a zero whose total nobody is shown; `extra` then says ``grader_fault``.
    """
    facts = {"status": later["status"], "assignment": later["assignment"], "late_days": late_days, **(extra or {})}
    if later["status"] == Status.GRADER_FAULT:
        return _fault(facts, score_before, lang)
    shown = {key: _text(block) for key, block in _outputs(now, later, late_days, lang).items()}
    tests = [*_criteria(now, later, lang), *_public(now, lang), *_whole(now, later, shown, lang)]
    return _with_head(later["score"] or 0.0, shown["output"], tests, facts, later["duration_s"])


def failed(*, lang: str, score_before: float | None = None, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The results where there is no document at all: our own failure, said as such."""
    return _fault({"status": str(Status.GRADER_FAULT), **(extra or {})}, score_before, lang)


def dump(found: Mapping[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _with_head(
    score: float, output: str, tests: list[dict[str, Any]], extra: Mapping[str, Any], seconds: float = 0.0
) -> dict[str, Any]:
    return {
        "score": score,
        "execution_time": round(seconds, 3),
        "output": output,
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": VISIBLE,
        "stdout_visibility": HIDDEN,
        "extra_data": dict(extra),
        "tests": tests,
    }


def _fault(extra: Mapping[str, Any], score_before: float | None, lang: str) -> dict[str, Any]:
    said = _WORDS["fault"].pick(lang)
    if score_before is not None:
        said += " " + _WORDS["stands"].pick(lang).format(score=marks(score_before))
    told = {"name": STATUSES["grader_fault"].pick(lang), "status": "failed", "output": said, "visibility": VISIBLE}
    # One hidden test hides the total: a zero that is no verdict is shown to nobody.
    unseen = {"name": "grader_fault", "status": "failed", "output": "run it again", "visibility": HIDDEN}
    return _with_head(score_before or 0.0, said, [told, unseen], extra)


def _outputs(
    now: Mapping[str, Any], later: Mapping[str, Any], late_days: int | None, lang: str
) -> dict[str, list[str]]:  # fmt: skip
    blocks = []
    if later["status"] != Status.GRADED:
        blocks.append(f"**{STATUSES[later['status']].pick(lang)}**")
    if said := reason(now):
        blocks.append(markdown.inline(said))
    blocks += [f"- {markdown.inline(remark['text'])}" for remark in now["remarks"][:30]]
    if late_days:
        blocks.append(_WORDS["late"].pick(lang).format(days=late_days))
    return {"output": blocks, "report": [markdown.render(later, lang=lang)]}


def _criteria(now: Mapping[str, Any], later: Mapping[str, Any], lang: str) -> Iterator[dict[str, Any]]:
    """The lines of the rubric. Where no marks are shown yet, they wait with them."""
    known = {criterion["id"] for criterion in later["criteria"]}
    open_now = bool(now["criteria"])
    for number, line in enumerate(outline(now if open_now else later, lang), 1):
        if line.id in known:
            yield {
                "score": line.points,
                "max_score": line.max_points,
                "status": "passed" if line.held else "failed",
                "name": one_line(line.title),
                "name_format": "text",
                "number": str(number),
                "output": _text(_about(line, lang)),
                "output_format": "md",
                "tags": [line.id],
                "visibility": VISIBLE if open_now else LATER,
            }


def _about(line: Line, lang: str) -> list[str]:
    if line.held:
        return [_WORDS["held"].pick(lang)]
    said = [f"- {markdown.inline(why(trouble, lang))}" + (f" ({markdown.code(trouble.where)})" if trouble.where else "")
            for trouble in line.troubles[:_TROUBLES_SHOWN]]  # fmt: skip
    hint = [f"{word('next', lang)}: {markdown.inline(line.hint)}"] if line.hint else []
    return ["\n".join(said), *hint]


def _public(now: Mapping[str, Any], lang: str) -> Iterator[dict[str, Any]]:
    """Where only these may be seen: they carry no marks, so they have no score."""
    public = [] if now["criteria"] else [test for test in now["tests"] if test["visibility"] == "public"]
    if public:
        passed = [test["outcome"] == Outcome.PASSED for test in public]
        said = word("public_passed", lang, passed=sum(passed), all=len(passed))
        troubles = [f"- {markdown.inline(test['title'])}: {markdown.inline(test['note'])}"
                    for test in public if test["outcome"] != Outcome.PASSED]  # fmt: skip
        yield {
            "name": _WORDS["public"].pick(lang),
            "status": "passed" if all(passed) else "failed",
            "output": _text([said, *troubles]),
            "output_format": "md",
            "visibility": VISIBLE,
        }


def _whole(
    now: Mapping[str, Any], later: Mapping[str, Any], shown: Mapping[str, str], lang: str
) -> Iterator[dict[str, Any]]:
    """Diagnosis and all, as soon as it may be seen."""
    at_once = bool(now["criteria"]) and now["diagnosis"] == later["diagnosis"] and now["tests"] == later["tests"]
    if later["criteria"]:
        yield {
            "name": _WORDS["report"].pick(lang),
            "output": shown["report"],
            "output_format": "md",
            "visibility": VISIBLE if at_once else LATER,
        }


def _text(blocks: list[str]) -> str:
    text = "\n\n".join(blocks)
    return text if len(text) <= _OUTPUT_LIMIT else f"{text[:_OUTPUT_LIMIT]} [...]"
