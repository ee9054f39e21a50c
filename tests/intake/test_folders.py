"""A folder: which file is graded, which travel with it, and what is said about the choice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.errors import NotGradable
from grader.intake import load, modules_of
from grader.intake.choice import Closeness, closeness
from grader.model.course import Assignment
from tests.intake.handins import REAL, STUB, notebook


def fill(folder: Path, **files: str) -> None:
    """Write files; each later one is a minute newer. ``__`` in a key stands for a dot, ``_in_`` for a slash."""
    for age, (name, text) in enumerate(files.items()):
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_700_000_000 + 60 * age,) * 2)


def kinds(flags: tuple[object, ...]) -> list[str]:
    return [flag.kind for flag in flags]  # type: ignore[attr-defined]


def test_the_required_name_is_graded_and_its_neighbours_travel(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__py=REAL, helpers__py="x = 1\n", README__md="hi", parts_in_masks__py="z = 3\n")
    (drop / "parts" / "__init__.py").write_text("y = 2\n")
    found = load(drop, assignment)
    assert (found.id, found.main) == ("alice", "attention.py")
    assert modules_of(found) == {"helpers": "x = 1\n", "parts": "y = 2\n", "parts.masks": "z = 3\n"}
    assert found.flags == ()


def test_an_untouched_stub_is_passed_over(drop: Path, assignment: Assignment) -> None:
    (drop / "attention (1).py").write_text(REAL)
    (drop / "attention.py").write_bytes(STUB.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    found = load(drop, assignment)
    assert found.main == "attention (1).py"
    assert kinds(found.flags) == ["stub_file", "file_name"]
    assert "untouched stub" in found.remarks[0].text.en


def test_an_untouched_stub_notebook_is_passed_over(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__ipynb=notebook("%pip install torch", STUB), attention__py=REAL)
    assert load(drop, assignment).main == "attention.py"
    fill(drop, attention__py=STUB, attention__ipynb=notebook(STUB, REAL))
    found = load(drop, assignment)
    assert (found.main, found.kind, kinds(found.flags)) == ("attention.ipynb", "notebook", ["stub_file"])


def test_an_untouched_stub_alone_is_graded(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__py=STUB, notes__py="print('hello')\n", checks_public__py="def test_x(student): ...\n")
    found = load(drop, assignment)
    assert (found.main, found.flags) == ("attention.py", ())


def test_a_solution_under_another_name_goes_before_the_stub(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__py=STUB, my_work__py=REAL, notes__py="x = 1\n")
    found = load(drop, assignment)
    assert (found.main, kinds(found.flags)) == ("my_work.py", ["stub_file", "file_name"])


@pytest.mark.parametrize(
    "name",
    ["attention (1).py", "attention-2.ipynb", "Attention.py", "attention_v2_final.py", "Copy of attention.py",
     "attention - Copy.py", "attention副本.py", "attention（2）.py", "alice_12_34_attention-1.py", "hw1_attention.py",
     "atention.py", "attention.py.txt", "solution.py", "main.py"],
)  # fmt: skip
def test_another_name_is_graded_and_flagged(drop: Path, assignment: Assignment, name: str) -> None:
    (drop / name).write_text(notebook(REAL) if name.endswith("ipynb") else REAL)
    found = load(drop, assignment)
    assert (found.main, kinds(found.flags)) == (name, ["file_name"])
    assert name in found.remarks[0].text.en


def test_a_close_name_goes_before_a_newer_one(drop: Path, assignment: Assignment) -> None:
    fill(drop, Attention__py=REAL, zzz__py="x = 1\n")
    assert load(drop, assignment).main == "Attention.py"


def test_among_far_names_the_newest_is_graded(drop: Path, assignment: Assignment) -> None:
    fill(drop, b__py="x = 1\n", c__py="x = 2\n", a__py="x = 3\n", test_a__py="x = 4\n")
    assert load(drop, assignment).main == "a.py"


def test_among_copies_the_newest_is_graded_and_the_others_are_named(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention1__py=REAL, attention2__py=REAL + "\n# newer\n")
    found = load(drop, assignment)
    assert (found.main, kinds(found.flags)) == ("attention2.py", ["file_name", "several_candidates"])
    assert "attention1.py" in found.flags[1].detail


def test_a_file_and_a_notebook_of_the_required_name_are_both_named(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__py=REAL, attention__ipynb=notebook(REAL))
    found = load(drop, assignment)
    assert (found.main, kinds(found.flags)) == ("attention.py", ["several_candidates"])


def test_a_helper_beside_the_required_name_is_no_rival(drop: Path, assignment: Assignment) -> None:
    fill(drop, attention__py=REAL, attention_helpers__py="x = 1\n", test_attention__py="x = 1\n")
    assert load(drop, assignment).flags == ()


def test_a_file_in_a_folder_below_brings_its_own_neighbours(drop: Path, assignment: Assignment) -> None:
    fill(drop, hw_in_attention__py=REAL, hw_in_helpers__py="x = 1\n", other__py="y = 1\n")
    found = load(drop, assignment)
    assert (found.main, found.chunks[0].place.file) == ("hw/attention.py", "hw/attention.py")
    assert modules_of(found) == {"helpers": "x = 1\n"}
    assert [file.path for file in found.files] == ["hw/attention.py", "hw/helpers.py"]


def test_litter_is_no_candidate(drop: Path, assignment: Assignment) -> None:
    fill(drop, __MACOSX_in_x__py="")
    for name in (".ipynb_checkpoints/attention.ipynb", "__MACOSX/attention.py", "._attention.py", ".git/attention.py"):
        path = drop / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(REAL)
    (drop / "mine.py").write_text(REAL)
    assert load(drop, assignment).main == "mine.py"


def test_links_devices_and_big_files_are_left_out_and_flagged(
    drop: Path, assignment: Assignment, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    (drop / "attention.py").write_text(REAL)
    (drop / "a_link.py").symlink_to(secret)
    (drop / "away").symlink_to(tmp_path)
    os.mkfifo(drop / "pipe.py")
    (drop / "big.py").write_bytes(b"x" * 1_000_001)
    (drop / "binary.py").write_bytes(b"\0\0")
    found = load(drop, assignment)
    assert kinds(found.flags) == ["file_left_out"] * 5
    assert modules_of(found) == {}
    assert not any(b"SECRET" in file.data for file in found.files)


def test_the_reason_of_the_only_file_is_told(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_bytes(b"x" * 1_000_001)
    with pytest.raises(NotGradable, match="larger than 1 MB"):
        load(drop, assignment)


def test_an_empty_required_file_is_told(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_bytes(b"")
    with pytest.raises(NotGradable, match="0 bytes"):
        load(drop, assignment)


def test_a_folder_without_code_says_what_it_holds(drop: Path, assignment: Assignment) -> None:
    with pytest.raises(NotGradable, match="it is empty"):
        load(drop, assignment)
    (drop / "report.pdf").write_bytes(b"%PDF")
    with pytest.raises(NotGradable, match=r"`report\.pdf`.*hand in `attention\.py`"):
        load(drop, assignment)


def test_modules_in_gbk_are_read(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_text(REAL)
    (drop / "helpers.py").write_bytes("名 = '注意力'\n".encode("gbk"))
    assert modules_of(load(drop, assignment)) == {"helpers": "名 = '注意力'\n"}


def test_file_names_that_are_no_utf8_are_shown_as_text(drop: Path, assignment: Assignment) -> None:
    (drop / os.fsdecode("作业_attention.py".encode("gbk"))).write_text(REAL)
    found = load(drop, assignment)
    assert (found.main, found.chunks[0].source) == ("作业_attention.py", REAL)


def test_a_tree_of_folders_is_walked_within_bounds(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_text(REAL)
    for number in range(2_100):
        (drop / f"empty{number}").mkdir()
    found = load(drop, assignment)
    assert found.main == "attention.py"
    assert [flag.kind for flag in found.flags] == ["file_left_out"]


def test_a_huge_folder_is_walked_within_bounds(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_text(REAL)
    for number in range(2_100):
        (drop / f"data{number}.txt").touch()
    found = load(drop, assignment)
    assert found.main == "attention.py"
    assert "more than 2000 files" in found.flags[0].detail


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("attention.py", Closeness.EXACT),
        ("attention.ipynb", Closeness.EXACT),
        ("ATTENTION.PY", Closeness.SAME),
        ("attention_3.py", Closeness.SAME),
        ("张三_attention.py", Closeness.HOLDS),
        ("my attention.py", Closeness.HOLDS),
        ("attentions.py", Closeness.CLOSE),
        ("padding.py", Closeness.OTHER),
        ("test_attention.py", Closeness.AROUND),
    ],
)
def test_names_are_told_apart(assignment: Assignment, name: str, wanted: Closeness) -> None:
    assert closeness(name, assignment) == wanted
