"""All formats say the same, and each is found in the table."""

from __future__ import annotations

import json

import pytest

from grader.document import dump, for_student, to_document
from grader.reports import RENDERERS, render
from grader.reports.words import OUTCOMES, STATUSES, WORDS, marks
from tests.reports.samples import graded


@pytest.mark.parametrize("form", sorted(RENDERERS))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_format_renders_both_forms_from_json_read_back(form: str, lang: str) -> None:
    staff = to_document(graded(lang=lang))
    for document in (staff, for_student(staff), for_student(staff, feedback="public")):
        assert render(form, json.loads(dump(document)), lang=lang) == render(form, document, lang=lang)


def test_json_is_the_document() -> None:
    document = to_document(graded())
    assert json.loads(render("json", document, lang="en")) == document


def test_every_word_is_there_in_both_languages() -> None:
    for table in (WORDS, OUTCOMES, STATUSES):
        assert all(text.en and text.zh for text in table.values())


@pytest.mark.parametrize(("value", "text"), [(17.0, "17"), (0.5, "0.5"), (16.67, "16.67"), (0.0, "0"), (20.0, "20")])
def test_marks_are_written_without_needless_zeros(value: float, text: str) -> None:
    assert marks(value) == text
