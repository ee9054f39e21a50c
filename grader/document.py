"""The report as plain data (schema ``grader.report/1``) and the one place that chooses what a student sees.

Every format renders from such a document alone, so a report kept as JSON can be shown again years later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any, TypeVar

from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.report import SCHEMA, CriterionScore, Finding, GradeReport, TestResult
from grader.model.submission import Definition, Flag, Place, Remark

Document = dict[str, Any]
_Entry = TypeVar("_Entry")

NOTE_LIMIT = 4_000  # characters of one text for a student
DETAIL_LIMIT = 20_000  # characters of one text for staff
OUTPUT_LIMIT = 1_000_000  # characters of one stream of output
ENTRIES_LIMIT = 200  # remarks, and flags: a hand-in can cause one with every line
FEEDBACK = ("public", "criteria", "full")

# How the code ended, and names that are absent: facts about the file that no re-enactment is needed for.
_PLAIN_ENDINGS = frozenset({
    Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.DIED, Outcome.MISSING,
    Outcome.NOT_ATTEMPTED, Outcome.BLOCKED, Outcome.GRADER_FAULT,
})  # fmt: skip
# Controls (those below a blank are JSON's business), zero-width and bidirectional marks, tags; `##[` and `##vso[`.
_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    r"|#(?=#\w*\[)"
)
_LEAF = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_SURROGATES = re.compile("[\ud800-\udfff]")
_WITHHELD = Text(
    en="The marks and the hidden checks are shown after release; these are the public checks.",
    zh="分数与隐藏检查在公布之后可见；这里只有公开检查。",
)


def to_document(report: GradeReport, *, title: str = "") -> Document:
    """The staff form of ``report``: everything that is known, texts in the report's language.

    ``title`` is the assignment's title in that language. Texts are cut (visibly) at their limits
    and hold no surrogates, so the result always encodes as UTF-8.
    """
    pick = _picker(report.lang)
    return {
        "schema": SCHEMA,
        "assignment": report.assignment,
        "title": clean(title),
        "assignment_digest": report.assignment_digest,
        "submission": _submission(report.submission),
        "status": str(report.status),
        "score": None if report.score is None or report.status is not Status.GRADED else _marks(report.score),
        "max_score": _marks(report.max_score),
        "reason": None if report.reason is None else clean(report.reason),
        "seed": report.seed,
        "lang": report.lang,
        "isolation": {"level": report.isolation.level, "walls": list(report.isolation.walls)},
        "grader_version": report.grader_version,
        "duration_s": _seconds(report.duration_s),
        "criteria": [_criterion(criterion) for criterion in report.criteria],
        "tests": [_test(test, pick) for test in report.tests],
        "diagnosis": [_finding(finding) for finding in report.diagnosis],
        "remarks": [_remark(remark, pick) for remark in _within(report.remarks, _more_remarks)],
        "flags": [_flag(flag) for flag in _within(sorted(report.flags, key=_is_free), _more_flags)],
        "definitions": [_definition(definition, pick) for definition in report.definitions],
        "output": {
            "stdout": clean(report.output.stdout, OUTPUT_LIMIT),
            "stderr": clean(report.output.stderr, OUTPUT_LIMIT),
            "truncated": report.output.truncated,
        },
    }


def for_student(document: Mapping[str, Any], *, feedback: str = "full") -> Document:
    """The student's form of a staff document, at one of the ``feedback`` levels of ``course.yaml``.

    ``full`` shows everything a student may ever see; ``criteria`` which criteria hold, without what
    the hidden checks saw and without diagnosis; ``public`` the public checks alone, without marks.
    Raises ``ValueError`` for another level. Giving it a student's form changes nothing but the level.
    """
    if feedback not in FEEDBACK:
        raise ValueError(f"feedback is one of {', '.join(FEEDBACK)}, not {feedback!r}")
    form = {key: value for key, value in document.items() if key not in ("seed", "output")}
    form["submission"] = {key: value for key, value in document["submission"].items() if key != "origin"}
    form["flags"] = [flag for flag in document["flags"] if flag["costs"] > 0]
    known = {criterion["id"] for criterion in document["criteria"]}
    form["tests"] = [_student_test(test, feedback, known) for test in document["tests"]]
    if feedback != "full":
        form["diagnosis"] = []
    if feedback == "public":
        form.update(_without_marks(form))
        form.pop("late", None)
    return form


def dump(document: Mapping[str, Any]) -> str:
    """The document as JSON: keys in the schema's order, one blank of indent, UTF-8 as it is, a final newline.

    Characters that would move a terminal's cursor, hide or reorder, and what a CI service would take for a command
    to itself, are written as JSON's own escapes: the same document, safe to print.
    """
    return _UNSAFE.sub(_escaped, _indented(document, "\n")) + "\n"


def _indented(value: Any, line: str) -> str:
    """What ``json.dumps`` gives with ``indent=1, ensure_ascii=False, allow_nan=False``, several times quicker."""
    if isinstance(value, dict) and value:
        inner = line + " "
        pairs = [f"{_as_json(key)}: {_indented(item, inner)}" for key, item in value.items()]
        return "{" + inner + f",{inner}".join(pairs) + line + "}"
    if isinstance(value, list | tuple) and value:
        inner = line + " "
        return "[" + inner + f",{inner}".join([_indented(item, inner) for item in value]) + line + "]"
    return _as_json(value)


def _as_json(value: Any) -> str:
    return encode_basestring(value) if type(value) is str else _LEAF.encode(value)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[i] << 8 | units[i + 1]:04x}" for i in range(0, len(units), 2))


def is_student_form(document: Mapping[str, Any]) -> bool:
    """True of a document that went through `for_student`: it holds no seed."""
    return "seed" not in document


def without_durations(value: Any) -> Any:
    """A copy of a document without any ``duration_s``: what two gradings of the same thing share."""
    if isinstance(value, Mapping):
        return {key: without_durations(item) for key, item in value.items() if key != "duration_s"}
    if isinstance(value, list):
        return [without_durations(item) for item in value]
    return value


def clean(text: str, limit: int | None = NOTE_LIMIT) -> str:
    """``text`` without surrogates, cut to ``limit`` characters with the cut marked and measured."""
    text = _SURROGATES.sub("\ufffd", text)
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]} [... +{len(text) - limit}]"


def _within(entries: Sequence[_Entry], more: Callable[[int], _Entry]) -> list[_Entry]:
    """At most ``ENTRIES_LIMIT`` of them, the last then saying how many there were."""
    if len(entries) <= ENTRIES_LIMIT:
        return list(entries)
    return [*entries[: ENTRIES_LIMIT - 1], more(len(entries) - ENTRIES_LIMIT + 1)]


def _more_remarks(left: int) -> Remark:
    return Remark(Text(f"... and {left} more remarks", f"……还有 {left} 条说明"))


def _more_flags(left: int) -> Flag:
    return Flag("more", f"... and {left} more flags")


def _is_free(flag: Flag) -> bool:
    return flag.costs == 0


def _picker(lang: str) -> Callable[[Text | None], str]:
    return lambda text: "" if text is None else clean(text.pick(lang))


def _marks(marks: Fraction) -> float:
    return float(round(marks, 2))


def _seconds(seconds: float) -> float:
    return round(seconds, 6)


def _submission(submission: Mapping[str, object]) -> dict[str, Any]:
    students, files = submission.get("students", ()), submission.get("files", ())
    form: dict[str, Any] = {
        "id": clean(str(submission.get("id", ""))),
        "students": [clean(str(student)) for student in students] if isinstance(students, Iterable) else [],
        "fingerprint": clean(str(submission.get("fingerprint", ""))),
        "files": [_file(file) for file in files] if isinstance(files, Iterable) else [],
    }
    if "origin" in submission:
        form["origin"] = clean(str(submission["origin"]))
    return form


def _file(file: Mapping[str, object]) -> dict[str, str]:
    return {"path": clean(str(file["path"])), "sha256": str(file["sha256"])}


def _criterion(criterion: CriterionScore) -> dict[str, Any]:
    return {
        "id": criterion.id,
        "title": clean(criterion.title),
        "points": _marks(criterion.points),
        "max_points": _marks(criterion.max_points),
        "hint": clean(criterion.hint),
    }


def _test(test: TestResult, pick: Callable[[Text | None], str]) -> dict[str, Any]:
    return {
        "id": test.id,
        "criterion": test.criterion,
        "title": pick(test.title),
        "outcome": str(test.outcome),
        "visibility": test.visibility,
        "blocked_by": test.blocked_by,
        "note": pick(test.note),
        "detail": clean(test.detail, DETAIL_LIMIT),
        "function": test.function,
        "place": _place(test.place),
        "duration_s": _seconds(test.duration_s),
        **({"inherited": True} if test.inherited else {}),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": clean(place.file), "line": place.line, "cell": place.cell}


def _finding(finding: Finding) -> dict[str, Any]:
    mended = finding.score_if_mended
    return {
        "faults": list(finding.faults),
        "function": finding.function,
        "explains": finding.explains,
        "of": finding.of,
        "text": clean(finding.text),
        "score_if_mended": None if mended is None else _marks(mended),
        "examples": [clean(example) for example in finding.examples],
    }


def _spot(place: Place | None) -> dict[str, Any]:
    found = {} if place is None else {"file": clean(place.file), "line": place.line}
    return found if place is None or place.cell is None else found | {"cell": place.cell}


def _remark(remark: Remark, pick: Callable[[Text | None], str]) -> dict[str, Any]:
    return {"text": pick(remark.text), **_spot(remark.place)}


def _flag(flag: Flag) -> dict[str, Any]:
    return {"kind": flag.kind, "detail": clean(flag.detail), **_spot(flag.place), "costs": _marks(flag.costs)}


def _definition(definition: Definition, pick: Callable[[Text | None], str]) -> dict[str, Any]:
    return {
        "name": definition.name,
        "state": definition.state,
        "place": _place(definition.place),
        "bound_as": clean(definition.bound_as),
        "note": pick(definition.note),
    }


def _student_test(test: Mapping[str, Any], feedback: str, criteria: set[str]) -> dict[str, Any]:
    form = {key: value for key, value in test.items() if key not in ("id", "detail", "inherited")}
    if form["blocked_by"] not in criteria:
        form["blocked_by"] = None  # anything but a rubric line would name a hidden test
    open_to_all = test["visibility"] == "public" or test["outcome"] in _PLAIN_ENDINGS
    if feedback != "full" and not open_to_all:
        form.update({"note": "", "place": None})
    return form


def _without_marks(form: Mapping[str, Any]) -> dict[str, Any]:
    graded = form["status"] == Status.GRADED
    return {
        "score": None,
        "reason": form["reason"] or (_WITHHELD.pick(str(form["lang"])) if graded else None),
        "criteria": [],
        "tests": [test for test in form["tests"] if test["visibility"] == "public"],
        "flags": [],
    }
