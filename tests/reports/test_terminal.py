"""The terminal report: what a learner sees first, and what no text of theirs can do to a terminal."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.commands.console import cells
from grader.document import for_student, to_document
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.report import Isolation
from grader.model.submission import Remark
from grader.reports.terminal import render
from tests.reports.hostile import TEXTS, spoiled
from tests.reports.samples import LINE, graded, not_gradable, result


@pytest.fixture
def student() -> dict[str, Any]:
    return for_student(to_document(graded(), title="Attention"))


def test_score_then_lost_criteria_with_why_where_and_next(student: dict[str, Any]) -> None:
    lines = [line.strip() for line in render(student, lang="en").splitlines()]
    assert lines[1].startswith("Score 17 / 20")
    start = next(i for i, line in enumerate(lines) if line.endswith("scale  Scores are divided by sqrt(D)"))
    block = "\n".join(lines[start : start + 5])
    assert re.search(r"why +The scores are 3 times too large\.  \(2 checks\)", block)
    assert re.search(r"where +attention\.py:12", block)
    assert re.search(r"next +What does D do\?", block)
    assert "grader hint attention scale" in block


def test_a_note_is_said_once(student: dict[str, Any]) -> None:
    assert render(student, lang="en").count("3 times too large") == 1


def test_criteria_lost_for_the_same_reason_are_told_together() -> None:
    tests = tuple(
        result(name, 0, Outcome.NOT_ATTEMPTED, note=Text("attention_scores is not written yet"), place=LINE)
        for name in ("scale", "mask_blocks")
    )
    text = render(for_student(to_document(graded(tests=tests)), feedback="criteria"), lang="en")
    assert text.count("is not written yet") == 1
    lines = text.splitlines()
    start = lines.index("✗ 0/2  scale  Scores are divided by sqrt(D)")
    assert lines[start + 1].startswith("◐ 2/3  mask_blocks")
    assert "is not written yet" in lines[start + 2]


def test_hidden_reasons_do_not_make_criteria_alike() -> None:
    tests = tuple(result(name, 0, Outcome.FAILED, note=Text("secret")) for name in ("scale", "mask_blocks"))
    lines = render(for_student(to_document(graded(tests=tests)), feedback="criteria"), lang="en").splitlines()
    start = lines.index("✗ 0/2  scale  Scores are divided by sqrt(D)")
    assert "Title of scale." in lines[start + 1]


def test_public_checks_are_counted_where_there_are_no_marks() -> None:
    tests = (
        result("scale", 0, visibility="public"),
        result("mask_blocks", 0, Outcome.FAILED, visibility="public", note=Text("no")),
    )
    text = render(for_student(to_document(graded(tests=tests)), feedback="public"), lang="en")
    assert "1 of 2 public checks passed" in text
    assert "17" not in text


def test_notes_that_differ_in_numbers_alone_are_one() -> None:
    notes = ("3 of 9 entries are wrong", "12 of 144 entries are wrong", "the error is 1.5e-3", "the error is -0.25")
    tests = tuple(result("scale", i, Outcome.FAILED, note=Text(note)) for i, note in enumerate(notes))
    text = render(for_student(to_document(graded(tests=tests))), lang="en")
    assert "3 of 9 entries are wrong  (2 checks)" in text
    assert "the error is 1.5e-3  (2 checks)" in text
    assert "144" not in text


def test_a_reason_that_a_remark_gives_is_said_once() -> None:
    text = render(to_document(graded(reason="it cannot be read", remarks=(Remark(Text("it cannot be read"), LINE),))),
                  lang="en")  # fmt: skip
    assert text.count("it cannot be read") == 1


def test_a_long_title_continues_under_itself(student: dict[str, Any]) -> None:
    student["criteria"][0]["title"] = "word " * 30
    lines = render(student, lang="en", width=80).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("✗ 0/2  scale  word"))
    assert lines[start + 1].index("word") == lines[start].index("word")


def test_a_notebook_place_names_the_cell(student: dict[str, Any]) -> None:
    assert "attention.ipynb, cell 3, line 4" in render(student, lang="en")


def test_what_held_takes_one_line_and_no_hint(student: dict[str, Any]) -> None:
    text = render(student, lang="en")
    assert [line for line in text.splitlines() if "weighted_values" in line] == [
        "✓ 15/15  weighted_values  Weights mix values"
    ]
    assert "Unused hint" not in text


def test_remarks_and_diagnosis_stand_above_the_rubric(student: dict[str, Any]) -> None:
    text = render(student, lang="en")
    order = [text.index(part) for part in ("Score", "SyntaxError", "The division by", "19 of 20", "Marks lost")]
    assert order == sorted(order)


def test_the_caret_stays_under_its_line(student: dict[str, Any]) -> None:
    lines = render(student, lang="en").splitlines()
    caret = next(i for i, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret - 1][lines[caret].index("^")] == "("


def test_practice_is_stamped_and_isolated_is_not() -> None:
    assert "PRACTICE" in render(to_document(graded()), lang="en")
    isolated = to_document(graded(isolation=Isolation("isolated", ("seccomp",))))
    assert "PRACTICE" not in render(isolated, lang="en")


def test_blocked_names_what_has_to_hold_first() -> None:
    tests = (result("scale", 0, Outcome.BLOCKED, blocked_by="mask_blocks"),)
    assert "'mask_blocks' has to hold first" in render(to_document(graded(tests=tests)), lang="en")


def test_a_criterion_that_waits_for_itself_is_told_by_its_failure_alone() -> None:
    tests = (
        result("scale", 0, Outcome.FAILED, note=Text("too large")),
        result("scale", 1, Outcome.BLOCKED, blocked_by="scale"),
    )
    text = render(for_student(to_document(graded(tests=tests))), lang="en")
    assert "too large" in text
    assert "has to hold first" not in text


def test_not_gradable_says_why_and_shows_no_marks() -> None:
    text = render(for_student(to_document(not_gradable())), lang="en")
    assert "The archive holds no Python file." in text
    assert "Score" not in text


def test_staff_see_the_hidden_run_and_students_do_not(student: dict[str, Any]) -> None:
    staff = render(to_document(graded()), lang="en")
    for secret in ("20261129", "checks.py::test_scale[0]", "hidden: estimate 3.0", "hidden input 0.123"):
        assert secret in staff
        assert secret not in render(student, lang="en")


def test_many_different_notes_are_shortened_for_students_only() -> None:
    tests = tuple(result("scale", i, Outcome.FAILED, note=Text(f"note {name}.")) for i, name in enumerate("abcdefghi"))
    document = to_document(graded(tests=tests))
    short, whole = render(for_student(document), lang="en"), render(document, lang="en")
    assert "note d." in short
    assert "note e." not in short
    assert "and 5 more" in short
    assert "note i." in whole


def test_chinese_report_speaks_chinese() -> None:
    text = render(for_student(to_document(graded(lang="zh"))), lang="zh")
    for part in ("得分 17 / 20", "原因", "位置", "下一步", "练习模式", "分数是应有值的 3 倍。"):
        assert part in text


def test_plain_has_no_boxes_bars_or_escapes_and_one_line_a_fact(student: dict[str, Any]) -> None:
    student["criteria"][0]["hint"] = "word " * 60
    text = render(student, lang="en", plain=True, width=40)
    assert text.isascii()
    assert "\x1b" not in text
    assert "  next: " + ("word " * 60).strip() in text.splitlines()


def test_colour_only_where_asked_for(student: dict[str, Any]) -> None:
    assert "\x1b[" in render(student, lang="en", color=True)
    assert "\x1b[" not in render(student, lang="en")


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_line_is_wider_than_the_terminal(width: int, lang: str) -> None:
    document = to_document(graded(lang=lang))
    assert max(cells(line) for line in render(document, lang=lang, width=width).splitlines()) <= width


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "cp1252", "ascii", "cp437", "no-such-encoding", None])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_any_console_can_show_it(encoding: str | None, lang: str) -> None:
    document = to_document(graded(lang=lang, remarks=()), title="注意力 ✓")
    text = render(document, lang=lang, encoding=encoding)
    known = encoding if encoding in ("utf-8", "gbk", "cp1252", "cp437") else "ascii"
    assert text.encode(known)
    assert "17 / 20" in text


HARMLESS = re.compile(r"\x1b\[[0-9;]*m|\n")


def hidden_characters(text: str) -> set[str]:
    return {char for char in HARMLESS.sub("", text) if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("plain", [False, True])
def test_hostile_text_moves_nothing(name: str, plain: bool) -> None:
    document = spoiled(TEXTS[name])
    for form in (document, for_student(document)):
        text = render(form, lang="en", plain=plain)
        assert hidden_characters(text) == set()
        assert "\x1b" not in text
        assert len(text) < 60_000  # each text is cut, so the whole stays readable


def test_hostile_markup_is_shown_as_it_is() -> None:
    assert "[bold red]x[/bold red]" in render(spoiled(TEXTS["markup"]), lang="en", width=200)


def test_a_cut_is_visible() -> None:
    assert re.search(r"\[\.\.\.\s+\+\d+\]", render(spoiled(TEXTS["long"]), lang="en"))


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_text_at_all_hides_or_moves_anything(text: str) -> None:
    shown = render(spoiled(text), lang="en", color=True)
    assert hidden_characters(shown) == set()
    assert shown.encode()
