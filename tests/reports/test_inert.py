"""Every renderer, and the gradebook, over any text: the output parses, moves nothing and stays within bounds."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.document import dump, for_student, to_document
from grader.gradebook.guard import guarded
from grader.gradebook.standings import standings_from
from grader.gradebook.wide import grades_csv
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.submission import Flag, Place, Remark
from grader.reports import RENDERERS, render
from tests.reports.hostile import TEXTS, spoiled
from tests.reports.samples import graded, result
from tests.reports.test_markdown import acting, tokens
from tests.reports.test_untrusted import commands_in

NASTY = st.text(max_size=60) | st.text(
    alphabet="=+-@;:#![]()<>&|`*_~\\'\" \n\t\r\x00\x1b\x9b\u202e\u200b\ufeff\ud800ae1", max_size=60
)
HIDING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def hidden(text: str) -> set[str]:
    return {char for char in text if char != "\n" and unicodedata.category(char) in HIDING}


@pytest.mark.parametrize("form", RENDERERS)
@given(text=NASTY)
@example(text="::error::x")
@example(text="##[error]x")
@example(text="# heading")
@example(text="- item")
@example(text="1. item")
@settings(max_examples=60, deadline=None)
def test_any_text_is_inert_in_every_format(form: str, text: str) -> None:
    staff = spoiled(text)
    for document in (staff, for_student(staff)):
        shown = render(form, document, lang="en")
        assert shown.encode()
        assert hidden(shown) == set()
        assert commands_in(shown, folded=form != "json") == []
        PARSES[form](shown, document)


def _json(shown: str, document: Any) -> None:
    assert json.loads(shown) == document


def _xml(shown: str, document: Any) -> None:
    assert Xml.fromstring(shown.encode()).tag == "testsuites"


def _markdown(shown: str, document: Any) -> None:
    assert acting(shown) == []
    plain = spoiled("word") if "seed" in document else for_student(spoiled("word"))
    assert headings(shown) == headings(render("markdown", plain, lang="en"))


def headings(text: str) -> list[str]:
    shown = tokens(text)
    return [shown[i + 1].content for i, token in enumerate(shown) if token.type == "heading_open"]


def _terminal(shown: str, document: Any) -> None:
    assert len(shown) < 60_000


class _Page(HTMLParser):
    """What a browser would make of it: elements with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(attrs)))


def _html(shown: str, document: Any) -> None:
    page = _Page()
    page.feed(shown)
    attributes = {name for _, attrs in page.found for name, _ in attrs}
    assert {tag for tag, _ in page.found} <= _OURS
    assert attributes <= {"lang", "charset", "name", "content", "http-equiv", "class", "min", "max", "value",
                          "aria-label", "aria-hidden", "style"}  # fmt: skip


_OURS = frozenset({"html", "head", "meta", "title", "style", "body", "main", "header", "div", "h1", "h2", "p", "code",
                   "small", "meter", "b", "span", "pre", "section", "dl", "dt", "dd", "ul", "li"})  # fmt: skip
PARSES = {"html": _html, "json": _json, "junit": _xml, "markdown": _markdown, "terminal": _terminal}


def test_every_format_is_looked_at() -> None:
    assert set(PARSES) == set(RENDERERS)


@pytest.mark.parametrize("form", ["markdown", "terminal"])
def test_remarks_and_flags_without_end_are_cut_visibly(form: str) -> None:
    place = Place("attention.py", 1)
    remarks = tuple(Remark(Text(f"remark {n}."), place) for n in range(5_000))
    flags = (
        *(Flag("odd", f"flag {n}.", place) for n in range(5_000)),
        Flag("dear", "it costs", place, graded().score or 0),
    )  # type: ignore[arg-type]
    document = to_document(graded(remarks=remarks, flags=flags))
    assert len(document["remarks"]) == len(document["flags"]) == 200
    assert "4801 more" in document["remarks"][-1]["text"] and "4802 more" in document["flags"][-1]["detail"]
    shown = render(form, document, lang="en")
    assert "remark 29" in shown and "remark 30" not in shown
    assert "it costs" in shown  # what costs marks is never what is cut
    assert shown.count("170 more") == 2


def test_output_without_end_is_cut_visibly() -> None:
    document = spoiled("x" * 3_000_000)
    assert document["output"]["stdout"].endswith("[... +2000000]")
    assert len(dump(document)) < 2_500_000


def test_the_json_is_the_same_document_with_what_hides_as_escapes() -> None:
    document = spoiled("\x1b[2J\x9b\u202e\u200b\U000e0041 ##[error] \\##vso[x] \\u0041 注 😀")
    shown = dump(document)
    assert json.loads(shown) == document
    assert "注 😀" in shown
    for escaped in (r"\u001b", r"\u009b", r"\u202e", r"\u200b", r"\udb40\udc41", r"\u0023#[error]"):
        assert escaped in shown


# -- the gradebook -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        " =1",
        "\u00a0=1",
        "\r\n=1",
        "＝1",
        "＠x",
        "'=1",
        '"=1',
        "x;=1+1",
        "x\t=1",
        "x|=1",
    ],
)
def test_no_cell_is_a_formula(cell: str) -> None:
    safe = guarded(cell)
    for part in re.split(r"[;|\t]", safe):
        assert not part.lstrip(' \u00a0"').startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@pytest.mark.parametrize("cell", ["张伟", "ana-maria", "a=b", "x+y", "me@x", "O'Neil", "a;b", "2024-12"])
def test_names_stay_as_they_are(cell: str) -> None:
    assert guarded(cell) == cell


@given(NASTY, NASTY)
@settings(max_examples=150, deadline=None)
def test_any_name_is_one_row_of_plain_cells(name: str, kind: str) -> None:
    tests = (result("scale", 0, Outcome.FAILED, note=Text(name)),)
    document = to_document(graded(submission={"id": name, "students": [name], "fingerprint": "", "files": []},
                                  tests=tests, flags=(Flag(kind or "odd", name),)))  # fmt: skip
    sheet = grades_csv(standings_from([document]), ["scale"])
    rows = list(csv.reader(io.StringIO(sheet, newline="")))
    assert len(rows) == 2 and len(rows[0]) == len(rows[1]) == 10
    assert hidden(sheet.replace("\r\n", "\n")) == set()
    for cell in rows[1]:
        for part in re.split(r"[;|]", cell):
            assert not part.lstrip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_names_stay_inside_the_sheet(name: str) -> None:
    sheet = grades_csv(standings_from([spoiled(TEXTS[name])]), ["scale"])
    assert len(list(csv.reader(io.StringIO(sheet, newline="")))) == 2
    assert len(sheet) < 5_000
