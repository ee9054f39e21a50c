"""Names that break tables elsewhere: one row each, and the right one, in every table and every sheet."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

from tests.gradebook import readers
from tests.gradebook.conftest import Office, laid, packed, work

NAMES = ("O'Neil, Jr.", "李雷", unicodedata.normalize("NFC", "Zoë"), unicodedata.normalize("NFD", "Zoë"),
         '=HYPERLINK("http://x","y")', "a/b", "😀", "Wei Li", "Wei Li", 'say "hi"\n,', "@SUM(1)", "-1+2", "NULL")  # fmt: skip
IDS = [f"{900 + number}" for number in range(len(NAMES))]
EARNED = [number % 3 for number in range(len(NAMES))]
MARKS = {sid: f"{earned + 0.5:g}" for sid, earned in zip(IDS, EARNED, strict=True)}


def shown(name: str) -> str:
    """A name as every table shows it: composed, on one line, no formula."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    return f"'{name}" if name[0] in "=+-@" else name


def a_class_on_gradescope(folder: Path) -> Path:
    people = "".join(
        f"submission_{sid}:\n  :submitters:\n  - :name: {json.dumps(name)}\n    :sid: '{sid}'\n"
        for sid, name in zip(IDS, NAMES, strict=True)
    )
    files = {f"submission_{sid}/doubling.py": work(n) for sid, n in zip(IDS, EARNED, strict=True)}
    return packed(folder / "e.zip", {"submission_metadata.yml": people, **files})


def test_every_table_and_sheet_holds_each_name_once(office: Office) -> None:
    office.graded(a_class_on_gradescope(office.folder))
    grades = (office.out / "grades.csv").read_bytes()
    assert readers.by_column(grades, "student_id", "score") == MARKS
    names = readers.by_column(grades, "student_id", "name")
    assert names == {sid: shown(name) for sid, name in zip(IDS, NAMES, strict=True)}
    for table, rows_each in (("results.csv", 3), ("flags.csv", 1)):
        ids = [row[0] for row in readers.rows((office.out / table).read_bytes())[1:]]
        assert sorted(ids) == sorted(IDS * rows_each)
    for platform in ("csv", "excel", "nbgrader"):
        office.exported(platform)
        rows = readers.rows(office.taken)[1:]
        assert len(rows) == len(NAMES)
        assert not any(cell[:1] in tuple("=+-@") for row in rows for cell in row if not cell.startswith('="9'))


def test_each_platforms_sheet_is_filled_row_by_row(office: Office) -> None:
    office.graded(a_class_on_gradescope(office.folder))
    both = list(zip(IDS, NAMES, strict=True))
    sheet = csv_of([["Name", "SID", "Total Score", "Max Points"], *([name, sid, "", "2.5"] for sid, name in both)])
    assert office.exported("gradescope", sheet).code == 0
    assert readers.by_column(office.taken, "SID", "Total Score") == MARKS
    assert [row[0] for row in readers.rows(office.taken)[1:]] == [
        name if name[0] not in "=@-" else f"'{name}" for name in NAMES
    ]
    points = [["    Points Possible", "", "", "", "2.5"]]
    sheet = csv_of([["Student", "ID", "SIS User ID", "Section", "Doubling (8)"], *points,
                    *([name, f"7{sid}", sid, "A", ""] for sid, name in both)])  # fmt: skip
    assert office.exported("canvas", sheet).code == 0
    assert readers.canvas(office.taken) == {f"7{sid}": mark for sid, mark in MARKS.items()}
    sheet = csv_of([["Identifier", "Full name", "ID number", "Grade", "Maximum Grade", "Last modified (grade)"],
                    *([f"Participant 8{sid}", name, sid, "", "2.50", "-"] for sid, name in both)])  # fmt: skip
    assert office.exported("moodle", sheet).code == 0
    read = readers.moodle(office.taken, "Identifier", "Grade", "Last modified (grade)")
    assert read == {f"8{sid}": mark for sid, mark in MARKS.items()}
    head = "Doubling [Total Pts: 2.5 Score] |5"
    sheet = csv_of([["Last Name", "First Name", "Username", head], *([name, "", sid, ""] for sid, name in both)])
    assert office.exported("blackboard", sheet).code == 0
    assert readers.by_column(office.taken, "Username", head) == MARKS


def test_by_name_alone_the_two_of_one_name_are_left_to_a_person(office: Office) -> None:
    office.graded(a_class_on_gradescope(office.folder))
    points = [["    Points Possible", "", "", "2.5"]]
    sheet = csv_of([["Student", "ID", "Section", "Doubling (8)"], *points,
                    *([name, f"7{sid}", "A", ""] for sid, name in zip(IDS, NAMES, strict=True))])  # fmt: skip
    ran = office.exported("canvas", sheet)
    assert ran.code == 1
    read = readers.canvas(office.taken)
    told = {sid: mark for sid, mark in MARKS.items() if read[f"7{sid}"]}
    assert read == {f"7{sid}": MARKS[sid] if sid in told else "" for sid in IDS}
    twice = {sid for sid, name in zip(IDS, NAMES, strict=True) if name in ("Wei Li", NAMES[2], NAMES[3])}
    assert not twice & told.keys() and {"900", "901", "904", "905"} <= told.keys()
    assert all(f"{sid} Wei Li" in ran.out for sid in ("907", "908"))


def test_the_names_of_folders_are_ids_and_two_forms_of_one_are_one_student(office: Office) -> None:
    ids = ["O'Neil, Jr.", "李雷", '=HYPERLINK("x")', "😀", "-1", "con"]
    files = {f"{name}/doubling.py": work(1) for name in ids}
    files |= {f"{unicodedata.normalize(form, 'Zoë')}/doubling.py": work(2) for form in ("NFC", "NFD")}
    office.graded(laid(office.folder / "drop", files))
    marks = readers.by_column((office.out / "grades.csv").read_bytes(), "student_id", "score")
    assert marks == {shown(name): "1.5" for name in ids} | {unicodedata.normalize("NFC", "Zoë"): "2.5"}
    flags = readers.rows((office.out / "flags.csv").read_bytes())
    assert [row[2] for row in flags if row[0] == unicodedata.normalize("NFC", "Zoë")] == [
        "odd_return",
        "several_attempts",
    ]
    office.exported("csv")
    assert readers.by_column(office.taken, "student_id", "score") == marks
    sheet = csv_of([["student_id", "score", "max_score"], *([name, "", "2.5"] for name in [*ids, "Zoë"])])
    assert office.exported("nbgrader", sheet).code == 0
    assert [row[:2] for row in readers.rows(office.taken)[1:]] == [*([name, "1.5"] for name in ids), ["Zoë", "2.5"]]


def csv_of(rows: list[list[str]]) -> bytes:
    import csv
    import io

    sheet = io.StringIO()
    csv.writer(sheet, lineterminator="\r\n").writerows(rows)
    return sheet.getvalue().encode()


def test_names_on_disk_that_are_no_utf8_are_read_as_their_students(office: Office) -> None:
    drop = os.fsencode(laid(office.folder / "drop", {"ana/doubling.py": work(0)}))
    for name in ("张三".encode("gbk"), b"bad\xff\xfe\x80", b"tab\there"):
        os.mkdir(drop + b"/" + name)
        with open(drop + b"/" + name + b"/doubling.py", "wb") as file:
            file.write(work(1).encode())
    office.graded(office.folder / "drop")
    marks = readers.by_column((office.out / "grades.csv").read_bytes(), "student_id", "score")
    assert marks == {"ana": "0.5", "张三": "1.5", "bad%FF%FE%80": "1.5", "tab\ufffdhere": "1.5"}
    assert office.exported("excel").code == 0
    assert readers.by_column(office.taken, "student_id", "score") == marks
    again = office.graded(office.folder / "drop")
    assert "nothing new to grade" in again.err
