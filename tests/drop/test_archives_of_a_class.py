"""Archives of a whole class as Windows, macOS, tar and mishaps make them: nobody is lost, nothing is believed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.errors import NotGradable, UsageError
from grader.intake.drop import Drop, Gathered, Staged, hand_ins_of, open_drop, opening, refuse_classes, stage, unwrapped
from grader.intake.roster import Student, read_roster

FILES = {"ana/attention.py": "a", "bo/attention (1).py": "b", "张三/code/attention.py": "c"}


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


@pytest.fixture
def found(tmp_path: Path) -> Iterator[Callable[[str, bytes], tuple[Drop, Gathered]]]:
    opened: list[Drop] = []

    def find(name: str, data: bytes) -> tuple[Drop, Gathered]:
        (tmp_path / name).write_bytes(data)
        opened.append(unwrapped(open_drop(tmp_path / name), "attention"))
        return opened[-1], hand_ins_of(opened[-1], "attention")[1]

    yield find
    for drop in opened:
        drop.close()


def staged(drop: Drop, gathered: Gathered, place: Path) -> dict[str, Staged]:
    place.mkdir()
    return {h.submission: stage(drop, h, place / str(at)) for at, h in enumerate(gathered.hand_ins)}


def held(one: Staged) -> dict[str, bytes]:
    with zipfile.ZipFile(one.path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    "name, pack",
    [("c.tar", lambda data: data), ("c.tar.gz", gzip.compress), ("c.tgz", gzip.compress), ("c.tar.bz2", bz2.compress),
     ("c.tar.xz", lzma.compress), ("download", gzip.compress)],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_tar_of_a_class(found, tmp_path, name, pack):
    drop, gathered = found(name, pack(tarred({**FILES, "../../out.py": "x", "__MACOSX/._a.py": "x"})))
    assert [h.submission for h in gathered.hand_ins] == ["ana", "bo", "张三"]
    assert held(staged(drop, gathered, tmp_path / "staged")["张三"]) == {"code/attention.py": b"c"}
    assert len(drop.left_out) == 1 and (drop.name, drop.archive is not None) == (name.split(".")[0], True)


@pytest.mark.parametrize(
    "name, data, said",
    [("c.tar.gz", gzip.compress(tarred(FILES))[:-40], "no .tar that can be read"),
     ("c.tar.gz", b"", "no .tar that can be read"),
     ("c.tar", tarred({"a.py": "x" * 2000})[:1500], "no .tar that can be read"),
     ("c.zip", zipped(FILES)[:-30], "no .zip that can be read"),
     ("c.zip", b"", "no .zip that can be read"),
     ("c.zip", zipped({}), "is empty"),
     ("c.rar", b"Rar!\x1a\x07", "neither a folder nor a .zip or .tar.gz; unpack it"),
     ("c.py", b"x = 1", "neither a folder nor")],
)  # fmt: skip
def test_what_is_no_archive_says_so(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=said):
        open_drop(tmp_path / name)


def test_a_class_that_unpacks_to_far_too_much_is_refused(found, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.intake.drop.packed.UNPACKED_LIMIT", 100_000)
    monkeypatch.setattr("grader.intake.drop.packed.RATIO_LIMIT", 5)
    bomb = {f"s{n}/attention.py": b"#" * 60_000 for n in range(3)}
    drop, gathered = found("c.zip", zipped(bomb))
    with pytest.raises(UsageError, match=r"unpacks to more than 0\.0001 GB"):
        staged(drop, gathered, tmp_path / "staged")
    with pytest.raises(UsageError, match="unpacks to more than"):
        found("c.tar.gz", gzip.compress(tarred({name: data.decode() for name, data in bomb.items()})))
    monkeypatch.setattr(opening, "ENTRIES_LIMIT", 2)
    for name, data in (("d.zip", zipped(bomb)), ("d.tar", tarred(FILES))):
        with pytest.raises(UsageError, match="holds more than 2 files"):
            found(name, data)


def test_a_single_member_packed_too_tightly_is_one_students_trouble(found, tmp_path):
    drop, gathered = found("c.zip", zipped({"ana/attention.py": b"\n" * 900_000, "bo/attention.py": "b"}))
    ana, bo = staged(drop, gathered, tmp_path / "staged").values()
    assert ana.reason is not None and "is larger than" in ana.reason.en
    assert (bo.reason, held(bo)) == (None, {"attention.py": b"b"})


def test_a_zip_of_windows_with_backslashes_and_folders_that_look_like_files(found):
    data = zipped({"ana/": b"", "ana/code/attention.py": "a", "bo/attention.py": "b", "bo/x/": b""})
    for name in (b"ana/", b"ana/code/attention.py", b"bo/attention.py", b"bo/x/"):
        data = data.replace(name, name.replace(b"/", b"\\"))
    _, gathered = found("c.zip", data)
    assert {h.submission: h.paths for h in gathered.hand_ins} == {
        "ana": ("code/attention.py",), "bo": ("attention.py",),
    }  # fmt: skip


def test_a_file_and_a_folder_of_one_name(found):
    drop, gathered = found("c.zip", zipped({"ana": "text", "ana/attention.py": "a", "bo/attention.py": "b"}))
    assert {h.submission: h.paths for h in gathered.hand_ins} == {"ana": ("attention.py",), "bo": ("attention.py",)}
    assert drop.left_out == ["ana: a file and a folder have this name; the folder counts"]


def test_two_forms_of_one_name_in_a_zip_lose_no_file(found, tmp_path):
    one, other = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    drop, gathered = found("c.zip", zipped({f"{one}/attention.py": "1", f"{other}/attention.py": "2", "x/a.py": ""}))
    assert [h.submission for h in gathered.hand_ins] == [one, one, "x"]
    first, second, _ = [drop.read(h.pieces[0].entry, 9) for h in gathered.hand_ins]
    assert {first, second} == {b"1", b"2"}
    files = {f"Zoe_71_assignsubmission_file/{name}.py": name for name in (one, other)}
    drop, gathered = found("m.zip", zipped(files))
    (only,) = staged(drop, gathered, tmp_path / "staged").values()
    assert {name: data.decode() for name, data in held(only).items()} == {f"{one} (1).py": one, f"{one}.py": other} or (
        held(only) == {f"{one} (1).py": other.encode(), f"{one}.py": one.encode()}
    )


def test_two_attachments_of_one_name_both_stay(found, tmp_path):
    drop, gathered = found("c.zip", zipped({"ana_7_50_attention.py": "1", "ana_7_51_attention.py": "2"}))
    (ana,) = staged(drop, gathered, tmp_path / "staged").values()
    assert held(ana) == {"attention (1).py": b"1", "attention.py": b"2"}


def test_members_behind_a_password_are_said_of_their_student(found, tmp_path):
    data = bytearray(zipped({"ana/attention.py": "a", "bo/attention.py": "b"}))
    for at, sign in ((data.find(b"PK\x03\x04"), 6), (data.find(b"PK\x01\x02"), 8)):
        struct.pack_into("<H", data, at + sign, 1)
    drop, gathered = found("c.zip", bytes(data))
    ana, bo = staged(drop, gathered, tmp_path / "staged").values()
    assert ana.reason is not None and "needs a password" in ana.reason.en
    assert bo.reason is None


def test_a_zip_written_to_a_pipe_and_one_with_far_sizes(found, tmp_path):
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data) -> int:
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in FILES.items():
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(text.encode())
    drop, gathered = found("c.zip", pipe.data)
    assert held(staged(drop, gathered, tmp_path / "staged")["ana"]) == {"attention.py": b"a"}


def test_members_that_overlap_are_refused(tmp_path):
    data = bytearray(zipped({"ana/attention.py": "a" * 50, "bo/attention.py": "b"}))
    second = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, second + 42, 0)  # it begins where the first does
    (tmp_path / "c.zip").write_bytes(bytes(data))
    with pytest.raises(UsageError, match="its members overlap"):
        open_drop(tmp_path / "c.zip")


MOODLE = {"Ana_71_assignsubmission_file/attention.py": "a", "Bo_72_assignsubmission_file/attention.py": "b"}


@pytest.mark.parametrize(
    "outer, who",
    [({"hw1/submissions.zip": zipped(MOODLE)}, ["71", "72"]),
     ({"hw1/class.zip": zipped({"hw/ana/attention.py": "a", "hw/bo/attention.py": "b"})}, ["ana", "bo"]),
     ({"class.tar.gz": gzip.compress(tarred(FILES))}, ["ana", "bo", "张三"]),
     ({"class.zip": zipped({"ana.py": "a", "bo.py": "b"})}, ["ana", "bo"]),
     ({"ana.zip": zipped({"attention.py": "a", "helpers.py": "b"})}, ["ana"]),
     ({"ana.zip": zipped({"src/attention.py": "a", "tests/x.py": "b"})}, ["ana"]),
     ({"ana.zip": b"damaged"}, ["ana"]),
     ({"ana.zip": zipped(FILES), "bo.zip": zipped(FILES)}, ["ana", "bo"])],
    ids=lambda value: ",".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_class_inside_the_only_archive_of_a_drop_is_found(found, tmp_path, outer, who):
    drop, gathered = found("outer.zip", zipped(outer))
    assert [h.submission for h in gathered.hand_ins] == who
    assert all(one.path.exists() for one in staged(drop, gathered, tmp_path / "staged").values())
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "roster.csv").write_bytes(b"id,name\n")
    for name, data in outer.items():
        (folder / name.rsplit("/", 1)[-1]).write_bytes(data)
    on_disk = unwrapped(open_drop(folder), "attention")
    assert [h.submission for h in hand_ins_of(on_disk, "attention")[1].hand_ins] == who
    on_disk.close()


CANVAS = {"anaa_1000_88000_attention.py": "a", "bobb_LATE_1001_88001_attention-1.py": "b"}


@pytest.mark.parametrize(
    "names, told",
    [({"sec1.zip": zipped(CANVAS), "sec2.zip": zipped(MOODLE)}, ["sec1.zip (canvas)", "sec2.zip (moodle)"]),
     ({"sec1.zip": zipped(MOODLE), "cy.py": b"c"}, ["sec1.zip (moodle)"]),
     ({"a/x.py": b"1", "sec1.tar.gz": gzip.compress(tarred(MOODLE))},
      ["sec1.tar.gz (moodle)"])],
    ids=["two", "one and a student", "tar"],
)  # fmt: skip
def test_a_platforms_archive_of_a_class_is_taken_for_no_students(found, names, told):
    drop, gathered = found("outer.zip", zipped(names))
    with pytest.raises(UsageError, match="unpack them all into one folder") as refused:
        refuse_classes(drop, gathered, "attention")
    assert all(each in str(refused.value) for each in told)


@pytest.mark.parametrize(
    "packed",
    [zipped({"attention.py": "a", "model_2_3_x.py": "b"}), zipped({"hw/ana/attention.py": "a", "hw/bo/attention.py": "b"}),
     zipped({"anaa_1000_88000_attention.py": "a", "anaa_1000_88001_notes.py": "b"}), b"damaged"],
)  # fmt: skip
def test_a_students_archive_is_a_students_however_it_is_filled(found, packed):
    drop, gathered = found("outer.zip", zipped({"ana.zip": packed, "bo.zip": packed}))
    refuse_classes(drop, gathered, "attention")
    assert [h.submission for h in gathered.hand_ins] == ["ana", "bo"]


@pytest.mark.parametrize(
    "text, name",
    [("First Name,Last Name,SID\nAna María,Diaz,0101\n", "Ana María Diaz"), ("学号,姓,名\n0101,欧阳,娜娜\n", "欧阳娜娜"),
     ("last_name,first_name,id\nKim,민수,0101\n", "Kim민수"), ("Surname,Given name,Student ID,Full name\nD,A,0101,A D\n", "A D"),
     ('SID,First Name\n"=""0101""",Ana\n', "Ana")],
)  # fmt: skip
def test_rosters_with_names_in_two_columns(tmp_path, text, name):
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    assert read_roster(tmp_path / "r.csv") == (Student("0101", name),)


def test_a_tars_member_is_bounded_like_any_other(found):
    drop, gathered = found("c.tar", tarred(FILES))
    with pytest.raises(NotGradable, match="is larger than"):
        drop.read(gathered.hand_ins[0].pieces[0].entry, 0)
