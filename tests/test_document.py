"""The report document: its schema, and the one place that chooses what a student sees."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.document import clean, dump, for_student, is_student_form, to_document, without_durations
from grader.model.course import Text
from grader.model.outcome import Outcome, Status
from grader.model.submission import Flag, Output, Remark
from tests.reports.samples import graded, not_gradable, result

SCHEMA = Draft202012Validator(json.loads(Path("grader/report.schema.json").read_text(encoding="utf-8")))


def problems(document: dict[str, Any]) -> list[str]:
    return [error.message for error in SCHEMA.iter_errors(document)]


@pytest.fixture
def staff() -> dict[str, Any]:
    return to_document(graded(), title="Attention")


def test_the_schema_is_a_schema() -> None:
    SCHEMA.check_schema(SCHEMA.schema)


@pytest.mark.parametrize("report", [graded(), not_gradable(), graded(lang="zh"), graded(tests=(), criteria=())])
@pytest.mark.parametrize("feedback", [None, "public", "criteria", "full"])
def test_every_form_fits_the_schema(report: Any, feedback: str | None) -> None:
    document = to_document(report)
    assert problems(for_student(document, feedback=feedback) if feedback else document) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("output"),
        lambda d: d.update(score=None),
        lambda d: d.update(status="not_gradable"),
        lambda d: d.update(extra=1),
        lambda d: d["tests"][0].pop("id"),
        lambda d: d["tests"][0].update(outcome="fine"),
        lambda d: d.pop("seed"),  # a student's form with a staff form's fields
    ],
)
def test_the_schema_refuses(spoil: Any, staff: dict[str, Any]) -> None:
    spoil(staff)
    assert problems(staff)


def test_keys_stand_in_the_order_of_the_format(staff: dict[str, Any]) -> None:
    assert " ".join(staff) == (
        "schema assignment title assignment_digest submission status score max_score reason seed lang isolation "
        "grader_version duration_s criteria tests diagnosis remarks flags definitions output"
    )


def test_marks_are_numbers_rounded_to_hundredths() -> None:
    document = to_document(graded(score=Fraction(50, 3), max_score=Fraction(20)))
    assert (document["score"], document["max_score"]) == (16.67, 20.0)
    assert isinstance(document["max_score"], float)


def test_only_a_graded_report_carries_a_score() -> None:
    assert to_document(graded(status=Status.GRADER_FAULT, score=Fraction(3), reason="ours"))["score"] is None


def test_texts_are_in_the_language_of_the_report() -> None:
    assert to_document(graded())["tests"][0]["note"] == "The scores are 3 times too large."
    assert to_document(graded(lang="zh"))["tests"][0]["note"] == "分数是应有值的 3 倍。"


def test_the_same_report_gives_the_same_bytes_apart_from_durations() -> None:
    slow = graded(duration_s=9.0, tests=tuple(result("scale", i, duration_s=float(i)) for i in range(3)))
    quick = graded(duration_s=0.1, tests=tuple(result("scale", i) for i in range(3)))
    assert dump(to_document(slow)) != dump(to_document(quick))
    assert dump(without_durations(to_document(slow))) == dump(without_durations(to_document(quick)))


def test_dump_is_utf8_even_where_a_text_holds_a_surrogate() -> None:
    document = to_document(graded(output=Output(stdout="\udcff 中文 \x00")))
    text = dump(document)
    assert text.endswith("}\n")
    assert "中文" in text
    assert json.loads(text.encode().decode()) == document


def test_long_texts_are_cut_and_say_by_how_much() -> None:
    assert clean("x" * 4_005) == "x" * 4_000 + " [... +5]"
    assert clean("x" * 4_000) == "x" * 4_000


def test_the_student_form_holds_nothing_of_the_hidden_run(staff: dict[str, Any]) -> None:
    form = for_student(staff)
    assert is_student_form(form)
    assert not is_student_form(staff)
    text = dump(form)
    for secret in ("20261129", "checks.py", "hidden: estimate", "hidden input", "/drop/"):
        assert secret not in text
        assert secret in dump(staff)


def test_a_student_sees_a_flag_only_where_it_costs_marks(staff: dict[str, Any]) -> None:
    assert [flag["detail"] for flag in for_student(staff)["flags"]] == ["torch.nn.MultiheadAttention"]


def test_a_hidden_test_is_not_named_as_what_blocks() -> None:
    blocked = result("scale", 1, Outcome.BLOCKED, blocked_by="checks.py::test_scale[0]")
    form = for_student(to_document(graded(tests=(blocked,))))
    assert form["tests"][0]["blocked_by"] is None
    assert for_student(to_document(graded()))["tests"][6]["blocked_by"] == "scale"


def test_full_feedback_keeps_notes_places_and_diagnosis(staff: dict[str, Any]) -> None:
    form = for_student(staff, feedback="full")
    assert form["tests"][0]["note"]
    assert form["tests"][0]["place"] == {"file": "attention.py", "line": 12, "cell": None}
    assert form["diagnosis"]


def test_criteria_feedback_tells_which_hold_but_not_what_hidden_checks_saw(staff: dict[str, Any]) -> None:
    form = for_student(staff, feedback="criteria")
    assert form["score"] == 17.0
    assert form["criteria"] == staff["criteria"]
    assert form["diagnosis"] == []
    assert form["remarks"] == staff["remarks"]
    assert form["tests"][0]["title"] == "Title of scale."
    assert (form["tests"][0]["note"], form["tests"][0]["place"]) == ("", None)
    assert "IndexError" not in dump(form)


@pytest.mark.parametrize("outcome", [Outcome.MISSING, Outcome.TIMED_OUT, Outcome.DIED, Outcome.OUT_OF_MEMORY])
def test_how_the_code_ended_is_told_before_release_too(outcome: Outcome) -> None:
    test = result("scale", 0, outcome, note=Text("did you mean 'attention_scores'?"))
    form = for_student(to_document(graded(tests=(test,))), feedback="criteria")
    assert "did you mean" in form["tests"][0]["note"]


def test_public_feedback_shows_public_checks_and_no_marks(staff: dict[str, Any]) -> None:
    form = for_student(staff, feedback="public")
    assert form["score"] is None
    assert form["criteria"] == form["diagnosis"] == form["flags"] == []
    assert [test["visibility"] for test in form["tests"]] == ["public"]
    assert "after release" in form["reason"]


def test_public_feedback_keeps_a_reason_there_was() -> None:
    form = for_student(to_document(not_gradable()), feedback="public")
    assert form["reason"] == "The archive holds no Python file."


def test_an_unknown_level_of_feedback_is_refused(staff: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="public, criteria, full"):
        for_student(staff, feedback="everything")


def test_choosing_leaves_the_staff_document_as_it_was(staff: dict[str, Any]) -> None:
    before = dump(staff)
    for feedback in ("public", "criteria", "full"):
        for_student(staff, feedback=feedback)
    assert dump(staff) == before


def test_remarks_and_flags_are_bounded_and_what_costs_marks_stays() -> None:
    flags = (*(Flag("odd", str(n)) for n in range(300)), Flag("forbidden_call", "torch.add", costs=Fraction(1)))
    document = to_document(graded(flags=flags, remarks=tuple(Remark(Text(str(n))) for n in range(201))))
    assert problems(document) == []
    assert len(document["flags"]) == len(document["remarks"]) == 200
    assert document["flags"][0]["costs"] == 1
    assert [flag["kind"] for flag in for_student(document)["flags"]] == ["forbidden_call"]
    assert document["remarks"][-1]["text"] == "... and 2 more remarks"


def test_flags_within_bounds_keep_their_order() -> None:
    kinds = ["b", "a", "c"]
    document = to_document(graded(flags=tuple(Flag(kind, "x") for kind in kinds)))
    assert [flag["kind"] for flag in document["flags"]] == kinds


@pytest.mark.parametrize(
    "value",
    [{}, [], {"a": {}, "b": [], "c": [[], {}]}, {"t": True, "n": None, "i": -3, "f": 0.1, "e": 1e300, "s": 'a"\\\n\t'},
     {"zh": "中文 é 😀", "low": "\x00\x1f", "deep": [[[{"x": ["y"]}]]]}],
)  # fmt: skip
def test_a_document_is_dumped_as_json_has_it(value: Any) -> None:
    assert dump(value) == json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def test_what_is_no_number_in_json_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        dump({"score": float("nan")})
