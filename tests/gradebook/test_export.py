"""What an export promises: nothing is lost, invented or overwritten, and every change is said."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli import main
from tests.gradebook import readers
from tests.gradebook.conftest import Office, laid, packed, work
from tests.store.plain_class import ports

HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (8)\r\n    Points Possible,,,,,2.5\r\n"
SHEET = HEAD + '"Diaz, Ana",101,s1,ana,A,\r\n"Li, Bo",102,s2,bo,A,1.5\r\n"Ng, Cy",103,s3,cy,A,\r\n'
ROSTER = "student_id,name,login,sis_id\n0101,Ana Diaz,ana,s1\n0102,Bo Li,bo,s2\n0103,Cy Ng,cy,s3\n0104,Di Xu,di,s4\n"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[[Path], Path]) -> Path:
    """Three of a roster's four handed in as plain folders; cy's cannot be read. Graded once, copied for each test."""
    folder = tmp_path_factory.mktemp("class")
    drop = laid(folder / "drop", {"0101/doubling.py": work(2), "0102/doubling.py": work(1), "0103/doubling.py": ""})
    (folder / "roster.csv").write_text(ROSTER)
    (folder / "course").mkdir()
    course = make_course(folder / "course")
    more = ("--roster", str(folder / "roster.csv"))
    assert main(["--course", str(course), "batch", str(drop), "-a", "doubling", "-o", str(folder / "out"), *more],
                ports()) == 1  # fmt: skip
    return folder


@pytest.fixture
def graded(office: Office, once: Path) -> Office:
    shutil.copytree(once / "out", office.out)
    return office


def test_rows_are_found_by_what_the_roster_knows(graded: Office) -> None:
    ran = graded.exported("canvas", SHEET.encode())
    assert ran.code == 0
    assert readers.canvas(graded.taken) == {"101": "2.5", "102": "1.5", "103": ""}
    assert "1 marks change, 1 stay" in ran.out
    assert "0103 (not_gradable)" in ran.out
    by_name = HEAD + 'Ana Diaz,,,,A,\r\n"Li, Bo",,,,A,\r\n'
    ran = graded.exported("canvas", by_name.encode())
    assert [row[-1] for row in readers.rows(graded.taken)[2:]] == ["2.5", "1.5"]


def test_a_name_never_overrules_a_number_that_says_otherwise(graded: Office) -> None:
    sheet = HEAD + '"Diaz, Ana",901,s9,zed,A,\r\n"Li, Bo",102,s2,bo,A,\r\n'
    ran = graded.exported("canvas", sheet.encode())
    assert ran.code == 1
    assert readers.canvas(graded.taken) == {"901": "", "102": "1.5"}
    assert "1 with a mark but without a row in this sheet: 0101 Ana Diaz" in ran.out
    assert "in the sheet but not in this class; nothing was written: line 3 Diaz, Ana" in ran.out


def test_an_account_that_the_roster_does_not_know_contradicts_nobody(office: Office) -> None:
    files = {"0101/doubling.py": work(2), "0102/doubling.py": work(1)}
    office.graded(
        laid(office.folder / "drop", files),
        roster="student_id,name,sis_id\n0101,Ana Diaz,s1\n0102,Bo Li,\n0103,Cy Ng,\n",
    )
    ran = office.exported("canvas", SHEET.encode())
    assert ran.code == 0
    assert readers.canvas(office.taken) == {"101": "2.5", "102": "1.5", "103": ""}
    assert "1 without a mark that counts; nothing was written: 0103 (missing)" in ran.out


def test_ids_that_fit_two_students_are_left_to_a_person(graded: Office) -> None:
    ran = graded.exported("canvas", (HEAD + "X,1,s1,bo,A,\r\n").encode())
    assert ran.code == 1
    assert "line 3: its ids fit several students or rows (0101, 0102); not touched" in ran.out
    assert readers.canvas(graded.taken) == {"1": ""}


def test_another_maximum_is_refused_and_scaled_only_when_told(graded: Office) -> None:
    sheet = SHEET.replace(",2.5\r\n", ",10\r\n", 1).encode()
    refused = graded.exported("canvas", sheet)
    assert refused.code == 2
    assert "its maximum is 10, ours is 2.5" in refused.err and "--scale to multiply by 4" in refused.err
    assert not (graded.folder / "up.csv").exists()
    assert graded.exported("canvas", sheet, "--scale").code == 0
    assert readers.canvas(graded.taken) == {"101": "10", "102": "6", "103": ""}
    nothing = graded.exported("canvas", SHEET.replace(",2.5\r\n", ",0\r\n", 1).encode(), "--scale")
    assert nothing.code == 2 and "its maximum is 0" in nothing.err


@pytest.mark.parametrize("before", ["", "Manual Posting,,,,,Manual Posting\r\n"])
@pytest.mark.parametrize("called", ["Points Possible", "满分"])
def test_a_row_of_maxima_counts_as_such_also_where_its_spaces_were_trimmed(
    graded: Office, called: str, before: str
) -> None:
    points = SHEET.splitlines(keepends=True)[1]
    sheet = SHEET.replace(points, before + points.replace("    Points Possible", called))
    ran = graded.exported("canvas", sheet.encode())
    assert ran.code == 0 and "compare it by hand" not in ran.out and f"line 2 {called}" not in ran.out
    ran = graded.exported("canvas", sheet.replace("2.5", "10").encode())
    assert ran.code == 2 and "--scale" in ran.err


def test_students_without_ids_are_no_row_of_maxima(graded: Office) -> None:
    sheet = 'Student,ID,SIS User ID,SIS Login ID,Section,Doubling (8)\r\n"Diaz, Ana",,,,A,1\r\n"Li, Bo",,,,A,\r\n'
    ran = graded.exported("canvas", sheet.encode())
    assert ran.code == 0 and [row[-1] for row in readers.rows(graded.taken)[1:]] == ["2.5", "1.5"]


def test_a_title_over_two_lines_is_a_title(graded: Office) -> None:
    sheet = SHEET.replace("Doubling (8)", '"Doubling,\n part ""b"" (8)"')
    ran = graded.exported("canvas", sheet.encode())
    assert ran.code == 0
    assert [row[-1] for row in readers.rows(graded.taken)[2:]] == ["2.5", "1.5", ""]


MOODLE = "Identifier,Full name,Grade,Maximum Grade\r\nParticipant 5,Ana Diaz,,2.5\r\nParticipant 6,Bo Li,1.5,2.5\r\n"


@pytest.mark.parametrize(("platform", "sheet", "row"), [("canvas", SHEET, ",,,,,"), ("moodle", MOODLE, ",,,")])
def test_empty_rows_and_columns_of_a_spreadsheet_are_nobodys(
    graded: Office, platform: str, sheet: str, row: str
) -> None:
    wider = sheet.replace("\r\n", ",,\r\n")
    ran = graded.exported(platform, (wider + f"{row},,\r\n" * 3).encode())
    assert "1 marks change, 1 stay" in ran.out, ran.out + ran.err
    assert "nothing was written: line" not in ran.out.replace("line 5 Ng, Cy", "")
    assert [cells for cells in readers.rows(graded.taken) if not any(cells)] or platform == "canvas"


def test_a_persons_marks_go_out_and_published_ones_stay(graded: Office) -> None:
    graded.run("override", graded.out, "0102", "--score", "2.25", "--why", "x", "--comment", "=well\nargued, Bo")
    graded.run("override", graded.out, "0103", "--score", "1", "--why", "on paper")
    graded.exported("canvas", SHEET.encode())
    assert readers.canvas(graded.taken) == {"101": "2.5", "102": "2.25", "103": "1"}
    assert graded.run("publish", graded.out).code == 0
    graded.run("override", graded.out, "0102", "--score", "0", "--why", "y")
    graded.exported("canvas", SHEET.encode())
    assert readers.canvas(graded.taken)["102"] == "2.25"
    graded.exported("csv")
    comments = readers.by_column(graded.taken, "student_id", "comment")
    assert comments == {"0101": "", "0102": "'=well\nargued, Bo", "0103": "", "0104": ""}


def test_practice_goes_into_no_gradebook(office: Office) -> None:
    office.graded(laid(office.folder / "drop", {"ana/doubling.py": work(2)}), "--practice")
    for platform in ("csv", "excel", "nbgrader"):
        refused = office.exported(platform)
        assert refused.code == 2 and "practice" in refused.err
    assert not (office.folder / "up.csv").exists()


def test_neither_the_template_nor_the_class_is_overwritten(graded: Office) -> None:
    template = graded.folder / "down.csv"
    template.write_bytes(SHEET.encode())
    os.link(template, graded.folder / "same.csv")
    (graded.folder / "link.csv").symlink_to(template)
    for target in ("down.csv", "same.csv", "link.csv"):
        refused = graded.run(
            "export", graded.out, "canvas", "--template", template, "-o", graded.folder / target
        )  # fmt: skip
        assert refused.code == 2 and "template" in refused.err
    table = (graded.out / "grades.csv").read_bytes()
    for name in ("grades.csv", "grades.sqlite"):
        refused = graded.run("export", graded.out, "csv", "-o", graded.out / name)
        assert refused.code == 2 and "file of the class" in refused.err
    refused = graded.run("export", graded.out, "csv", "-o", graded.out)
    assert refused.code == 2 and "folder" in refused.err
    assert template.read_bytes() == SHEET.encode() and (graded.out / "grades.csv").read_bytes() == table


def test_the_sheet_goes_beside_the_class_unless_told_and_a_trial_writes_nothing(graded: Office) -> None:
    (graded.folder / "down.csv").write_bytes(SHEET.encode())
    command = ("export", graded.out, "canvas", "--template", graded.folder / "down.csv")
    tried = graded.run(*command, "--dry-run")
    assert "(empty) -> 2.5" in tried.out and not (graded.out / "exports").exists()
    graded.run(*command)
    assert readers.canvas((graded.out / "exports" / "canvas.csv").read_bytes())["101"] == "2.5"
    graded.run("forget", graded.out, "0101")
    assert not (graded.out / "exports").exists()


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("canva",), "did you mean 'canvas'"),
        (("moodle",), "Download grading worksheet"),
        (("csv", "--template", "down.csv"), "take --template away"),
        (("canvas", "--template", "nowhere.csv"), "cannot be read"),
        (("gradescope", "--template", "down.csv"), "no columns Total Score"),
        (("blackboard", "--template", "down.csv"), "no column Username"),
        (("moodle", "--template", "down.csv"), "participants' numbers"),
        (("nbgrader", "--template", "down.csv"), "student_id and score"),
        (("canvas", "--template", "book.csv"), "Excel workbook"),
        (("canvas", "--template", "empty.csv"), "is empty"),
        (("canvas", "--template", "open.csv"), "open.csv:2: a quoted cell begins here"),
        (("canvas", "--template", "two.csv"), "name one with --column; there is Doubling (8); Doubling (9)"),
        (("canvas", "--template", "down.csv", "--column", "Tripling"), "no assignment is called 'Tripling'"),
        (("csv", "--feedback", "back.zip"), "canvas and moodle alone"),
        (("canvas", "--template", "down.csv", "--feedback", "back.zip"), "nothing here was handed in through canvas"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_makes_no_sense_is_refused(graded: Office, arguments: tuple[str, ...], said: str,
                                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(graded.folder)
    for name, data in {
        "down.csv": SHEET.encode(), "book.csv": b"PK\x03\x04x", "empty.csv": b"\r\n", "open.csv": b'a,b\n"c,d\n',
        "two.csv": SHEET.replace("Doubling (8)", "Doubling (8),Doubling (9)").encode(),
    }.items():  # fmt: skip
        (graded.folder / name).write_bytes(data)
    refused = graded.run("export", graded.out, *arguments)
    assert refused.code == 2, refused.out
    assert said in refused.err
    assert not (graded.out / "exports").exists() and not (graded.folder / "back.zip").exists()


def test_a_column_may_be_named_by_title_whole_header_or_number(graded: Office) -> None:
    sheet = SHEET.replace("Doubling (8)", "Sheet 3 (8),Sheet 3 (9)").replace(",2.5\r\n", ",2.5,2.5\r\n").encode()
    for name in ("9", "Sheet 3 (9)"):
        assert graded.exported("canvas", sheet, "--column", name).code == 0
        assert readers.rows(graded.taken)[0][-1] == "Sheet 3 (9)"
        assert readers.canvas(graded.taken)["101"] == "2.5"


@pytest.mark.parametrize(
    "encoding, ends",
    [("utf-8", "\r\n"), ("utf-8-sig", "\n"), ("gb18030", "\r\n"), ("utf-16", "\r"), ("utf-16-le", "\r\n"),
     ("utf-16-be", "\n")],
)  # fmt: skip
def test_nothing_but_the_marks_changes_in_a_sheet(graded: Office, encoding: str, ends: str) -> None:
    text = (HEAD + '"张三, ""x""",101,s1,ana,"A\r\nB",\r\nNg,103,s3,cy,A, "q"').replace("\r\n", ends)
    for data in (text.encode(encoding), (text + ends).encode(encoding), (text + 2 * ends).encode(encoding)):
        assert graded.exported("canvas", data).code == 1  # bo has no row
        before, after = data.decode(encoding), graded.taken.decode(encoding)
        assert after == before.replace(f'"A{ends}B",', f'"A{ends}B",2.5')
        assert graded.taken[:2] == data[:2]


def test_what_is_in_the_way_of_an_encoding_is_said(graded: Office) -> None:
    graded.run("override", graded.out, "0101", "--why", "x", "--comment", "好 ☃")
    sheet = "Last Name,First Name,Username,Doubling [Total Pts: 2.5 Score] |55,Feedback to Learner\nNuñez,Zoë,ana,,\n"
    refused = graded.exported("blackboard", sheet.encode("cp1252"))
    assert refused.code == 2 and "cp1252, which has no '好'" in refused.err


def test_cells_that_students_wrote_are_no_formulas(graded: Office) -> None:
    heads = "Identifier,Full name,ID number,Grade,Maximum Grade,Last modified (grade),Online text,Feedback comments\n"
    sheet = heads + 'Participant 7,"=HYPERLINK(""x"")",0101,,2.50,-,@x,-1 for style\nParticipant 8,-,0102,,2.50,-,,\n'
    ran = graded.exported("moodle", sheet.encode())
    assert "2 cells that a spreadsheet would take for formulas got a leading '" in ran.out
    assert readers.rows(graded.taken)[1:] == [
        ["Participant 7", '\'=HYPERLINK("x")', "0101", "2.5", "2.50", "-", "'@x", "-1 for style"],
        ["Participant 8", "-", "0102", "1.5", "2.50", "-", "", ""],
    ]


def test_a_worksheet_in_any_language_is_filled_with_the_column_named(graded: Office) -> None:
    heads = "Identificador,Nombre,Número de ID,Calificación,Calificación máxima,Última modificación (calificación)\n"
    sheet = heads + 'Participante 7,Ana Diaz,0101,"-","10,00",-\n'
    refused = graded.exported("moodle", sheet.encode())
    assert refused.code == 2 and "--column" in refused.err
    refused = graded.exported("moodle", sheet.encode(), "--column", "Calificación")
    assert refused.code == 2 and "maximum is 10" in refused.err
    graded.exported("moodle", sheet.encode(), "--column", "Calificación", "--scale")
    assert readers.rows(graded.taken)[1][3] == "10"


def test_reports_go_back_without_a_staff_form_from_pseudonymous_folders_too(office: Office) -> None:
    files = {"Ana Diaz_71_assignsubmission_file/doubling.py": work(1)}
    office.graded(packed(office.folder / "m.zip", files), "--pseudonyms")
    sheet = b"Identifier,Full name,Grade,Maximum Grade,Last modified (grade)\nParticipant 71,Ana Diaz,,2.50,-\n"
    assert office.exported("moodle", sheet, "--feedback", office.folder / "back.zip").code == 0
    with zipfile.ZipFile(office.folder / "back.zip") as archive:
        (name,) = archive.namelist()
        report = archive.read(name)
    (office.folder / "up.csv").unlink()
    assert office.exported("moodle", None, "--feedback", office.folder / "alone.zip").code == 0
    assert (office.folder / "alone.zip").read_bytes() == (office.folder / "back.zip").read_bytes()
    assert not (office.folder / "up.csv").exists()
    (folder,) = (office.out / "reports").iterdir()
    assert report == (folder / "report.html").read_bytes() != (folder / "staff.html").read_bytes()
