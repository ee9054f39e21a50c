"""Every platform's own naming, as real archives and folders: which hand-ins are found, and whose they are."""

from __future__ import annotations

import unicodedata
import zipfile
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.intake.drop import Gathered, hand_ins_of, open_drop, stage


def packed(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def laid(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def found(path: Path, **told: str) -> tuple[str, Gathered]:
    drop = open_drop(path)
    try:
        return hand_ins_of(drop, "attention", **told)
    finally:
        drop.close()


def who(gathered: Gathered) -> dict[str, tuple[str, ...]]:
    return {hand_in.submission: hand_in.paths for hand_in in gathered.hand_ins}


def test_canvas_takes_the_leftmost_pair_of_numbers(tmp_path):
    drop = packed(
        tmp_path / "course-attention_submissions.zip",
        {
            "diazana_101_5001_attention.py": "a",
            "diazana_101_5002_utils_7_8.py": "a",
            "张三_LATE_102_5003_2023_01_attention-1.py": "b",
            "李雷_103_text.html": "c",
            "LATE_anon_x7Yz2_5004_attention.py": "d",
            "__MACOSX/._diazana_101_5001_attention.py": "junk",
        },
    )
    layout, gathered = found(drop)
    assert layout == "canvas"
    assert who(gathered) == {
        "101": ("attention.py", "utils_7_8.py"),
        "102": ("2023_01_attention-1.py",),
        "103": ("text.html",),
        "x7Yz2": ("attention.py",),
    }
    late = {h.submission for h in gathered.hand_ins if any(flag.kind == "late" for flag in h.flags)}
    assert late == {"102", "x7Yz2"}
    assert [h.people[0].name for h in gathered.hand_ins if h.submission == "102"] == ["张三"]


MOODLE = {
    "new folders": "Ana_Lee Diaz_{n}_assignsubmission_file/attention.py",
    "old folders": "Ana Diaz_{n}_assignsubmission_file_/attention.py",
    "flat": "Ana Diaz_{n}_assignsubmission_file_attention.py",
    "with user names": "u12 Ana Diaz_{n}_assignsubmission_file_/attention.py",
}


@pytest.mark.parametrize("form", MOODLE.values(), ids=MOODLE)
@pytest.mark.parametrize("as_zip", [True, False], ids=["zip", "unpacked"])
def test_moodle(tmp_path, form, as_zip):
    files = {form.format(n=n): f"# {n}" for n in (77, 78)}
    drop = packed(tmp_path / "c.zip", files) if as_zip else laid(tmp_path / "c", files)
    layout, gathered = found(drop)
    assert layout == "moodle"
    assert who(gathered) == {"77": ("attention.py",), "78": ("attention.py",)}
    assert all("Ana" in hand_in.people[0].name for hand_in in gathered.hand_ins)


def test_moodle_online_text_belongs_to_the_same_hand_in(tmp_path):
    files = {
        "Ana Diaz_77_assignsubmission_file/attention.py": "x",
        "Ana Diaz_77_assignsubmission_onlinetext/onlinetext.html": "y",
    }
    assert who(found(packed(tmp_path / "c.zip", files))[1]) == {"77": ("attention.py", "onlinetext.html")}


METADATA = """---
submission_11:
  :submitters:
  - :name: Ana "Diaz"
    :sid: '0042'
    :email: ana@x.edu
  - :name: "\\u5F20\\u4E09"
    :sid: 0043
    :email: z@x.edu
  :created_at: 2026-01-02 03:04:05.5 Z
  :score: 1.0
  :results: !ruby/object:Hash
    tests:
    - :name: not a person
submission_12:
  :submitters:
  - :name: O'Neil, Jr.
    :sid:
    :email: o@x.edu
"""


def test_gradescope_reads_ruby_keys_and_groups(tmp_path):
    files = {
        "assignment_9_export/submission_metadata.yml": METADATA,
        "assignment_9_export/submission_11/attention.py": "a",
        "assignment_9_export/submission_12/attention.py": "b",
    }
    layout, gathered = found(packed(tmp_path / "e.zip", files))
    assert layout == "gradescope"
    assert [[(p.id, p.name) for p in h.people] for h in gathered.hand_ins] == [
        [("0042", 'Ana "Diaz"'), ("0043", "张三")],
        [("o@x.edu", "O'Neil, Jr.")],
    ]


def test_blackboard_keeps_attempts_apart_and_reads_receipts(tmp_path):
    files = {
        "HW 1_ana_d_attempt_2026-01-02-03-04-05.txt": "Name: Ana Diaz (ana_d)\nAssignment: HW 1\n",
        "HW 1_ana_d_attempt_2026-01-02-03-04-05_attention.py": "old",
        "HW 1_ana_d_attempt_2026-01-03-03-04-05_attention.py": "new",
        "HW 1_ana_d_attempt_2026-01-03-03-04-05.txt": "Name: Ana Diaz (ana_d)\n",
    }
    layout, gathered = found(packed(tmp_path / "b.zip", files))
    assert layout == "blackboard"
    assert [h.people[0].id for h in gathered.hand_ins] == ["ana_d", "ana_d"]
    assert all(h.paths == ("attention.py",) for h in gathered.hand_ins)
    assert gathered.hand_ins[1].when - gathered.hand_ins[0].when == 86_400


def test_nbgrader_takes_the_assignment_of_our_name(tmp_path):
    files = {
        "submitted/ana/attention/attention.ipynb": "{}",
        "submitted/ana/attention/timestamp.txt": "2026",
        "submitted/ana/ps1/other.ipynb": "{}",
        "submitted/bo/attention/.ipynb_checkpoints/attention-checkpoint.ipynb": "{}",
        "submitted/bo/attention/attention.ipynb": "{}",
    }
    layout, gathered = found(laid(tmp_path / "course", files))
    assert layout == "nbgrader"
    assert who(gathered) == {"ana": ("attention.ipynb",), "bo": ("attention.ipynb",)}


def test_clones_are_known_by_git_or_by_the_folder_around_them(tmp_path):
    cloned = laid(tmp_path / "a", {"hw-ana/.git/config": "x", "hw-ana/attention.py": "", "hw-bo-li/.git/HEAD": "x"})
    layout, gathered = found(cloned)
    assert (layout, [h.people[0].id for h in gathered.hand_ins]) == ("clones", ["ana", "bo-li"])
    named = laid(tmp_path / "hw-submissions", {"hw-x/attention.py": "", "hw-x-y/attention.py": ""})
    layout, gathered = found(named)
    assert (layout, [h.people[0].id for h in gathered.hand_ins]) == ("clones", ["x", "x-y"])


def test_a_zip_of_zips_is_one_student_each(tmp_path):
    inner = packed(tmp_path / "in.zip", {"work/attention.py": "x"}).read_bytes()
    layout, gathered = found(packed(tmp_path / "all.zip", {"class/ana.zip": inner, "class/bo.zip": inner}))
    assert (layout, list(who(gathered))) == ("plain", ["ana", "bo"])


def test_composed_and_decomposed_names_are_one_student(tmp_path):
    names = {unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")}
    drop = laid(tmp_path / "d", {f"{name}/attention.py": name for name in names})
    gathered = found(drop)[1]
    assert [hand_in.people[0].id for hand_in in gathered.hand_ins] == [unicodedata.normalize("NFC", "Zoë")] * 2
    assert all(len(hand_in.paths) == 1 for hand_in in gathered.hand_ins)


def test_a_name_in_gbk_is_read(tmp_path):
    path = packed(tmp_path / "gbk.zip", {"XXXX.py": "x"})
    path.write_bytes(path.read_bytes().replace(b"XXXX", "张三".encode("gbk")))
    assert list(who(found(path)[1])) == ["张三"]


def test_a_pattern_overrules_and_says_what_is_wrong_with_it(tmp_path):
    drop = laid(tmp_path / "d", {"w1/ana/attention.py": "x", "w1/bo/attention.py": "x"})
    assert list(who(found(drop, by_pattern="w1/(?P<student_id>[^/]+)/(?P<file>.+)")[1])) == ["ana", "bo"]
    for pattern, said in (("(", "--pattern"), ("x", "student_id"), ("(?P<student_id>q+)", "w1/ana/attention.py")):
        with pytest.raises(UsageError, match=said):
            found(drop, by_pattern=pattern)
    with pytest.raises(UsageError, match="there is gradescope, moodle"):
        found(drop, layout="canvs")


def test_members_that_lead_out_are_labels_at_most(tmp_path):
    path = packed(tmp_path / "evil.zip", {"../../out.py": "x", "ana/attention.py": "x", "/etc/x.py": "x"})
    drop = open_drop(path)
    assert [h.submission for h in hand_ins_of(drop, "attention")[1].hand_ins] == ["ana"]
    assert len(drop.left_out) == 2
    drop.close()


def test_staging_writes_only_under_the_name_we_give(tmp_path):
    drop = open_drop(
        packed(tmp_path / "c.zip", {"ana/attention.py": "code", "ana/sub/utils.py": "u", "b/x.rar": "Rar"})
    )
    ana, b = hand_ins_of(drop, "attention")[1].hand_ins
    place = tmp_path / "staged"
    place.mkdir()
    staged = stage(drop, ana, place / "safe")
    with zipfile.ZipFile(staged.path) as archive:
        assert {n: archive.read(n) for n in archive.namelist()} == {"attention.py": b"code", "sub/utils.py": b"u"}
    reason = stage(drop, b, place / "other").reason
    assert reason is not None
    assert "RAR" in reason.en
    assert sorted(path.name for path in place.iterdir()) == ["other.zip", "safe.zip"]
    drop.close()


def test_the_platforms_own_times_are_taken_over_and_those_of_files_are_not(tmp_path):
    """A file's time is the student's to set, or the archive's."""
    tidy = "(?P<timestamp>[^/]+)/(?P<student_id>[^/]+)/(?P<file>.+)"
    drops = {
        "blackboard": packed(tmp_path / "b.zip", {"A1_ana_attempt_2026-03-01-23-59-07_attention.py": "a"}),
        "nbgrader": laid(tmp_path / "n", {
            "submitted/ana/attention/attention.ipynb": "{}", "submitted/ana/attention/timestamp.txt": "2026-03-01 UTC\n",
        }),
        "gradescope": laid(tmp_path / "g", {
            "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :sid: a\n  :created_at: 2026-03-01 15:59:07.123\n",
            "submission_1/attention.py": "a",
        }),
        "plain": laid(tmp_path / "p", {"ana/attention.py": "a"}),
    }  # fmt: skip
    told = {}
    for name, drop in drops.items():
        layout, gathered = found(drop)
        told[layout] = gathered.hand_ins[0].submitted
        assert layout == name
    assert told == {"blackboard": "2026-03-01T23:59:07", "nbgrader": "2026-03-01 UTC",
                    "gradescope": "2026-03-01T15:59:07+00:00", "plain": ""}  # fmt: skip
    told = found(laid(tmp_path / "t", {"2026-03-01T10:00/ana/attention.py": "a"}), by_pattern=tidy)[1].hand_ins[0]
    assert told.submitted == "2026-03-01T10:00"


def test_what_a_teacher_keeps_beside_the_hand_ins_is_no_student(tmp_path):
    files = {"ana.py": "x", "bo/attention.py": "x", "cy.docx": "x", "roster.csv": "x", "成绩.xlsx": "x", "README": "x",
             "~$cy.docx": "x", "di.7z": "x"}  # fmt: skip
    layout, gathered = found(laid(tmp_path / "d", files))
    assert (layout, list(who(gathered))) == ("plain", ["ana", "bo", "cy", "di"])
    assert sorted(entry.name for entry in gathered.rest) == ["README", "roster.csv", "~$cy.docx", "成绩.xlsx"]
    inside = {f"class/{name}": text for name, text in files.items() if name.startswith(("ana", "bo"))}
    layout, gathered = found(packed(tmp_path / "c.zip", {**inside, "roster.csv": "x", "class/成绩.csv": "x"}))
    assert (layout, list(who(gathered))) == ("plain", ["ana", "bo"])
