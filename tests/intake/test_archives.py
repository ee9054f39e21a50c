"""One student's zip, read in memory and within bounds."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from grader.errors import NotGradable
from grader.intake import load, modules_of
from grader.model.course import Assignment
from tests.intake.handins import REAL


def zipped(**members: bytes | str) -> bytes:
    """A zip of files; ``__`` stands for a dot, ``_in_`` for a slash."""
    named = {name.replace("__", ".").replace("_in_", "/"): data for name, data in members.items()}
    return packed(*named.items())


def packed(*members: tuple[str | zipfile.ZipInfo, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def test_a_zip_is_read_like_a_folder(drop: Path, assignment: Assignment) -> None:
    file = drop / "alice.zip"
    file.write_bytes(zipped(hw_in_attention__py=REAL, hw_in_helpers__py="x = 1\n", hw_in_data__csv="1,2"))
    found = load(file, assignment)
    assert (found.id, found.main, found.chunks[0].source) == ("alice", "hw/attention.py", REAL)
    assert modules_of(found) == {"helpers": "x = 1\n"}
    assert sorted(path.name for path in drop.iterdir()) == ["alice.zip"]


def test_a_folder_with_nothing_but_a_zip_is_opened(drop: Path, assignment: Assignment) -> None:
    (drop / "work.zip").write_bytes(zipped(attention__py=REAL))
    found = load(drop, assignment)
    assert (found.id, found.main) == ("alice", "attention.py")


def test_members_that_climb_out_or_are_links_are_left_out(drop: Path, assignment: Assignment) -> None:
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    file = drop / "alice.zip"
    file.write_bytes(
        packed(("../up.py", "x"), ("/abs.py", "x"), ("C:/drive.py", "x"), (link, "/etc/passwd"), ("attention.py", REAL))
    )
    found = load(file, assignment)
    assert [f.path for f in found.files] == ["attention.py"]
    assert [flag.kind for flag in found.flags] == ["file_left_out"] * 4


def test_names_in_gbk_are_read(drop: Path, assignment: Assignment) -> None:
    raw = packed(("aaaaaa_attention.py", REAL)).replace(b"aaaaaa", "作业一".encode("gbk"))
    (drop / "alice.zip").write_bytes(raw)
    assert load(drop / "alice.zip", assignment).main == "作业一_attention.py"


def test_litter_in_a_zip_is_no_candidate(drop: Path, assignment: Assignment) -> None:
    (drop / "a.zip").write_bytes(packed(("__MACOSX/._attention.py", "x"), ("mine.py", REAL)))
    found = load(drop / "a.zip", assignment)
    assert [f.path for f in found.files] == ["mine.py"]


def test_a_bomb_is_left_out(drop: Path, assignment: Assignment) -> None:
    (drop / "a.zip").write_bytes(packed(("bomb.ipynb", b" " * 40_000_000), ("attention.py", REAL)))
    found = load(drop / "a.zip", assignment)
    assert [f.path for f in found.files] == ["attention.py"]
    assert "packed too tightly" in found.flags[0].detail


def test_a_member_that_lies_about_its_size_is_found_out(drop: Path, assignment: Assignment) -> None:
    honest = packed(("attention.py", REAL * 2_000))
    size = struct.pack("<I", len(REAL) * 2_000)
    (drop / "a.zip").write_bytes(honest.replace(size, struct.pack("<I", 10)))
    with pytest.raises(NotGradable, match="damaged"):
        load(drop / "a.zip", assignment)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "damaged"),
        (b"no zip at all" * 10, "damaged"),
        (packed(("attention.py", REAL))[:-30], "damaged"),
        (packed(("attention.py", REAL))[20:], "damaged"),
        (packed(*((f"{n}.txt", "") for n in range(2_001))), "too many files"),
        (packed(("report.pdf", "x")), "no Python file"),
        (packed(), "it is empty"),
    ],
    ids=range(7),
)
def test_what_cannot_be_read_is_refused_with_advice(
    drop: Path, assignment: Assignment, data: bytes, words: str
) -> None:
    (drop / "a.zip").write_bytes(data)
    with pytest.raises(NotGradable) as refusal:
        load(drop / "a.zip", assignment)
    assert words in refusal.value.reason.en
    assert refusal.value.reason.zh


def test_a_list_of_members_without_end_is_refused_unread(drop: Path, assignment: Assignment) -> None:
    raw = bytearray(packed(("attention.py", REAL)))
    raw[-10:-6] = struct.pack("<I", 5_000_000)  # the size of the list, as the end of the archive tells it
    (drop / "a.zip").write_bytes(bytes(raw))
    with pytest.raises(NotGradable, match="too many files"):
        load(drop / "a.zip", assignment)


def test_an_unusual_compression_is_told(drop: Path, assignment: Assignment) -> None:
    with zipfile.ZipFile(drop / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("attention.py", REAL)
    with pytest.raises(NotGradable, match=r"plain \.zip"):
        load(drop / "a.zip", assignment)


def test_a_password_is_told(drop: Path, assignment: Assignment) -> None:
    raw = bytearray(packed(("attention.py", REAL)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + offset] |= 1
    (drop / "a.zip").write_bytes(bytes(raw))
    with pytest.raises(NotGradable, match="password"):
        load(drop / "a.zip", assignment)
