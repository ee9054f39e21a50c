"""A late policy over a class: every format shows it, nothing runs again for it, and what is published stays."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.store.conftest import ROOT, Class

TERM = "deadline: 2026-03-01T23:59+08:00\ngrace: 10 min\nper_day: 10%\ncap: 50%\n"
TIMES = "student_id,submitted_at\nana,2026-03-01 23:00\nbo,2026-03-02 08:00\ncy,2026-03-04 08:00\n"


@pytest.fixture
def late(class_: Class) -> Class:
    """One on time, one a day late, one three days, graded so."""
    (class_.course.parent / "term.yaml").write_text(TERM)
    (class_.course.parent / "times.csv").write_text(TIMES)
    class_.hands_in("cy")
    assert class_.batch(*options(class_)).code == 0
    class_.ran()
    return class_


def options(class_: Class) -> tuple[object, ...]:
    return ("--term", class_.course.parent / "term.yaml", "--times", class_.course.parent / "times.csv")


def penalties(class_: Class) -> dict[str, tuple[str, str]]:
    return {student: (row["score"], row["late_penalty"]) for student, row in class_.table().items()}


def report(class_: Class, student: str, name: str) -> str:
    return (class_.out / "reports" / student / name).read_text(encoding="utf-8")


def test_every_format_shows_what_is_taken_off_and_how_the_time_is_known(late: Class) -> None:
    assert penalties(late) == {"ana": ("2.5", "0"), "bo": ("1.25", "0.25"), "cy": ("1.75", "0.75")}
    said = "Late policy: 3 days late (time from the worksheet): 0.75 off, 1.75 of 2.5 count"
    for name in ("staff.html", "report.html", "report.md"):
        assert said in report(late, "cy", name).replace("\\", "")
    for name in ("report.json", "student.json"):
        document = json.loads(report(late, "cy", name))
        assert document["score"] == 2.5
        assert document["late"] == [
            {"students": ["cy"], "days": 3, "source": "worksheet", "penalty": 0.75, "counts": 1.75,
             "note": "3 days late (time from the worksheet)"}
        ]  # fmt: skip
        Draft202012Validator(json.loads((ROOT / "grader/report.schema.json").read_text())).validate(document)
    assert "on time (time from the worksheet): nothing is taken off" in report(late, "ana", "report.md")


def test_a_moved_deadline_runs_nothing_again(late: Class) -> None:
    (late.course.parent / "term.yaml").write_text(TERM.replace("03-01T", "03-02T"))
    told = late.batch(*options(late))
    assert late.ran() == []
    assert penalties(late) == {"ana": ("2.5", "0"), "bo": ("1.5", "0"), "cy": ("2", "0.5")}
    assert "late policy: 1 late (1 with marks off), 2 on time, 0 without a known time" in told.err


def test_left_out_it_holds_on_and_none_drops_it(late: Class) -> None:
    told = late.batch("--times", late.course.parent / "times.csv")
    assert "--term none drops it" in told.err
    assert penalties(late)["cy"] == ("1.75", "0.75")
    late.batch("--term", "none")
    assert penalties(late)["cy"] == ("2.5", "0")
    assert "Late policy" not in report(late, "cy", "report.md")
    late.batch()
    assert penalties(late)["cy"] == ("2.5", "0")


def test_published_marks_keep_the_term_they_were_published_with(late: Class) -> None:
    assert "2 of them with marks off for lateness" in late.run("publish", late.out).out
    (late.course.parent / "term.yaml").write_text(TERM.replace("10%", "20%"))
    late.batch(*options(late))
    assert penalties(late)["cy"] == ("1.75", "0.75")
    assert "0.75 off" in report(late, "cy", "report.md")
    refused = late.run("regrade", late.out)
    assert refused.code == 1 and "cy: 1.75 / 2.5 -> 1.25 / 2.5 (-0.5)" in refused.out
    assert penalties(late)["cy"] == ("1.75", "0.75")
    assert late.run("regrade", late.out, "--allow-lower").code == 0
    assert penalties(late)["cy"] == ("1.25", "1.25")
    assert "1.25 off" in report(late, "cy", "report.md")


def test_what_was_told_once_holds_where_its_files_are_lost_or_left_out(late: Class) -> None:
    for name in ("term.yaml", "times.csv"):
        (late.course.parent / name).unlink()
    assert late.run("regrade", late.out).code == 0
    assert penalties(late)["cy"] == ("1.75", "0.75")
    late.batch()
    assert penalties(late)["cy"] == ("1.75", "0.75")
    late.hands_in("cy", values=["passed", "failed"])  # at a time that nobody told
    told = late.batch()
    assert penalties(late)["cy"] == ("1.5", "0")
    assert "1 without a known time" in told.err


def test_a_persons_mark_of_the_whole_stands_and_one_of_a_line_is_late_as_before(late: Class) -> None:
    late.run("override", late.out, "cy", "--score", "2", "--why", "saw it")
    assert penalties(late)["cy"] == ("2", "0")
    assert "3 days late (time from the worksheet); a person's mark stands as it is" in report(late, "cy", "report.md")
    late.run("override", late.out, "bo", "--criterion", "values=2", "--why", "saw it")
    assert penalties(late)["bo"] == ("2.25", "0.25")


def test_an_extension_for_nobody_is_pointed_at(late: Class) -> None:
    (late.course.parent / "term.yaml").write_text(TERM + "extensions:\n  cyy: 3 days\n  bo: 1 day\n")
    told = late.batch(*options(late))
    assert "nobody here is called cyy, who has an extension; did you mean 'cy'?" in told.err
    assert penalties(late)["bo"] == ("1.5", "0")


@pytest.mark.parametrize(
    ("sheet", "said"),
    [("student_id,when\nana,1\n", "times.csv:1: no column with the times"),
     ("who,submitted_at\nana,1\n", "times.csv:1: no column that tells the students"),
     ("student_id,submitted_at\nana,yesterday\n", "times.csv:2: 'yesterday' is no time"),
     ("student_id,submitted_at\nzed,2026-03-01 10:00\n", "none of its students")],
)  # fmt: skip
def test_a_sheet_of_no_use_is_refused(late: Class, sheet: str, said: str) -> None:
    (late.course.parent / "times.csv").write_text(sheet)
    refused = late.batch(*options(late))
    assert refused.code == 2 and said in refused.err
    assert penalties(late)["cy"] == ("1.75", "0.75")


def canvas(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "canvas.zip", "w") as archive:
        for name in ("anaa_11_501_doubling.py", "boo_LATE_12_502_doubling.py", "cyy_LATE_13_503_doubling.py"):
            archive.writestr(name, '# {"values": ["passed", "passed"], "inputs_untouched": ["passed"]}\n')
    return folder / "canvas.zip"


def test_late_marks_cost_nothing_without_a_policy_and_a_day_with_one(class_: Class) -> None:
    class_.drop = canvas(class_.course.parent)
    class_.batch()
    assert penalties(class_) == {"11": ("2.5", "0"), "12": ("2.5", "0"), "13": ("2.5", "0")}
    assert "late" in class_.table()["12"]["flags"]
    assert "Late policy" not in report(class_, "12", "report.md")
    (class_.course.parent / "term.yaml").write_text(TERM + "extensions: {'13': 2 days}\n")
    told = class_.batch("--term", class_.course.parent / "term.yaml")
    assert penalties(class_) == {"11": ("2.5", "0"), "12": ("2.25", "0.25"), "13": ("2.5", "0")}
    assert "the platform's LATE mark, which tells no time" in report(class_, "12", "report.md")
    assert "please look" in report(class_, "13", "report.md")
    assert "no time of handing in is known" in report(class_, "11", "report.md")
    assert "1 without a known time" in told.err


def test_the_members_of_a_group_may_have_deadlines_of_their_own(class_: Class) -> None:
    (class_.drop / "submission_metadata.yml").write_text(
        "submission_1:\n  :submitters:\n  - :name: Ana\n    :sid: a1\n  - :name: Bo\n    :sid: b2\n"
        "  :created_at: 2026-03-02 01:00:00 Z\n"
    )
    (class_.drop / "ana").rename(class_.drop / "submission_1")
    (class_.course.parent / "term.yaml").write_text(TERM + "extensions: {b2: 1 day}\n")
    class_.batch("--term", class_.course.parent / "term.yaml")
    rows = penalties(class_)
    assert (rows["a1"], rows["b2"]) == (("2.25", "0.25"), ("2.5", "0"))
    text = report(class_, "1", "report.md")
    assert "a1: Late policy: 1 day late" in text and "b2: Late policy: on time, with an extension" in text


def test_one_submission_alone_can_be_late(class_: Class) -> None:
    (class_.course.parent / "term.yaml").write_text(TERM)
    one = ("grade", class_.drop / "ana", "-a", "doubling", "--term", class_.course.parent / "term.yaml")
    told = class_.run(*one, "--handed-in", "2026-03-03T10:00+08:00", "--min-score", "2.2")
    assert told.code == 1 and "below the bar: 2" in told.err
    assert "2 days late (time as it was told): 0.5 off, 2 of 2.5 count" in " ".join(told.out.split())
    assert class_.run(*one, "--handed-in", "soon").code == 2
    assert class_.run(*one[:4], "--handed-in", "2026-03-03T10:00+08:00").code == 2
