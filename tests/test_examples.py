"""A known mistake comes with a call small enough for paper, and what is written there is true."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.catalog import load_course
from grader.cli import main
from grader.diagnosis.example import Example, load_examples
from grader.diagnosis.faults import Fault, load_faults
from grader.diagnosis.recipes import Keep, Recipe, Whole, find_examples
from grader.diagnosis.shown import shown
from grader.diagnosis.stored import stale
from grader.errors import CourseError
from grader.model.course import Text

ROOT = Path(__file__).resolve().parent.parent
NAMES = [assignment.name for assignment in load_course(ROOT).assignments]
SOLUTION = """
def total(x, keep):
    shown = x.masked_fill(~keep, 0.0)
    return shown.sum(-1)
"""
RECIPES = [
    Recipe("total", {"x": Whole((1,)), "keep": Keep((1,))}),
    Recipe("total", {"x": Whole((2, 2)), "keep": Keep((2, 2))}),
]


def mistake(name: str, old: str, new: str) -> Fault:
    return Fault(name, ["total"], Text(name), {old: new})


@pytest.mark.parametrize("name", NAMES)
def test_stored_examples_are_what_their_calls_give(name: str) -> None:
    assignment = load_course(ROOT).assignment(name)
    assert assignment is not None
    assert stale(assignment) == []


@pytest.mark.parametrize("name", NAMES)
def test_four_mistakes_in_five_have_an_example(name: str) -> None:
    assignment = load_course(ROOT).assignment(name)
    assert assignment is not None
    faults = load_faults(assignment)
    assert sum(fault.example is not None for fault in faults) >= 0.8 * len(faults) > 0


def test_the_smallest_call_that_shows_a_mistake_is_taken() -> None:
    ignored = mistake("mask_ignored", "x.masked_fill(~keep, 0.0)", "x")
    columns = mistake("columns", "sum(-1)", "sum(0)")
    found = find_examples([ignored, columns], RECIPES, SOLUTION)
    assert found["mask_ignored"].recipe == 0 and found["columns"].recipe == 1
    one = found["mask_ignored"]
    assert one.right == "0" and one.wrong in ("1", "2") and one.call.startswith("total(x=[")
    assert one.call in one.text.en and one.wrong in one.text.zh


def test_a_side_effect_is_shown_by_what_the_argument_became() -> None:
    in_place = mistake("in_place", "x.masked_fill(~keep, 0.0)", "x.masked_fill_(~keep, 0.0)")
    found = find_examples([in_place], RECIPES, SOLUTION)["in_place"]
    assert found.looked_at == "x" and "should still be" in found.text.en


def test_a_mistake_that_no_call_shows_has_no_example() -> None:
    assert find_examples([mistake("none", "shown.sum(-1)", "shown.sum(-1) * 1")], RECIPES, SOLUTION) == {}


def test_numbers_are_written_as_on_paper() -> None:
    value = (torch.tensor([[1.0, -0.0], [0.70710678, float("nan")]]), True)
    assert shown(value) == "([[1, 0], [0.71, nan]], True)"
    assert shown(torch.ones(1), with_dtype=True) == "[1] (float32)"


def test_a_file_of_examples_that_cannot_be_read_is_an_author_s_error(tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text('{"a": {"colour": 1}}', encoding="utf-8")
    with pytest.raises(CourseError, match="grader examples"):
        load_examples(path)
    assert load_examples(tmp_path / "absent.json") == {}


def test_the_command_says_that_every_stored_example_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--course", str(ROOT), "examples", "causal_mask", "--check"]) == 0
    assert "every stored example holds" in capsys.readouterr().out


def test_an_example_of_a_module_says_its_weights() -> None:
    told = Example("Net(d=2)(x=[[1]])", "[[2]]", "[[3]]", weights="proj.weight [[1]]").text
    assert "weights proj.weight [[1]]" in told.en and "[[1]]" in told.zh
