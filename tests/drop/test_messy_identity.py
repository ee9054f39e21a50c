"""Whose it is where ids and names are spelled as people spell them, and which of several hand-ins counts for whom."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.intake.attempts import newest_only
from grader.intake.drop import HandIn, Person, hand_ins_of, open_drop
from grader.intake.drop.entries import Entry
from grader.intake.drop.hand_in import Piece
from grader.intake.identity import owners
from grader.intake.map_file import read_map
from grader.intake.roster import Student

ROSTER = (
    Student("2023010101", "张三"),
    Student("0012345", "Zoë Müller"),
    Student("2023010103", "Lopez, Ana-Maria"),
    Student("2023010104", "欧阳娜娜"),
    Student("2023010105", "Eva Ruiz Gómez"),
    Student("777", "Jo Ng"),
)


def hand_in(label: str, *people: str, when: float = 0.0, set_aside: bool = False) -> HandIn:
    persons = tuple(map(Person, people or (label,)))
    pieces = (Piece("attention.py", Entry("attention.py")),)
    return HandIn(label, persons, pieces, label, label, when=when, set_aside=set_aside)


@pytest.mark.parametrize(
    ("label", "student"),
    [
        ("attention2023010101", "2023010101"),
        ("s2023010101", "2023010101"),
        ("12345-work", "0012345"),
        ("000012345", "0012345"),
        ("２０２３０１０１０１", "2023010101"),
        ("v12345", ""),  # too short to stand with letters
        ("120230101013", ""),  # within a longer number
        ("attention777", ""),
        ("mullerzoe", "0012345"),
        ("MÜLLER ZOE", "0012345"),
        ("ANA-MARIA LOPEZ", "2023010103"),
        ("ruizgomezeva", "2023010105"),
        ("三 张", "2023010101"),
        ("娜娜_欧阳", "2023010104"),
        ("三张纸", ""),
    ],
)
def test_ids_with_letters_or_zeros_at_them_and_names_in_other_letters(label, student):
    for form in ("NFC", "NFD"):
        (owned,) = owners([hand_in(unicodedata.normalize(form, label))], ROSTER, {})
        assert (owned.people[0].id if owned.by else "") == student


def test_what_stands_there_as_the_roster_has_it_goes_first():
    roster = (Student("12345", "A B"), Student("0012345", "C D"), Student("x1", "Zoe Mu"), Student("x2", "Zoë Mu"))
    assert [owners([hand_in(name)], roster, {})[0].people[0].id for name in ("0012345", "12345", "Zoë Mu")] == [
        "0012345", "12345", "x2"
    ]  # fmt: skip


def test_an_id_beside_the_name_of_another_is_pointed_at():
    said = {}
    for label in ("2023010101-欧阳娜娜", "2023010101-张三", "2023010101-张三-欧阳娜娜", "0012345 muller zoe"):
        (owned,) = owners([hand_in(label)], ROSTER, {})
        said[label] = [flag.detail for flag in owned.flags]
    assert said.pop("2023010101-欧阳娜娜") == ["the id is 2023010101's (张三), the name 2023010104's (欧阳娜娜)"]
    assert set(map(tuple, said.values())) == {()}


def test_each_student_stands_once_with_the_newest_of_all_hand_ins_that_name_them():
    alone, pair = hand_in("alone", "a", when=1.0), hand_in("pair", "a", "b", when=2.0)
    (kept,) = newest_only(owners([alone, pair], (), {}))
    assert (kept.hand_in.submission, [p.id for p in kept.people]) == ("pair", ["a", "b"])
    assert [flag.detail for flag in kept.flags] == ["pair is the newest and was graded; not graded: alone"]
    later = hand_in("later", "a", when=3.0)
    kept_by = {one.hand_in.submission: [p.id for p in one.people] for one in newest_only(owners([pair, later], (), {}))}
    assert kept_by == {"pair": ["b"], "later": ["a"]}


def test_what_the_platform_has_set_aside_does_not_count_though_it_is_newer():
    (kept,) = newest_only(owners([hand_in("1", "a", when=1.0), hand_in("2", "a", when=2.0, set_aside=True)], (), {}))
    assert (kept.hand_in.submission, kept.flags[0].detail) == (
        "1", "1 is the one that counts on the platform and was graded; not graded: 2"
    )  # fmt: skip


def test_a_map_that_went_through_a_spreadsheet_is_understood(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("submission;student_id;found\n12;12345;x\n73.0;2023010101.0;y\n", encoding="utf-8-sig")
    assert read_map(path, ["0012", "73"], ROSTER) == {"0012": ["0012345"], "73": ["2023010101"]}
    with pytest.raises(UsageError, match="no submission '12'"):
        read_map(path, ["0012", "012", "73"], ROSTER)


EXPORT = """---
submission_1:
  :submitters:
  - :name: Ann
    :sid: 'a'
  :created_at: 2026-03-02 10:00:00 Z
  :active: false
submission_2:
  :submitters:
  - :name: Ann
    :sid: 'a'
  :created_at: 2026-03-01 10:00:00 Z
  :active: true
submission_3:
  :submitters:
  - :name: Bob
    :sid: 'b'
"""


def test_a_gradescope_export_with_inactive_and_empty_submissions(tmp_path):
    for name in ("submission_1", "submission_2", "submission_9"):
        (tmp_path / "e" / name).mkdir(parents=True)
        (tmp_path / "e" / name / "attention.py").write_text("x = 1")
    (tmp_path / "e" / "submission_metadata.yml").write_text(EXPORT)
    kept = newest_only(owners(gathered(tmp_path / "e"), (), {}))
    assert sorted((o.people[0].id, o.hand_in.submission, len(o.hand_in.pieces)) for o in kept) == [
        ("9", "9", 1), ("a", "2", 1), ("b", "3", 0)
    ]  # fmt: skip


def test_moodle_hides_names_in_the_language_of_the_site(tmp_path):
    for number in (71, 72, 73):
        (tmp_path / "m" / f"参与者_{number}_assignsubmission_file").mkdir(parents=True)
    assert [h.people[0].name for h in gathered(tmp_path / "m")] == [""] * 3


def gathered(folder: Path) -> tuple[HandIn, ...]:
    drop = open_drop(folder)
    try:
        return hand_ins_of(drop, "attention")[1].hand_ins
    finally:
        drop.close()
