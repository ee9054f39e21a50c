"""One student's tar, plain or gzip: read block by block, links and devices left where they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import NotGradable
from grader.intake import load, modules_of
from grader.model.course import Assignment
from tests.intake.handins import REAL
from tests.intake.test_any_bytes import staged

FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def tarred(*members: tuple[str, bytes | str] | tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            data = member[1].encode() if isinstance(member[1], str) else member[1]
            info = tarfile.TarInfo(member[0])
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("name", ["alice.tar", "alice.tar.gz", "alice.tgz"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_tar_is_read_like_a_folder(drop: Path, assignment: Assignment, name: str, form: int) -> None:
    long = "d" * 90 + "/" + "n" * 60 + "/张.py"
    data = tarred(
        ("hw/attention.py", REAL), ("hw/helpers.py", "x = 1\n"), (long, "y = 1\n"), ("hw/a.csv", "1"), form=form
    )
    (drop / name).write_bytes(data if name.endswith(".tar") else gzip.compress(data))
    found = load(drop / name, assignment)
    assert (found.id, found.main, found.chunks[0].source) == ("alice", "hw/attention.py", REAL)
    assert modules_of(found) == {"helpers": "x = 1\n"}
    assert found.flags == ()


@pytest.mark.parametrize("form", FORMATS)
def test_long_names_are_read_in_every_format(drop: Path, assignment: Assignment, form: int) -> None:
    name = "d" * 90 + "/" + "张" * 20 + "/attention.py"
    (drop / "a.tar").write_bytes(tarred((name, REAL), form=form))
    assert load(drop / "a.tar", assignment).main == name


def test_links_devices_and_paths_that_climb_are_left_out(drop: Path, assignment: Assignment) -> None:
    (drop / "a.tar").write_bytes(tarred(
        special("soft.py", tarfile.SYMTYPE, "/etc/passwd"), special("hard.py", tarfile.LNKTYPE, "/etc/passwd"),
        special("pipe.py", tarfile.FIFOTYPE), special("zero.py", tarfile.CHRTYPE),
        ("../up.py", "x"), ("/abs.py", "x"), ("attention.py", REAL)))  # fmt: skip
    found = load(drop / "a.tar", assignment)
    assert [f.path for f in found.files] == ["attention.py"]
    assert [flag.kind for flag in found.flags] == ["file_left_out"] * 6


def test_a_name_in_gbk_is_read(drop: Path, assignment: Assignment) -> None:
    raw = tarred(("aaaaaa_attention.py", REAL), form=tarfile.USTAR_FORMAT)
    name = "作业一".encode("gbk")
    block = bytearray(raw[:512].replace(b"aaaaaa", name))
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 256 + sum(block[156:]))
    (drop / "a.tar").write_bytes(bytes(block) + raw[512:])
    assert load(drop / "a.tar", assignment).main == "作业一_attention.py"


PAX_WITHOUT_END = tarfile.TarInfo("x")
PAX_WITHOUT_END.pax_headers = {"comment": "c" * 100_000}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"no tar at all" * 100, "damaged"),
        (tarred(("attention.py", REAL * 100))[:1_000], "damaged"),
        (gzip.compress(tarred(("attention.py", REAL)))[:-20], "damaged"),
        (gzip.compress(bytes(150_000_000)), "too many"),
        (tarred(*((f"{n}.txt", "") for n in range(2_001))), "too many files"),
        (tarred(PAX_WITHOUT_END, ("attention.py", REAL)), "damaged"),
        (tarred(("report.pdf", "x")), "no Python file"),
        (tarred(("big.py", b"x" * 1_000_001)), "larger than 1 MB"),
    ],
    ids=range(9),
)
def test_what_cannot_be_read_is_refused_with_advice(
    drop: Path, assignment: Assignment, data: bytes, words: str
) -> None:
    (drop / "a.tar.gz").write_bytes(data)
    with pytest.raises(NotGradable) as refusal:
        load(drop / "a.tar.gz", assignment)
    assert words in refusal.value.reason.en
    assert refusal.value.reason.zh


@given(
    st.binary(max_size=200), st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), max_size=8), st.booleans()
)
@settings(max_examples=200, deadline=None)
def test_random_and_damaged_tars(data: bytes, damage: list[tuple[int, int]], mend: bool) -> None:
    raw = bytearray(tarred(("a" * 120 + ".py", data), ("attention.py", REAL), special("l.py", tarfile.SYMTYPE, "x")))
    for at, value in damage:
        raw[at % len(raw)] = value
    if mend:  # so that what is behind the checksum is reached
        for at in range(0, len(raw) - 511, 512):
            block = raw[at : at + 512]
            if b"ustar" in block:
                raw[at + 148 : at + 156] = b"%06o\0 " % (sum(block[:148]) + 256 + sum(block[156:]))
    staged({"a.tar": bytes(raw)}, "a.tar")


@given(st.binary(max_size=600))
@settings(max_examples=100, deadline=None)
def test_random_bytes_called_a_tar(data: bytes) -> None:
    staged({"a.tgz": data}, "a.tgz")
    staged({"a.tgz": gzip.compress(data)}, "a.tgz")


@pytest.mark.parametrize("ending", [".tar.xz", ".txz", ".tar.bz2", ".TBZ2"])
def test_other_ways_to_pack_a_tar_are_read_within_the_same_bounds(tmp_path, assignment, ending):
    pack = lzma.compress if "x" in ending else bz2.compress
    path = tmp_path / f"alice{ending}"
    path.write_bytes(pack(tarred(("work/attention.py", REAL))))
    assert load(path, assignment).main == "work/attention.py"
    path.write_bytes(pack(tarred(("attention.py", b"0" * 3_000_000))))
    with pytest.raises(NotGradable, match="far too many"):
        load(path, assignment)
    path.write_bytes(pack(tarred(("attention.py", REAL)))[:-9])
    with pytest.raises(NotGradable, match="damaged"):
        load(path, assignment)


def test_an_archive_is_what_its_bytes_say_whatever_it_is_called(tmp_path, assignment):
    path = tmp_path / "alice.zip"
    path.write_bytes(gzip.compress(tarred(("attention.py", REAL))))
    assert load(path, assignment).main == "attention.py"
    for start, kind in ((b"Rar!\x1a\x07\x01", "RAR"), (b"7z\xbc\xaf\x27\x1c", "7z")):
        path.write_bytes(start + bytes(60))
        with pytest.raises(NotGradable, match=rf"`alice\.zip` is a {kind} archive.*hand in the file itself"):
            load(path, assignment)
