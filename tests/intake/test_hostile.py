"""What a hand-in may hold to stop, fill or fool whoever reads it: refused or bounded, with a reason."""

from __future__ import annotations

import io
import json
import os
import resource
import socket
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.errors import NotGradable
from grader.intake import load, modules_of
from grader.intake.choice import Closeness, closeness
from grader.model.course import Assignment
from grader.model.submission import Submission
from tests.intake.handins import REAL, notebook
from tests.intake.test_archives import packed

Hand = Callable[[str, bytes], Submission]


@pytest.fixture
def hand(drop: Path, assignment: Assignment) -> Hand:
    def handed(name: str, data: bytes) -> Submission:
        (drop / name).write_bytes(data)
        return load(drop / name, assignment)

    return handed


@pytest.fixture
def little_room() -> Iterator[None]:
    """Half a gigabyte above what is in use: whoever builds a tree of everything runs out of it."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + (512 << 20), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["attention" + "1" * 100 + "x.py", "attention" + " copy" * 20 + "!.py", "attention" + "(1)" * 30 + "-.py",
     "attention" + "v1" * 50 + "_.py", "a" * 240 + ".py", "_" * 240 + ".py"],
)  # fmt: skip
def test_no_name_keeps_the_reader_busy(hand: Hand, name: str) -> None:
    assert hand(name, REAL.encode()).chunks[0].source == REAL


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("attention (1) (2) copy.py", Closeness.SAME), ("Attention_final_v2.py", Closeness.SAME),
     ("attention2024.py", Closeness.SAME), ("attention final final.py", Closeness.SAME)],
)  # fmt: skip
def test_what_is_put_behind_a_name_is_still_taken_off(assignment: Assignment, name: str, wanted: Closeness) -> None:
    assert closeness(name, assignment) == wanted


def test_names_that_would_move_a_cursor_are_read_without_that(drop: Path, assignment: Assignment) -> None:
    (drop / "att\x1b[2J\u202eention\n.py").write_text(REAL)
    assert load(drop, assignment).main == "att\ufffd[2J\ufffdention\ufffd.py"


def test_names_are_composed_whatever_packed_them(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_text(REAL)
    (drop / unicodedata.normalize("NFD", "é.py")).write_text("x = 1\n")
    assert list(modules_of(load(drop, assignment))) == ["é"]


# -- files ---------------------------------------------------------------------------------------------------------


def test_sockets_and_devices_are_never_opened(drop: Path, assignment: Assignment) -> None:
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind(str(drop / "ear.py"))
        with pytest.raises(NotGradable, match="no ordinary file"):
            load(drop / "ear.py", assignment)
    assert stat.S_ISCHR(os.stat("/dev/zero").st_mode)
    (drop / "attention.py").symlink_to("/dev/zero")
    with pytest.raises(NotGradable, match="no ordinary file"):
        load(drop / "attention.py", assignment)


def test_a_size_is_looked_at_before_a_byte_is_read(
    hand: Hand, drop: Path, assignment: Assignment, little_room: None
) -> None:
    with (drop / "attention.py").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(NotGradable, match="larger than 1 MB"):
        load(drop / "attention.py", assignment)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "x = 'é'\n", "iso8859-1"),
        ("#!/usr/bin/python\n# vim: set fileencoding=big5 :\nx = '注意力'\n".encode("big5"), "x = '注意力'\n", "big5"),
        ("# coding: gbk\nx = '注意力'\n".encode("gbk"), "x = '注意力'\n", "GB18030"),
        ("# coding: utf-7\nx = '注意力'\n".encode("gbk"), "x = '注意力'\n", "GB18030"),
        ("# coding: unicode_escape\nx = '注意力'\n".encode(), "x = '注意力'\n", ""),
        (b"# coding: no-such-thing\nx = 1\n", "x = 1\n", ""),
        ("x = 'a'\ny = '注'\n".encode("utf-16-le"), "y = '注'\n", "UTF-16"),
        ("x = 'a'\ny = '注'\n".encode("utf-16-be"), "y = '注'\n", "UTF-16"),
    ],
)  # fmt: skip
def test_declared_encodings_are_believed_where_they_are_plain_tables(
    hand: Hand, data: bytes, text: str, encoding: str
) -> None:
    found = hand("attention.py", data)
    assert found.chunks[0].source.endswith(text)
    assert [flag.detail for flag in found.flags] == ([f"attention.py was read as {encoding}"] if encoding else [])


# -- notebooks -----------------------------------------------------------------------------------------------------

N = 12_000_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\n" * 9_000_000, "damaged"),
        (b" " * N, "far too much"),
        (b'{"cells":[' + b"1.5," * (N // 4) + b"1]}", "far too much"),
        (b'{"cells":[' + b'"ab",' * (N // 5) + b"1]}", "far too much"),
        (b'{"cells":[' + b"{}," * (N // 3) + b"1]}", "far too much"),
        (b'{"outputs":[' + b"[]," * (N // 3) + b"1]}", "far too much"),
        (b'{"cells":[' + b"9" * 9_000_000 + b"]}", "damaged"),
        (b'{"cells":["' + b'\\"' * 4_000_000, "damaged"),
        (b'{"outputs":"' + b'\\"' * 4_000_000, "damaged"),
        (b'{"outputs":' + b"[" * 2_000_000, "damaged"),
        (b'{"cells":[' + b"[" * 101 + b"]" * 101 + b"]}", "nested too deeply"),
        (b'{"a":1}{"cells":[]}', "no cells"),
    ],
    ids=range(12),
)
def test_a_bomb_of_json_is_refused_in_bounded_room(hand: Hand, data: bytes, words: str, little_room: None) -> None:
    with pytest.raises(NotGradable) as refusal:
        hand("attention.ipynb", data)
    assert words in refusal.value.reason.en


def test_fifty_megabytes_of_outputs_are_passed_over(hand: Hand, little_room: None) -> None:
    picture = json.dumps({"image/png": "A" * 20_000_000, "text/html": ['<td>1, 2</td>\\"]}\n'] * 500_000})
    figure = "[" + "[0.25,1.5]," * 900_000 + "[]]"
    cells = ('{"cell_type":"code","source":"x = 1","outputs" : [' + picture + "," + figure + '],"metadata":{"a":[{}]}},'
             '{"outputs":"none","source":["# \\"outputs\\": [","\\ny = 2"],"cell_type":"code"}')  # fmt: skip
    found = hand("attention.ipynb", ('{"nbformat":4,"cells":[' + cells + "]}").encode())
    assert [c.source for c in found.chunks] == ["x = 1", '# "outputs": [\ny = 2']


def test_outputs_need_not_even_be_text(hand: Hand) -> None:
    data = b'{"cells":[{"outputs":["\xff\xfe"],"cell_type":"code","source":"x = 1"}]}'
    assert hand("attention.ipynb", data).chunks[0].source == "x = 1"


def test_outputs_under_an_escaped_key_are_dropped_too(hand: Hand) -> None:
    data = b'{"cells":[{"out\\u0070uts":[1],"cell_type":"code","source":"x = 1"}],"met\\u0061data":{"cells":5}}'
    assert hand("attention.ipynb", data).chunks[0].source == "x = 1"


def test_large_pictures_in_text_cells_do_not_count(hand: Hand) -> None:
    pasted = "![](data:image/png;base64," + "A" * 12_000_000 + ")"
    assert hand("attention.ipynb", notebook(("markdown", pasted), REAL).encode()).chunks[0].source == REAL


def test_keys_that_stand_twice_are_flagged_and_the_last_counts(hand: Hand) -> None:
    cell = '{"cell_type":"code","source":"shown = 1","source":"real = 1"}'
    found = hand("attention.ipynb", f'{{"cells":[],"cells":[{cell}]}}'.encode())
    assert found.chunks[0].source == "real = 1"
    (flag,) = found.flags
    assert flag.kind == "notebook_form"
    assert "source" in flag.detail and "cells" in flag.detail


def test_a_long_text_cell_is_searched_within_bounds(hand: Hand, little_room: None) -> None:
    text = "\n \t  def" * 800_000
    assert hand("attention.ipynb", notebook(("markdown", text), "x = 1").encode()).chunks[0].source == "x = 1"


# -- archives ------------------------------------------------------------------------------------------------------


def overlapping(times: int) -> bytes:
    """One packed stretch of bytes that many members of the list point at."""
    raw = packed(("attention.py", "\n".join(f"x = {n * n}" for n in range(50_000))))
    start = raw.index(b"PK\x01\x02")
    entry, end = raw[start:-22], bytearray(raw[-22:])
    struct.pack_into("<HHI", end, 8, times, times, len(entry) * times)
    return raw[:start] + entry * times + bytes(end)


def test_members_that_share_their_bytes_are_a_bomb(hand: Hand, little_room: None) -> None:
    with pytest.raises(NotGradable, match="damaged"):
        hand("a.zip", overlapping(1_500))
    assert hand("b.zip", overlapping(1)).main == "attention.py"


def test_a_list_longer_than_it_says_is_refused(hand: Hand) -> None:
    raw = bytearray(overlapping(30_000))
    struct.pack_into("<HH", raw, len(raw) - 14, 1, 1)
    with pytest.raises(NotGradable):
        hand("a.zip", bytes(raw))


def test_two_members_of_one_name_are_told_and_the_last_counts(drop: Path, assignment: Assignment) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        (drop / "a.zip").write_bytes(packed(("attention.py", "x = 1\n"), ("attention.py", REAL)))
    found = load(drop / "a.zip", assignment)
    assert found.chunks[0].source == REAL
    assert [(f.kind, "the last one counts" in f.detail) for f in found.flags] == [("same_name", True)]


def test_names_that_differ_in_form_or_case_alone_are_told(hand: Hand) -> None:
    composed, apart = unicodedata.normalize("NFC", "é.py"), unicodedata.normalize("NFD", "é.py")
    found = hand(
        "a.zip", packed(("attention.py", REAL), (composed, "x = 1\n"), (apart, "x = 2\n"), ("É.py", "x = 3\n"))
    )
    assert modules_of(found) == {"é": "x = 2\n", "É": "x = 3\n"}
    assert [flag.kind for flag in found.flags] == ["same_name", "same_name"]


def test_links_to_the_machine_and_paths_without_end_stay_out(hand: Hand) -> None:
    link = zipfile.ZipInfo("attention.py")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    found = hand("a.zip", packed((link, "/etc/passwd"), ("d/" * 30 + "x.py", "x"), ("n" * 600 + ".py", "x"),
                                 ("..\\up.py", "x"), ("\\\\host\\x.py", "x"), ("mine.py", REAL)))  # fmt: skip
    assert [f.path for f in found.files] == ["mine.py"]
    assert [flag.kind for flag in found.flags if flag.kind == "file_left_out"] == ["file_left_out"] * 5


def test_what_is_left_out_is_told_within_bounds(hand: Hand) -> None:
    found = hand("a.zip", packed(*((f"../{n}.py", "x") for n in range(1_900)), ("attention.py", REAL)))
    assert found.main == "attention.py"
    assert len(found.flags) == 21
    assert "more" in found.flags[-1].detail


def test_an_archive_named_in_gbk_inside_a_folder_is_opened(drop: Path, assignment: Assignment) -> None:
    (drop / os.fsdecode("作业.zip".encode("gbk"))).write_bytes(packed(("attention.py", REAL)))
    assert load(drop, assignment).main == "attention.py"


def test_an_archive_that_is_a_link_is_not_followed(drop: Path, assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "other.zip").write_bytes(packed(("attention.py", REAL)))
    (drop / "a.zip").symlink_to(tmp_path / "other.zip")
    with pytest.raises(NotGradable):
        load(drop, assignment)


def test_archives_inside_archives_stay_closed(hand: Hand) -> None:
    inner = packed(("attention.py", REAL))
    with pytest.raises(NotGradable, match=r"`inner\.zip`"):
        hand("a.zip", packed(("inner.zip", inner)))


def test_a_stored_member_is_cut_at_its_limit(hand: Hand) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("big.py", b"x" * 1_000_001)
        archive.writestr("attention.py", REAL)
    found = hand("a.zip", out.getvalue())
    assert [f.path for f in found.files] == ["attention.py"]
