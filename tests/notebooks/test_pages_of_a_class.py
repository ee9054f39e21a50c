"""``batch --pages``: graded notebooks as pages beside the reports, from one class with real workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli import main
from grader.commands import annotated
from grader.reports import notebook as rendered
from tests.notebooks.kinds import IMPORTS, RIGHT, SCORES, WEIGHTS, WHOLE, around, code, notebook, python, text

ROOT = Path(__file__).parents[2]
PRINTED = [{"output_type": "stream", "name": "stdout", "text": "printed at home"}]
UNSCALED = SCORES.replace(" / math.sqrt(q.shape[-1])", "")
HAND_INS = {
    "ana/attention.ipynb": notebook(text("# Mine <script>alert(1)</script>"), *RIGHT),
    "bo/attention.ipynb": notebook(IMPORTS, code(UNSCALED, outputs=PRINTED), WEIGHTS, WHOLE),
    "cy/attention.py": python(*RIGHT),
    "di/attention.ipynb": around()[:-2] + b",]}",
}
HIDDEN = "expected 0.3333"  # what a hidden check saw in bo's
Run = Callable[..., str]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that holds ``drop`` and ``out``, and what the command said."""
    place = tmp_path_factory.mktemp("class")
    for name, data in HAND_INS.items():
        (place / "drop" / name).parent.mkdir(parents=True)
        (place / "drop" / name).write_bytes(data)
    command = [sys.executable, "-m", "grader", "--course", str(ROOT), "--lang", "en", "batch", "drop", "-a", "attention",
               "-o", "out", "--pages", "--seed", "7", "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 1, ran.stderr  # di's needs a person
    return place, ran.stderr


@pytest.fixture
def out(graded: tuple[Path, str], tmp_path: Path) -> Path:
    """The graded class, to be changed."""
    return Path(shutil.copytree(graded[0] / "out", tmp_path / "out"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object, code: int = 0) -> str:
        ended = main(["--course", str(ROOT), "--lang", "en", *map(str, arguments)])
        told = capsys.readouterr()
        assert ended == code, told.err
        return told.err

    return call


@pytest.fixture
def again(graded: tuple[Path, str], out: Path, run: Run) -> Run:
    """The same command once more."""

    def call(*more: object) -> str:
        said = run("batch", graded[0] / "drop", "-a", "attention", "-o", out, *more, code=1)
        assert "nothing new to grade" in said
        return said

    return call


def pages(out: Path) -> dict[str, str]:
    return {path.parent.name: path.read_text("utf-8") for path in sorted(out.glob("reports/*/notebook.html"))}


def test_who_handed_in_a_notebook_has_a_page_and_one_that_cannot_be_read_is_named(graded: tuple[Path, str]) -> None:
    place, said = graded
    assert list(pages(place / "out")) == ["ana", "bo"]
    missing = [line for line in said.splitlines() if line.startswith("no notebook.html")]
    assert len(missing) == 1
    assert missing[0].startswith("no notebook.html for di: `attention.ipynb` is no notebook")
    assert "beside the report): 2" in said


def test_marks_stand_beside_their_cells_and_nothing_else_comes_along(graded: tuple[Path, str]) -> None:
    shown = pages(graded[0] / "out")
    before, mark, after = shown["bo"].partition("attention_scores: 11 of 13 checks on it hold")
    assert mark
    assert "cell 2" in before
    assert "cell 3" not in before
    assert "attention_weights: every check on it holds" in after
    assert "attention_scores: every check on it holds" in shown["ana"]
    assert "&lt;script&gt;alert(1)" in shown["ana"]
    for page in shown.values():
        assert "<script" not in page
        assert "printed at home" not in page


def test_a_page_shows_what_the_student_s_report_shows(graded: tuple[Path, str], out: Path, again: Run) -> None:
    assert HIDDEN in (out / "reports/bo/report.json").read_text("utf-8")
    assert HIDDEN not in pages(out)["bo"]
    assert '<div class="score">18<' in pages(out)["bo"]
    again("--pages", "--feedback", "full")
    assert HIDDEN in pages(out)["bo"]
    again("--pages", "--feedback", "public")
    assert '<div class="score">' not in pages(out)["bo"]
    assert HIDDEN not in pages(out)["bo"]
    again("--feedback", "full")  # no page was asked for, and those of another form must not stay
    assert pages(out) == {}


def test_running_again_makes_only_what_is_missing(out: Path, again: Run) -> None:
    was = {path: path.stat().st_mtime_ns for path in out.glob("reports/*/notebook.html")}
    assert "written as pages" not in again("--pages")
    assert {path: path.stat().st_mtime_ns for path in was} == was
    (out / "reports/ana/notebook.html").unlink()
    assert "beside the report): 1" in again("--pages")
    assert {path: path.stat().st_mtime_ns == time for path, time in was.items()} == {
        path: path.parent.name == "bo" for path in was
    }


def test_a_word_by_hand_makes_that_page_anew(out: Path, run: Run) -> None:
    others = pages(out)["ana"]
    said = run("override", out, "bo", "--score", 19, "--why", "looked", "--comment", "well drawn")
    assert "beside the report): 1" in said
    assert "di" not in said
    assert "well drawn" in pages(out)["bo"]
    assert pages(out)["ana"] == others


def test_a_hand_in_that_is_another_now_leaves_no_stale_page(graded: tuple[Path, str], out: Path, run: Run) -> None:
    path = graded[0] / "drop/bo/attention.ipynb"
    data = path.read_bytes()
    try:
        path.write_bytes(HAND_INS["ana/attention.ipynb"])
        said = run("override", out, "bo", "--score", 19, "--why", "looked")
    finally:
        path.write_bytes(data)
    assert "no notebook.html for bo" in said
    assert "no longer what was graded" in said
    assert list(pages(out)) == ["ana"]


def test_a_notebook_that_cannot_be_shown_stops_nobody_else(
    out: Path, again: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def render(document: dict[str, object], *rest: object, **named: object) -> str:
        if document["submission"]["id"] == "ana":  # type: ignore[index]
            raise RecursionError
        return "<p>shown</p>"

    for page in out.glob("reports/*/notebook.html"):
        page.unlink()
    monkeypatch.setattr(rendered, "render", render)
    assert "no notebook.html for ana: it cannot be shown (RecursionError)" in again("--pages")
    assert pages(out) == {"bo": "<p>shown</p>"}


def test_pages_name_nobody_under_pseudonyms(out: Path, again: Run) -> None:
    again("--pages", "--pseudonyms")
    shown = pages(out)
    assert len(shown) == 2
    assert all(name.startswith("s-") and name in page for name, page in shown.items())
    assert not [page for page in shown.values() if ">ana<" in page or ">bo<" in page]


def test_whoever_is_forgotten_leaves_no_page(out: Path, run: Run) -> None:
    run("forget", out, "bo")
    assert list(pages(out)) == ["ana"]
    assert json.loads((out / "reports/ana/student.json").read_text("utf-8"))["submission"]["id"] == "ana"


def test_without_the_libraries_nothing_is_graded(
    graded: tuple[Path, str], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotated, "find_spec", lambda name: None if name == "nbconvert" else object())
    new = tmp_path / "new"
    said = run("batch", graded[0] / "drop", "-a", "attention", "-o", new, "--pages", code=2)
    assert "--pages needs nbconvert: pip install 'attention-grader[feedback]'" in said
    assert not new.exists()
