"""Lists of a class as registries, forms and spreadsheets leave them."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.intake.roster import Student, read_roster

A, B = Student("0012", "Ann"), Student("0345", "Bob")


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nstudent_id;name\n0012;Ann\n0345;Bob\n",
        "2026 Spring, Deep Learning,\nexported: 2026-03-01,,\nNo.,ID,Name\n1,0012,Ann\n2,0345,Bob\n",
        "序号,姓名,学号（必填）\n1,Ann,0012\n2,Bob,0345\n",
        '"Student  ID *" , Full Name:\n0012,Ann\n0345,Bob\n',
        "student_id|name\n0012|Ann\n0345|Bob\n",
        "学号，姓名\n0012，Ann\n0345，Bob\n",
        "student_id,name\n0012,Ann\n0345,Bob\n0345,Bob\n",
        'student_id,name\n\'0012,Ann\n"=""0345""",Bob\n',
        "student_id,name\n００１２,Ann\n0345.0,Bob\n",
        "\n,,\nstudent_id,name\r0012,Ann\r,\r0345,Bob\r",
    ],
)
def test_what_stands_around_the_ids_and_what_spreadsheets_make_of_them(tmp_path, text):
    (tmp_path / "r.csv").write_bytes(text.encode())
    assert read_roster(tmp_path / "r.csv") == (A, B)


def test_a_delimiter_is_what_all_lines_hold_not_what_names_hold(tmp_path):
    (tmp_path / "r.csv").write_text('Name;Student ID\n"Lee, Ann";0012\n"Ng, Bob, Jr.";0345\n')
    assert [student.name for student in read_roster(tmp_path / "r.csv")] == ["Lee, Ann", "Ng, Bob, Jr."]


def test_a_canvas_gradebook_is_a_roster(tmp_path):
    header = "Student,ID,SIS User ID,SIS Login ID,Section,HW (77)\n,,,,,Manual Posting\n    Points Possible,,,,,20\n"
    (tmp_path / "r.csv").write_text(header + '"Lee, Ann",101,u1,al,S1,\n')
    assert read_roster(tmp_path / "r.csv") == (Student("101", "Lee, Ann", login="al", sis_id="u1"),)


def test_ids_that_a_spreadsheet_shortened_are_said_to_be_lost(tmp_path):
    (tmp_path / "r.csv").write_text("id,name\n2.02301E+09,Ann\n")
    with pytest.raises(UsageError, match=r"r\.csv:2: 2\.02301E\+09 was shortened by a spreadsheet"):
        read_roster(tmp_path / "r.csv")
