"""The Markdown report, read back by a CommonMark parser: what is shown, and that nothing in it acts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.document import for_student, to_document
from grader.reports.markdown import code, fenced, inline, render
from grader.reports.untrusted import one_line
from tests.reports.hostile import TEXTS, spoiled
from tests.reports.samples import graded, not_gradable

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(text: str) -> list[Token]:
    flat = []
    for token in PARSER.parse(text):
        flat.append(token)
        flat.extend(token.children or [])
    return flat


def in_the_open(text: str) -> str:
    """What stands outside of code, as a reader (or a platform looking for mentions) sees it."""
    return "\n".join(token.content for token in tokens(text) if token.type == "text")


@pytest.fixture
def student() -> dict[str, Any]:
    return for_student(to_document(graded(), title="Attention"))


def test_it_leads_with_the_score_and_gives_each_loss_its_reason_place_and_hint(student: dict[str, Any]) -> None:
    text = render(student, lang="en")
    assert text.startswith("# Attention\n")
    assert text.index("**Score 17 / 20**") < text.index("Read this first") < text.index("Marks lost")
    lost = text[text.index("`scale`") : text.index("`mask_blocks`")]
    for part in ("0/2", "(2 checks)", "3 times too large", "`attention.py:12`", "What does D do?", "grader hint"):
        assert part in text
        assert part in lost or part == "0/2"
    assert text.count("3 times too large") == 1


def test_the_caret_survives_in_a_code_block(student: dict[str, Any]) -> None:
    blocks = [token.content for token in tokens(render(student, lang="en")) if token.type == "fence"]
    assert blocks[0].splitlines()[1:] == ["    scores = (q @", "             ^"]


def test_practice_is_stamped(student: dict[str, Any]) -> None:
    assert "PRACTICE" in in_the_open(render(student, lang="en"))


def test_staff_see_the_hidden_run_and_students_do_not(student: dict[str, Any]) -> None:
    staff = render(to_document(graded()), lang="en")
    for secret in ("20261129", "checks.py::test_scale[0]", "hidden: estimate 3.0", "hidden input 0.123"):
        assert secret in staff
        assert secret not in render(student, lang="en")


def test_not_gradable_says_why() -> None:
    text = render(for_student(to_document(not_gradable())), lang="zh")
    assert "无法评分" in text
    assert "The archive holds no Python file." in text


def acting(text: str) -> list[str]:
    """Token types that would do something on a page, or be a block that the report itself never makes."""
    never = {"link_open", "image", "html_inline", "html_block", "table_open", "hr", "ordered_list_open", "code_block",
             "s_open", "em_open"}  # fmt: skip
    return [token.type for token in tokens(text) if token.type in never]


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_is_inert(name: str) -> None:
    document = spoiled(TEXTS[name])
    for form in (document, for_student(document)):
        text = render(form, lang="en")
        assert acting(text) == []
        assert [t.content for t in tokens(text) if t.type == "heading_open" and t.tag == "h4"] == []
        open_text = in_the_open(text)
        for trigger in ("@octocat", "@x.example", "://", "www.", "#12", "GH-3", "$x$"):
            assert trigger not in open_text
        assert "\x1b" not in text


def test_hostile_headings_do_not_become_headings() -> None:
    text = render(for_student(spoiled(TEXTS["fence"])), lang="en")
    shown = tokens(text)
    headings = [shown[i + 1].content for i, token in enumerate(shown) if token.type == "heading_open"]
    assert not any("Not a heading" in heading for heading in headings[1:])


@given(st.text(max_size=120))
@settings(max_examples=200, deadline=None)
def test_a_code_span_holds_any_text(text: str) -> None:
    children = PARSER.parseInline("before " + code(text) + " after")[0].children or []
    assert [child.type for child in children] == ["text", "code_inline", "text"]


@given(st.text(alphabet="ab`~\n >#-<&", max_size=80))
@settings(max_examples=200, deadline=None)
def test_a_fence_holds_any_text(text: str) -> None:
    assert [token.type for token in PARSER.parse(fenced(text) + "\nafter")] == [
        "fence", "paragraph_open", "inline", "paragraph_close",
    ]  # fmt: skip


@given(st.text(alphabet="ab `*_[]()<>&~!\\@#:/.w$|", max_size=60))
@settings(max_examples=300, deadline=None)
def test_inline_text_reads_as_it_was_written(text: str) -> None:
    children = PARSER.parseInline("x " + inline(text) + " x")[0].children or []
    assert {child.type for child in children} <= {"text", "code_inline"}
    read = "".join(child.content for child in children)
    assert read.split() == ["x", *one_line(text).split(), "x"]
