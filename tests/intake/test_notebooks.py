"""Notebooks of every age, mended where nothing has to be guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.errors import NotGradable
from grader.intake import load
from grader.model.course import Assignment
from grader.model.submission import Submission
from tests.intake.handins import REAL, notebook


@pytest.fixture
def stage(drop: Path, assignment: Assignment) -> Any:
    def staged(content: str | bytes) -> Submission:
        file = drop / "attention.ipynb"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load(file, assignment)

    return staged


def test_cells_are_counted_over_all_cells(stage: Any) -> None:
    found = stage(notebook(("markdown", "# Title"), "x = 1", ("raw", "?"), "", REAL))
    assert [(c.place.file, c.place.line, c.place.cell) for c in found.chunks] == [
        ("attention.ipynb", 1, 2), ("attention.ipynb", 1, 5)]  # fmt: skip
    assert (found.kind, found.id) == ("notebook", "attention")


@pytest.mark.parametrize("source", ["x = 1\ny = 2", ["x = 1\n", "y = 2"], ["x = 1\n", 5, None, "y = 2"]])
def test_sources_may_be_a_string_or_a_list(stage: Any, source: Any) -> None:
    assert stage(notebook(("code", source))).chunks[0].source == "x = 1\ny = 2"


@pytest.mark.parametrize("nbformat", [2, 3])
def test_old_formats_are_read(stage: Any, nbformat: int) -> None:
    sheets = [
        {"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python", "outputs": []}]},
        {"cells": [{"cell_type": "heading", "source": "T", "level": 1}, {"cell_type": "code", "input": "z = 3"}]},
    ]
    found = stage(json.dumps({"nbformat": nbformat, "metadata": {}, "worksheets": sheets}))
    assert [(c.source, c.place.cell) for c in found.chunks] == [("x = 1\ny = 2", 1), ("z = 3", 3)]


def test_missing_and_odd_parts_decide_nothing(stage: Any) -> None:
    cells = [{"cell_type": "code", "source": "x = 1"}, None, 5, {"source": "y"}, {"cell_type": "code"},
             {"cell_type": "code", "source": {"a": 1}}, {"cell_type": "code", "source": "z = 1", "id": 7}]  # fmt: skip
    found = stage(json.dumps({"cells": cells}))
    assert [(c.source, c.place.cell) for c in found.chunks] == [("x = 1", 1), ("z = 1", 7)]


def test_a_byte_order_mark_other_encodings_and_lone_surrogates_are_mended(stage: Any) -> None:
    assert stage(b"\xef\xbb\xbf" + notebook("x = 1").encode()).chunks[0].source == "x = 1"
    assert stage(notebook("x = 1").encode("utf-16")).chunks[0].source == "x = 1"
    found = stage(notebook("x = '\ud800'"))
    assert found.chunks[0].source == "x = '\ufffd'"
    cell = {"cell_type": "code", "source": "x = '注意力机制'"}
    assert stage(json.dumps({"cells": [cell]}, ensure_ascii=False).encode("gbk")).chunks[0].source == cell["source"]


def test_line_ends_are_plain(stage: Any) -> None:
    assert stage(notebook("x = 1\r\ny = 2\rz = 3")).chunks[0].source == "x = 1\ny = 2\nz = 3"


def test_a_notebook_without_code_is_valid_and_said_to_be_so(stage: Any) -> None:
    found = stage(notebook(("markdown", "only words")))
    assert found.chunks == ()
    assert "no code cells" in found.remarks[0].text.en
    assert stage(notebook()).chunks == ()


def test_a_solution_in_a_cell_that_never_runs_is_pointed_at(stage: Any) -> None:
    found = stage(notebook(("markdown", "```\nx\n" + REAL + "```"), "x = 1"))
    (remark,) = found.remarks
    assert "`scores` is written in a markdown cell" in remark.text.en
    assert remark.place is not None
    assert (remark.place.cell, remark.place.line) == (1, 3)
    assert stage(notebook(("markdown", REAL), REAL)).remarks == ()


def test_outputs_do_not_count_as_code(stage: Any) -> None:
    cell = {"cell_type": "code", "source": "x = 1", "outputs": [{"data": {"image/png": "A" * 2_000_000}}]}
    assert stage(json.dumps({"nbformat": 4, "cells": [cell]})).chunks[0].source == "x = 1"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "0 bytes"),
        ("{", "damaged or cut off"),
        (notebook("x = 1")[:-20], "damaged or cut off"),
        ("[]", "its JSON is no notebook"),
        ("5", "its JSON is no notebook"),
        ('{"a": 1}', "no cells"),
        ('{"cells": 5}', "no cells"),
        ('{"nbformat": 3, "worksheets": {}}', "no cells"),
        (REAL, "ending .py"),
        ("<!DOCTYPE html><html></html>", "web page"),
        ('{\n"cells": [\n<<<<<<< HEAD\n', "git merge"),
        ("[" * 100_000, "nested too deeply"),
        ('{"cells":' * 100_000, "nested too deeply"),
        ('{"cells": [' + "9" * 10_000 + "]}", "damaged"),
        ("[" + "[]," * 3_100_000, "far too much"),
        (notebook(*["x = 1\n" * 20_000] * 10), "larger than 1 MB"),
        ("\0", "nothing but zero bytes"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "git lfs pull"),
        ('<?xml version="1.0"?>\n<html></html>', "web page"),
    ],
    ids=range(19),
)
def test_what_is_no_notebook_is_refused_with_advice(stage: Any, content: str, words: str) -> None:
    with pytest.raises(NotGradable) as refusal:
        stage(content)
    assert words in refusal.value.reason.en
    assert refusal.value.reason.zh


@pytest.mark.parametrize("rest", ["]", "\n  }\n ]\n}\n", notebook("y = 2"), " \0\0"])
def test_what_stands_behind_the_end_is_left_out_and_flagged(stage: Any, rest: str) -> None:
    staged = stage(notebook("x = 1") + rest)
    assert [chunk.source for chunk in staged.chunks] == ["x = 1"]
    assert [flag.kind for flag in staged.flags] == ([] if rest.endswith("\0") else ["notebook_form"])


@pytest.mark.parametrize(
    ("cell", "is_code"),
    [
        ({"source": "x = 1", "execution_count": None}, True),
        ({"cell_type": None, "source": "def f():\n    return 1"}, True),
        ({"cell_type": " code ", "source": "x = 1"}, True),
        ({"source": "# From here\n\nwords of mine"}, False),
        ({"cell_type": "markdown", "source": "def f(): pass"}, False),
    ],
)
def test_a_cell_that_does_not_say_what_it_is_is_told_by_what_it_holds(stage: Any, cell: Any, is_code: bool) -> None:
    assert bool(stage(json.dumps({"nbformat": 4, "cells": [cell]})).chunks) is is_code


def test_a_notebook_as_a_servers_interface_hands_it_out_is_read(stage: Any) -> None:
    wrapped = {"name": "attention.ipynb", "type": "notebook", "content": json.loads(notebook("x = 1"))}
    assert [chunk.source for chunk in stage(json.dumps(wrapped)).chunks] == ["x = 1"]


def test_a_notebook_beyond_its_size_is_refused(stage: Any) -> None:
    with pytest.raises(NotGradable, match="clear its outputs"):
        stage(b" " * 50_000_001)
