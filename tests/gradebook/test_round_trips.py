"""Every layout on its whole way: an archive as the platform packs it, graded, and back into the platform's sheet."""

from __future__ import annotations

import csv
import io
import unicodedata
import zipfile

import pytest

from tests.gradebook import readers
from tests.gradebook.conftest import Office, laid, packed, work

CANVAS_SHEET = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Reading (7),Doubling (8),Final Score\r\n"
    ",,,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,,10.00,2.50,(read only)\r\n"
    '"Diaz, Ana",101,s1,ana,A,,1,,9\r\n'
    '"O\'Neil, Jr., Bo",102,s2,bo,"A, B",,2,1.00,9\r\n'
    "张三,103,s3,zhang,A,,3,EX,9\r\n"
    '"Li, Eve",104,s4,eve,A,,4,0.5,9\r\n'
    '"Student, Test",999,,x,A,,,,\r\n'
)
CANVAS_FILES = {
    "diazana_101_5001_doubling.py": work(2),
    "oneiljrbo_LATE_102_5002_2023_01_doubling-1.py": work(1),
    "张三_103_5003_doubling.py": work(2),
    "lieve_104_text.html": "<p>my code</p>",
    "__MACOSX/._diazana_101_5001_doubling.py": "junk",
}


def test_canvas(office: Office) -> None:
    office.graded(packed(office.folder / "course-doubling_submissions.zip", CANVAS_FILES))
    ran = office.exported("canvas", CANVAS_SHEET.encode("utf-8-sig"), "--feedback", office.folder / "back.zip")
    assert ran.code == 0, ran.err
    assert office.taken.startswith(b"\xef\xbb\xbf")
    assert readers.canvas(office.taken) == {"101": "2.5", "102": "1.5", "103": "EX", "104": "0.5", "999": ""}
    assert b"Reading" not in office.taken and b"\r\n" in office.taken
    assert "line 4  101 diazana" in ran.out and "(empty) -> 2.5" in ran.out
    assert "line 5  102 oneiljrbo  1.00 -> 1.5" in ran.out
    assert "excused there; not touched" in ran.out
    assert "104 (not_gradable)" in ran.out and "Student Test" in ran.out.replace(", ", " ")
    with zipfile.ZipFile(office.folder / "back.zip") as archive:
        assert archive.namelist() == [
            "diazana_101_5001_report.md", "oneiljrbo_LATE_102_5002_report.md", "张三_103_5003_report.md",
        ]  # fmt: skip
        report = archive.read("oneiljrbo_LATE_102_5002_report.md").decode()
    assert report == (office.out / "reports" / "102" / "report.md").read_text(encoding="utf-8")
    assert "104" in ran.err


def test_canvas_anonymous_and_with_semicolons(office: Office) -> None:
    office.graded(packed(office.folder / "x.zip", {"LATE_anon_x7Yz2_5004_doubling.py": work(1),
                                                   "anon_b3_5005_doubling.py": work(2)}))  # fmt: skip
    sheet = "Student;ID;Section;Doubling (8)\nManual Posting;;;\n    Points Possible;;;2,50\nX;x7Yz2;A;\nB;b3;A;0,50\n"
    assert office.exported("canvas", sheet.encode()).code == 0
    assert readers.canvas(office.taken, ";") == {"x7Yz2": "1,5", "b3": "2,5"}


MOODLE_HEADS = {
    "en": ("Identifier", "Full name", "ID number", "Email address", "Status", "Grade", "Maximum Grade",
           "Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments"),
    "zh": ("标识号", "全名", "学号", "电子邮件地址", "状态", "成绩", "最高分", "允许更改成绩", "上次修改（作业）", "上次修改（评分）", "反馈评论"),
    "zh_tw": ("識別碼", "全名", "學號", "電子郵件信箱", "狀態", "分數", "最高分數", "可以更改成績", "最後修改(繳交)", "最後修改(評分)", "回饋評語"),
}  # fmt: skip
# Another translation of the same: sites differ, and translators go on.
MOODLE_HEADS["zh_other"] = (
    "识别符",
    "名字",
    "ID 号",
    "邮箱 地址",
    "状态",
    "成绩",
    "满分值",
    "可以修改成绩吗",
    "最后修改（提交）",
    "最后修改（成绩）",
    "反馈之评论",
)
PERSON, YES, NO = (
    {"en": "Participant ", "zh": "参与人", "zh_tw": "參與者", "zh_other": "参与者 "},
    {"en": "Yes", "zh": "是", "zh_tw": "是", "zh_other": "是"},
    {"en": "No", "zh": "否", "zh_tw": "否", "zh_other": "否"},
)


def moodle_sheet(lang: str, most: str = "2.50") -> bytes:
    sheet = io.StringIO()
    people = [("71", "Ana Diaz", "Yes"), ("72", "O'Neil, Jr.", "Yes"), ("73", "李雷", "Yes"), ("74", "Bo Li", "No"),
              ("75", "Eve Ng", "Yes")]  # fmt: skip
    table = [MOODLE_HEADS[lang]] + [
        (PERSON[lang] + number, name, "", f"s{number}@x.edu", "Submitted for grading", "", most,
         YES[lang] if open_ == "Yes" else NO[lang], "Monday, 1 June 2026, 3:04 PM", "-", "")
        for number, name, open_ in people
    ]  # fmt: skip
    csv.writer(sheet, lineterminator="\n").writerows(table)
    return b"\xef\xbb\xbf" + sheet.getvalue().encode()


@pytest.mark.parametrize(
    "kind, lang",
    [("folders", "en"), ("folders", "zh"), ("folders", "zh_tw"), ("folders", "zh_other"), ("folders_before_4.1", "en"), ("flat", "en"),
     ("user_names", "en")],
)  # fmt: skip
def test_moodle(office: Office, kind: str, lang: str) -> None:
    between = {"folders": "/", "folders_before_4.1": "_/", "flat": "_", "user_names": "/"}[kind]
    user = "adiaz " if kind == "user_names" else ""
    office.graded(
        packed(office.folder / "C1-Doubling-12.zip", {
            f"{user}Ana Diaz_71_assignsubmission_file{between}doubling.py": work(2),
            f"ONeil, Jr._72_assignsubmission_file{between}doubling (1).py": work(1),
            f"李雷_73_assignsubmission_file{between}doubling.py": work(0),
            f"Bo Li_74_assignsubmission_file{between}doubling.py": work(2),
            f"Bo Li_74_assignsubmission_onlinetext{between}onlinetext.html": "<p>hello</p>",
        })
    )  # fmt: skip
    ran = office.exported("moodle", moodle_sheet(lang), "--feedback", office.folder / "back.zip")
    assert ran.code == 0, ran.err + ran.out
    heads = MOODLE_HEADS[lang]
    read = readers.moodle(office.taken, heads[0], heads[5], heads[9])
    assert read == {"71": "2.5", "72": "1.5", "73": "0.5", "74": "", "75": ""}
    assert b"\r" not in office.taken and office.taken.startswith(b"\xef\xbb\xbf")
    assert "its grade is locked" in ran.out and "Eve Ng" in ran.out
    with zipfile.ZipFile(office.folder / "back.zip") as archive:
        assert sorted(archive.namelist()) == sorted(
            f"{name}_assignsubmission_file{between}report.html"
            for name in (f"{user}Ana Diaz_71", "ONeil, Jr._72", "李雷_73", "Bo Li_74")
        )
        assert all(b"checks.py::" not in archive.read(name) for name in archive.namelist())


def test_a_number_of_another_assignment_is_seen_by_its_name(office: Office) -> None:
    office.graded(packed(office.folder / "m.zip", {
        "Ana Diaz_72_assignsubmission_file/doubling.py": work(2), "李雷_73_assignsubmission_file/doubling.py": work(1),
    }))  # fmt: skip
    ran = office.exported("moodle", moodle_sheet("en"))
    assert ran.code == 1
    assert "is this the sheet of this assignment?" in ran.out
    assert readers.moodle(office.taken, "Identifier", "Grade", "Last modified (grade)")["72"] == ""


METADATA = """\
submission_11:
  :submitters:
  - :name: "Ana \\"A\\" Diaz"
    :sid: '0042'
    :email: ana@x.edu
  - :name: 张三
    :sid: '0043'
    :email: z@x.edu
  :created_at: 2026-01-02 03:04:05 Z
submission_12:
  :submitters:
  - :name: "O'Neil, Jr."
    :sid: ''
    :email: o@x.edu
  :created_at: 2026-01-02 03:04:05 Z
"""
GRADESCOPE_SHEET = (
    "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID,Submission Time\n"
    'Ana,Diaz,0042,ana@x.edu,A,,2.5,Ungraded,11,2026\n三,张,0043,z@x.edu,A,,2.5,Ungraded,11,2026\n'
    'Jr.,O\'Neil,,o@x.edu,A,1.0,2.5,Graded,12,2026\nEve,Ng,0045,e@x.edu,A,,2.5,Missing,,\n'
)  # fmt: skip


def test_gradescope_with_a_group(office: Office) -> None:
    office.graded(
        packed(office.folder / "e.zip", {
            "assignment_9_export/submission_metadata.yml": METADATA,
            "assignment_9_export/submission_11/doubling.py": work(2),
            "assignment_9_export/submission_12/doubling.py": work(0),
        })
    )  # fmt: skip
    ran = office.exported("gradescope", GRADESCOPE_SHEET.encode())
    assert ran.code == 0, ran.out
    marks = readers.by_column(office.taken, "Email", "Total Score")
    assert marks == {"ana@x.edu": "2.5", "z@x.edu": "2.5", "o@x.edu": "0.5", "e@x.edu": ""}
    grades = readers.by_column((office.out / "grades.csv").read_bytes(), "student_id", "submission")
    assert grades == {"0042": "11", "0043": "11", "o@x.edu": "12"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_blackboard(office: Office, encoding: str) -> None:
    office.graded(
        packed(office.folder / "gradebook_C1_HW20.zip", {
            "HW 1_ana_d_attempt_2026-01-02-03-04-05.txt": "Name: Ana Diaz (ana_d)\nAssignment: HW 1\n",
            "HW 1_ana_d_attempt_2026-01-02-03-04-05_doubling.py": work(2),
            "HW 1_ana_d_attempt_2026-01-03-03-04-05_doubling.py": work(1),
            "HW 1_ana_d_attempt_2026-01-03-03-04-05.txt": "Name: Ana Diaz (ana_d)\n",
            "HW 1_2023010101_attempt_2026-01-03-03-04-05_doubling.py": work(0),
        })
    )  # fmt: skip
    rows = [("Last Name", "First Name", "Username", "Student ID", "Doubling [Total Pts: 2.5 Score] |55"),
            ("Diaz", "Ana", "ana_d", "", ""), ("张", "三", "2023010101", "", "Needs Grading"), ("Ng", "Eve", "eve", "", "")]  # fmt: skip
    sheet = "\r\n".join("\t".join(f'"{cell}"' for cell in row) for row in rows) + "\r\n"
    assert office.exported("blackboard", sheet.encode(encoding)).code == 0
    marks = readers.by_column(office.taken, "Username", rows[0][-1], "\t", encoding)
    assert marks == {"ana_d": "1.5", "2023010101": "0.5", "eve": ""}
    assert '"1.5"'.encode("utf-16-le" if encoding == "utf-16" else "utf-8") in office.taken


def test_nbgrader(office: Office) -> None:
    office.graded(
        laid(office.folder / "course1", {
            "submitted/ana/doubling/doubling.py": work(2), "submitted/ana/doubling/timestamp.txt": "2026",
            "submitted/ana/ps2/other.py": "", "submitted/bo/doubling/.ipynb_checkpoints/doubling-checkpoint.py": "",
            "submitted/bo/doubling/doubling.py": work(1),
        })
    )  # fmt: skip
    header = "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,max_score\n"
    sheet = header + "doubling,,,ana,,,,0,0,0,2.5\nps2,,,ana,,,,3,0,3,5\ndoubling,,,bo,,,,0,0,0,2.5\n"
    assert office.exported("nbgrader", sheet.encode()).code == 0
    read = [(row[0], row[3], row[9]) for row in readers.rows(office.taken)[1:]]
    assert read == [("doubling", "ana", "2.5"), ("ps2", "ana", "3"), ("doubling", "bo", "1.5")]
    assert office.exported("nbgrader").code == 0
    assert readers.by_column(office.taken, "student_id", "score") == {"ana": "2.5", "bo": "1.5"}


@pytest.mark.parametrize("kind", ["folders", "files", "zip_of_zips", "clones"])
def test_layouts_without_a_sheet_of_their_own(office: Office, kind: str) -> None:
    inner = packed(office.folder / "inner.zip", {"my work/doubling.py": work(2)}).read_bytes()
    files: dict[str, str | bytes] = {
        "folders": {"0042/doubling.py": work(2), "0043/sub/doubling (1).py": work(1)},
        "files": {"0042.py": work(2), "0043.py": work(1)},
        "zip_of_zips": {"hw1/0042.zip": inner, "hw1/0043/doubling.py": work(1)},
        "clones": {"doubling-ana/.git/config": "x", "doubling-ana/doubling.py": work(2),
                   "doubling-bo-li/.git/HEAD": "x", "doubling-bo-li/doubling.py": work(1)},
    }[kind]  # fmt: skip
    roster = "学号,姓名,github\n0042,张三,ana\n0043,O'Neil,bo-li\n0044,Eve,eve\n" if kind == "clones" else ""
    drop = packed(office.folder / "hw.zip", files) if kind == "zip_of_zips" else laid(office.folder / "drop", files)
    office.graded(drop, roster=roster)
    assert office.exported("csv").code == 0
    told = {s: m for s, m in readers.by_column(office.taken, "student_id", "score").items() if m}
    assert told == {"0042": "2.5", "0043": "1.5"}
    ran = office.exported("excel")
    assert office.taken.startswith(b"\xef\xbb\xbf")
    assert [row[0] for row in readers.rows(office.taken)[1:3]] == ['="0042"', '="0043"']
    assert ("0044 (missing)" in ran.out) == (kind == "clones")


def test_both_forms_of_a_letter_are_one_name(office: Office) -> None:
    one, other = (unicodedata.normalize(form, "Zoë Ng") for form in ("NFC", "NFD"))
    office.graded(packed(office.folder / "m.zip", {f"{other}_71_assignsubmission_file/doubling.py": work(1)}))
    sheet = f'Student,ID,Section,Doubling (8)\n    Points Possible,,,2.5\n"{one.split()[1]}, {one.split()[0]}",5,A,\n'
    assert office.exported("canvas", sheet.encode()).code == 0
    assert readers.canvas(office.taken) == {"5": "1.5"}
