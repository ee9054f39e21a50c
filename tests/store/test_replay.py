"""Verdicts of a batch rebuilt from its reports, whatever people, terms and names made of them since."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tests.store.conftest import Class
from tests.store.test_class import YAML, change


def replayed(class_: Class, student: str) -> str:
    done = class_.run("replay", class_.out / "reports" / student / "report.json")
    assert done.code == 0, done.out + done.err
    return done.out


def test_a_persons_words_a_term_and_what_was_seen_of_the_class_are_no_part_of_the_verdict(class_: Class) -> None:
    roster, term = class_.course.parent / "roster.csv", class_.course.parent / "term.yaml"
    roster.write_text("student_id,name\nana,Ana\ncy,Cy\n")
    term.write_text("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\n")
    class_.batch("--roster", roster, "--term", term)
    class_.run("override", class_.out, "bo", "--score", "2", "--why", "saw it", "--comment", "Well done.")
    assert "not_on_roster" in class_.table()["bo"]["flags"]
    for student in ("ana", "bo", "cy"):
        assert "the same verdict" in replayed(class_, student)


def test_hand_ins_out_of_an_archive_are_found_again(class_: Class) -> None:
    with zipfile.ZipFile(class_.course.parent / "canvas.zip", "w") as archive:
        for name in ("anaa_LATE_11_501_doubling.py", "boo_12_502_doubling (1).py"):
            archive.writestr(name, '# {"values": ["failed", "passed"], "inputs_untouched": ["passed"]}\n')
    class_.drop = class_.course.parent / "canvas.zip"
    class_.batch()
    for student in ("11", "12"):
        assert "the same verdict" in replayed(class_, student)


def test_a_changed_rubric_tells_its_difference_and_a_changed_hand_in_is_not_replayed(class_: Class) -> None:
    class_.batch()
    change(class_, YAML, "marks: 2", "marks: 4")
    class_.batch()
    assert "the same verdict" in replayed(class_, "bo")
    change(class_, YAML, "marks: 4", "marks: 2")
    moved = class_.run("replay", class_.out / "reports" / "bo" / "report.json")
    assert moved.code == 1 and "score: 2.5 -> 1.5" in moved.out
    class_.hands_in("cy")
    assert "not what was graded" in class_.run("replay", class_.out / "reports" / "cy" / "report.json").out


def test_names_that_are_no_text_stay_apart_and_are_found_again(class_: Class) -> None:
    """Bytes that are neither UTF-8 nor GBK, as a disk may hold them."""
    here = os.fsencode(class_.drop)
    try:
        for name in (b"st\xff", b"st\xfe\xff"):
            os.mkdir(here + b"/" + name)
            Path(os.fsdecode(here + b"/" + name), "doubling.py").write_text('# {"values": ["passed"]}\n')
    except OSError:
        pytest.skip("this disk takes no such names")
    assert class_.batch().code == 0
    assert {"st%FF", "st%FE%FF"} <= class_.scores().keys()
    folders = [path.name for path in (class_.out / "reports").iterdir()]
    for folder in folders:
        assert "the same verdict" in replayed(class_, folder)
    assert class_.run("override", class_.out, "st%FF", "--score", "1", "--why", "x").code == 0
    assert class_.scores()["st%FF"] == "1"
