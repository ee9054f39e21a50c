"""The roster and the map: whose a hand-in is, which one counts, and what errors say."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.intake.attempts import newest_only
from grader.intake.drop import HandIn, Person
from grader.intake.drop.entries import Entry
from grader.intake.drop.hand_in import Piece
from grader.intake.identity import owners
from grader.intake.map_file import read_map
from grader.intake.roster import Student, read_roster

ROSTER = (
    Student("2023010101", "张三", "zhang@x.edu"),
    Student("2023010102", "张三丰", "feng@x.edu", github="fengz"),
    Student("2023010103", "Ana Diaz", "ana@x.edu"),
    Student("7", "Bo Li"),
    Student("s01", "Cy Ng"),
)


def hand_in(label: str, *paths: str, person: str = "", when: float = 0.0) -> HandIn:
    pieces = tuple(Piece(path, Entry(path)) for path in paths)
    return HandIn(label, (Person(person or label),), pieces, label, label, when=when)


@pytest.mark.parametrize(
    ("one", "student", "by"),
    [
        (hand_in("2023010101-张三-attention"), "2023010101", "id"),
        (hand_in("work", "2023010103_attention.py"), "2023010103", "id"),
        (hand_in("李四 2023010101"), "2023010101", "id"),
        (hand_in("张三丰_作业"), "2023010102", "name"),
        (hand_in("diazana", "attention.py"), "2023010103", "name"),
        (hand_in("hw-fengz", person="FengZ"), "2023010102", "account"),
        (hand_in("x", "attention (7).py"), "x", ""),
        (hand_in("7_attention"), "7", "id"),
        (hand_in("attention-7"), "attention-7", ""),
        (hand_in("attention_s01"), "s01", "id"),
        (hand_in("2023010101 and 2023010103"), "2023010101 and 2023010103", ""),
        (hand_in("张三风"), "张三风", ""),
    ],
    ids=lambda value: value.label if isinstance(value, HandIn) else None,
)
def test_the_roster_says_whose_it_is(one, student, by):
    (owned,) = owners([one], ROSTER, {})
    assert (owned.people[0].id, owned.by) == (student, by)
    assert ("not_on_roster" in {flag.kind for flag in owned.flags}) == (by == "")


def test_the_map_goes_before_the_roster():
    (owned,) = owners([hand_in("2023010101")], ROSTER, {"2023010101": ["7"]})
    assert [(p.id, p.name) for p in owned.people] == [("7", "Bo Li")]


def test_the_newest_attempt_counts_as_a_whole_and_says_so():
    attempts = [hand_in("2023010101-a", "b.py", when=2.0), hand_in("2023010101-b", "a.py", when=1.0)]
    (kept,) = newest_only(owners(attempts, ROSTER, {}))
    assert kept.hand_in.paths == ("b.py",)
    assert [flag.kind for flag in kept.flags] == ["several_attempts"]
    assert "2023010101-b" in kept.flags[0].detail


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("student_id,name,email\n0101,张三,z@x\n", "utf-8-sig"),
        ("学号;姓名;邮箱\r\n0101;张三;z@x\r\n\r\n", "gb18030"),
        ("Email\tStudent ID\tName\nz@x\t0101\t张三\n", "utf-8"),
    ],
)
def test_rosters_as_they_come(tmp_path, text, encoding):
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode(encoding))
    assert read_roster(path) == (Student("0101", "张三", "z@x"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,mail\nA,b\n", r"r\.csv:1: no column.*student_id"),
        ("id,name\n1,A\n,B\n", r"r\.csv:3: no student id"),
        ("id,name\n1,A\n1,B\n", r"r\.csv:3: 1 stands in line 2"),
    ],
)
def test_a_bad_roster_is_told_with_its_line(tmp_path, text, said):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_roster(tmp_path / "r.csv")


def test_a_map_is_checked_against_drop_and_roster(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("submission,student_id,found\n'=x,7,\nb,,\n")
    assert read_map(path, ["=x", "b"], ROSTER) == {"=x": ["7"]}
    path.write_text("submission,student_id\nc,7\n")
    with pytest.raises(UsageError, match=r"map\.csv:2: the drop holds no submission 'c'"):
        read_map(path, ["b"], ROSTER)
    path.write_text("submission,student_id\nb,8\n")
    with pytest.raises(UsageError, match=r"map\.csv:2: '8' is not on the roster"):
        read_map(path, ["b"], ROSTER)
