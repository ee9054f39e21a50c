"""Remarks on lines: where they point, how many there are, and that no text in them becomes a command."""

from __future__ import annotations

import json
import re

import pytest

from grader.ci.annotations import Annotation, chosen, commands, remarks_on
from grader.ci.notebook_lines import NotebookLines
from grader.ci.summary import COMMENT_LIMIT, Told, cut, summary, without_marks
from grader.document import for_student, to_document
from grader.model.course import Text
from grader.model.submission import Flag, Place, Remark
from tests.reports.samples import graded

COMMAND = re.compile(r"\A::(error|warning|notice) [^\r\n]*?::[^\r\n]*\Z")


def remarks(document, home="assignments/attention"):
    return remarks_on(document, home, lambda path, cell, line: 100 * cell + line, "en")


def test_a_loss_stands_on_the_students_own_line():
    found = remarks(for_student(to_document(graded(), title="Attention")))
    scale, mask = (each for each in found if each.kind == "error")
    assert (scale.path, scale.line, scale.weight) == ("assignments/attention/attention.py", 12, 2.0)
    assert "(-2)" in scale.title and "3 times too large" in scale.message
    assert (mask.path, mask.line) == ("assignments/attention/attention.ipynb", 304)
    assert "cell 3" in mask.message


def test_before_the_deadline_the_line_is_the_functions_and_no_hidden_word_is_said():
    found = remarks(for_student(to_document(graded(), title="Attention"), feedback="criteria"))
    errors = [each for each in found if each.kind == "error"]
    assert [each.line for each in errors] == [12, 12]  # where the function is defined
    assert not any("3 times" in each.message or "IndexError" in each.message for each in errors)


def test_at_most_ten_of_a_kind_and_the_last_says_how_many_more():
    many = [Annotation("error", f"t{i}", "m", weight=float(i)) for i in range(25)]
    kept = chosen([*many, Annotation("notice", "n", "m")], "en")
    assert [each.title for each in kept] == [*(f"t{24 - i}" for i in range(9)), "...", "n"]
    assert kept[9].message.startswith("16 more")
    assert len(chosen(many[:10], "en")) == 10


@pytest.mark.parametrize(
    "text",
    [
        "x\n::error::forged", "x\r::set-output name=a::b", "::stop-commands::t", "%0A::error::x", "a,line=3::x",
        "\u2028::error::x", "##[error]x", "\x1b]0;x\x07", "::add-mask::a", "##vso[task.setvariable]x",
    ],
)  # fmt: skip
def test_no_text_becomes_a_command(text):
    report = graded(
        remarks=(Remark(Text(text), Place(f"{text}.py", 1)),),
        flags=(Flag(text, text, Place("a.py", 1), costs=graded().score),),
    )
    found = chosen(remarks(for_student(to_document(report, title=text))), "en")
    lines = commands(found)
    assert len(lines) == len(found)
    for line, each in zip(lines, found, strict=True):
        assert COMMAND.match(line) and line.startswith(f"::{each.kind} ")
        assert len(re.findall(r"::", line.split("::", 2)[1])) == 0
        assert not re.search(r"[\r\n\x1b\u2028]", line)
        # Unescaped as the runner does it, a property holds neither comma nor colon of its own.
        assert all("=" in part for part in line[2:].split("::")[0].partition(" ")[2].split(","))


def notebook(indent: int | None, *, whole: bool) -> bytes:
    def source(*lines: str):
        return "".join(lines) if whole else list(lines)

    cells = [
        {"cell_type": "markdown", "metadata": {"source": ["no"]}, "source": source('# Title "quoted"\n', "text [1]")},
        {
            "cell_type": "code",
            "outputs": [{"text": ["source"]}],
            "source": source("import torch\n", "\n", "def f():\n", "    return 1"),
        },
    ]
    return json.dumps({"cells": cells, "metadata": {"cells": []}}, indent=indent).encode()


def test_a_cells_line_is_found_in_the_file():
    data = notebook(1, whole=False)
    text = data.decode().split("\n")
    lines = NotebookLines(data)
    for line, code in enumerate(("import torch", "", "def f():", "    return 1"), 1):
        assert json.loads(text[lines.line(2, line) - 1].rstrip(",")).rstrip("\n") == code
    assert '"# Title' in text[lines.line(1, 1) - 1]
    assert lines.line(2, 99) == lines.line(2, 1) and lines.line(9, 1) == 1


def test_a_notebook_of_another_form_points_at_the_cell():
    whole = NotebookLines(notebook(1, whole=True))
    assert whole.line(2, 1) == whole.line(2, 4) > whole.line(1, 1)
    assert NotebookLines(notebook(None, whole=False)).line(2, 3) == 1
    for broken in (b"", b"{", b"[" * 5000, b'{"cells": [{"source": ["\\ud800"', b"\xff\xfe", b"}}]]"):
        assert NotebookLines(broken).line(1, 1) == 1


def told(count: int = 1, **more) -> list[Told]:
    return [Told(f"Exercise {i}", for_student(to_document(graded(**more), title="Attention"))) for i in range(count)]


def test_the_summary_has_a_table_the_likely_cause_and_the_report_folded():
    text = summary("a" * 40, told(), "en", notes=["a note"])
    assert (
        "| Exercise 0 | 17 / 20 | The division by sqrt\\(D\\)" in text
        or "| Exercise 0 | 17 / 20 | The division" in text
    )
    assert text.count("<details>") == text.count("</details>") == 1
    assert "> a note" in text
    assert "3 times too large" in text


def test_a_long_summary_is_cut_whole_reports_at_a_time_and_says_so():
    text = summary("a" * 40, told(90), "en", limit=COMMENT_LIMIT)
    assert len(text.encode()) <= COMMENT_LIMIT
    assert "left out" in text and "Exercise 89" in text  # the table is whole
    assert text.count("<details>") == text.count("</details>") > 3
    assert len(cut(["x" * 50, "é" * 50], "en", 400).encode()) <= 400


def test_where_others_read_no_mark_is_said():
    text = without_marks("a" * 40, told(), "en")
    assert not re.search(r"17|20\b|sqrt|scale", text.replace("a" * 10, ""))
    assert "graded" in text


def test_a_students_text_in_the_summary_makes_no_markup():
    text = summary("a" * 40, told(reason="</details><img src=x onerror=y> | @all | ![x](http://e)"), "en")
    assert text.count("</details>") == 1
    assert "<img" not in text.replace("\\<img", "")
