"""Where a class begins: folders around it, folders of its sections, and what only looks like one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.intake.drop import hand_ins_of, open_drop
from grader.intake.identity import owners
from grader.intake.roster import Student
from grader.intake.sections import taken_apart

ROSTER = (Student("2023010101", "张三"), Student("2023010102", "Si Li"), Student("2023010103", "Wu Wang", login="wuw"))


@pytest.fixture
def found(tmp_path, course_root):
    """Student (the submission where nobody is known) to the paths of what counts as theirs."""
    assignment = load_course(course_root).assignment("doubling")
    assert assignment is not None

    def look(names: list[str], roster: tuple[Student, ...] = (), as_zip: bool = False) -> dict[str, tuple[str, ...]]:
        place = tmp_path / ("class.zip" if as_zip else "class")
        _made(place, names)
        drop = open_drop(place)
        try:
            layout, gathered = hand_ins_of(drop, "doubling")
            assert layout == "plain"
            parts = taken_apart(drop, gathered, roster, assignment).hand_ins
        finally:
            drop.close()
        owned = owners(parts, roster, {})
        return {one.people[0].id if one.by else one.hand_in.submission: one.hand_in.paths for one in owned}

    return look


def _made(place: Path, names: list[str]) -> None:
    if place.suffix == ".zip":
        with zipfile.ZipFile(place, "w") as archive:
            for name in names:
                archive.writestr(name, "x = 1")
        return
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("x = 1")


@pytest.mark.parametrize("as_zip", [True, False], ids=["zip", "folder"])
def test_folders_around_a_class_are_taken_off(found, as_zip):
    assert found(["a/b/c/ana/doubling.py", "a/b/c/bo/doubling.py", "a/b/c/cy/x.docx"], as_zip=as_zip) == {
        "ana": ("doubling.py",), "bo": ("doubling.py",), "cy": ("x.docx",)
    }  # fmt: skip


@pytest.mark.parametrize("as_zip", [True, False], ids=["zip", "folder"])
@pytest.mark.parametrize("names", [
    ["ana/doubling.py", "ana/old/doubling.py", "ana/older/doubling.py"], ["ana/src/solution.py", "ana/src/tools.py"],
    ["ana/v1/main.py", "ana/notes.txt"],
])  # fmt: skip
def test_one_students_own_folders_stay_whole(found, names, as_zip):
    assert list(found(names, as_zip=as_zip)) == ["ana"]


@pytest.mark.parametrize("as_zip", [True, False], ids=["zip", "folder"])
def test_sections_are_seen_by_the_roster(found, as_zip):
    names = ["A/2023010101.py", "A/Li Si/src/doubling.py", "A/list.xlsx", "B/wuw/main.py", "B/nobody.py"]
    assert found(names, ROSTER, as_zip) == {
        "2023010101": ("2023010101.py",), "2023010102": ("src/doubling.py",), "2023010103": ("main.py",),
        "nobody": ("nobody.py",),
    }  # fmt: skip


def test_sections_without_a_roster_are_seen_by_numbers_that_are_no_dates(found):
    assert sorted(found(["A/2023010101_x.py", "A/2023010102.zip", "B/2023010103-z.ipynb"])) == [
        "2023010101_x", "2023010102", "2023010103-z"
    ]  # fmt: skip
    assert "ana" in found(["ana/doubling_20260301.py", "ana/doubling_20260302.py", "bo.py"])


def test_a_groups_folder_with_its_members_names_in_it_is_one_hand_in(found):
    names = ["g1/doubling.py", "g1/2023010101.txt", "g1/2023010102.txt", "2023010103.py"]
    assert found(names, ROSTER)["g1"] == ("2023010101.txt", "2023010102.txt", "doubling.py")


def test_what_systems_leave_beside_a_class_is_no_hand_in(found):
    names = ["ana/doubling.py", "bo.py", "$RECYCLE.BIN/x.py", "System Volume Information/y", "node_modules/a.js",
             "说明.txt", "作业要求.docx"]  # fmt: skip
    assert list(found(names)) == ["ana", "bo"]
