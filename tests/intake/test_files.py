"""One file: what is read, how, and what a student is told where it cannot be."""

from __future__ import annotations

import ast
import builtins
import codecs
import os
from hashlib import sha256
from pathlib import Path

import pytest

from grader.errors import NotGradable, UsageError
from grader.intake import load, modules_of
from grader.model.course import Assignment
from grader.model.submission import Place
from tests.intake.handins import REAL, notebook


def test_a_python_file_is_one_chunk_with_its_digest(drop: Path, assignment: Assignment) -> None:
    file = drop / "attention.py"
    file.write_text(REAL)
    found = load(file, assignment)
    assert (found.id, found.main, found.kind, found.students) == ("attention", "attention.py", "python", ())
    assert [(chunk.source, chunk.place) for chunk in found.chunks] == [(REAL, Place("attention.py", 1))]
    assert found.files[0].sha256 == sha256(REAL.encode()).hexdigest()
    assert found.fingerprint == f"{found.files[0].sha256[:4]}-{found.files[0].sha256[4:8]}"
    assert (found.flags, found.remarks, found.origin) == ((), (), str(file))


def test_identity_can_be_given(drop: Path, assignment: Assignment) -> None:
    (drop / "s1.py").write_text(REAL)
    found = load(drop / "s1.py", assignment, submission_id="42", students=("ada", "bo"))
    assert (found.id, found.students) == ("42", ("ada", "bo"))
    assert load(drop / "s1.py", assignment).id == "s1"


def test_a_lone_file_travels_alone_and_may_have_any_name(drop: Path, assignment: Assignment) -> None:
    (drop / "s1.py").write_text(REAL)
    (drop / "s2.py").write_text("SECRET = 1\n")
    found = load(drop / "s1.py", assignment)
    assert [file.path for file in found.files] == ["s1.py"]
    assert found.flags == ()


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (codecs.BOM_UTF8 + "x = '注'\n".encode(), "x = '注'\n", None),
        (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n", None),
        ("x = '注'\n".encode("utf-16"), "x = '注'\n", "UTF-16"),
        (codecs.BOM_UTF16_BE + "x = 1\n".encode("utf-16-be"), "x = 1\n", "UTF-16"),
        ("# 注意力\nx = 1\n".encode("gbk"), "# 注意力\nx = 1\n", "GB18030"),
        (b"   \n", "   \n", None),
    ],
)
def test_text_is_read_in_the_encodings_editors_write(
    drop: Path, assignment: Assignment, data: bytes, text: str, encoding: str | None
) -> None:
    (drop / "attention.py").write_bytes(data)
    found = load(drop / "attention.py", assignment)
    assert found.chunks[0].source == text
    assert found.files[0].data == data
    assert [flag.kind for flag in found.flags] == (["encoding"] if encoding else [])
    assert len(found.remarks) == (1 if encoding else 0)
    assert encoding is None or encoding in found.remarks[0].text.en


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (b"x = 1\0\n", "no text file"),
        (bytes(range(128, 256)) * 3, "no text file"),
        (b"PK\x03\x04rest", "zip archive or a Word file"),
        (b"%PDF-1.7", "a PDF"),
        (codecs.BOM_UTF16_LE + b"\x00", "no text file"),
        (b"x = 1\n" * 200_000, "larger than 1 MB"),
    ],
)
def test_what_is_no_source_is_refused_with_advice(drop: Path, assignment: Assignment, data: bytes, words: str) -> None:
    (drop / "attention.py").write_bytes(data)
    with pytest.raises(NotGradable) as refusal:
        load(drop / "attention.py", assignment)
    assert words in refusal.value.reason.en
    assert refusal.value.reason.zh


def test_links_pipes_and_devices_are_refused(drop: Path, assignment: Assignment) -> None:
    (drop / "real.py").write_text(REAL)
    (drop / "link.py").symlink_to(drop / "real.py")
    (drop / "dangling.py").symlink_to(drop / "nowhere.py")
    os.mkfifo(drop / "pipe.py")
    for name in ("link.py", "dangling.py", "pipe.py"):
        with pytest.raises(NotGradable, match="no ordinary file"):
            load(drop / name, assignment)


def test_a_linked_folder_is_refused(drop: Path, assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(drop)
    with pytest.raises(NotGradable, match="no ordinary file"):
        load(tmp_path / "link", assignment)


def test_another_kind_of_file_is_refused_by_name(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.docx").write_bytes(b"PK")
    with pytest.raises(NotGradable, match=r"hand in `attention\.py`"):
        load(drop / "attention.docx", assignment)


def test_nothing_there_is_the_callers_mistake(drop: Path, assignment: Assignment) -> None:
    with pytest.raises(UsageError):
        load(drop / "nothing.py", assignment)


def test_an_ending_put_behind_by_a_browser_is_no_obstacle(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py.txt").write_text(REAL)
    assert load(drop / "attention.py.txt", assignment).kind == "python"


def test_a_notebook_saved_as_py_is_read_as_a_notebook(drop: Path, assignment: Assignment) -> None:
    (drop / "attention.py").write_text(notebook(REAL))
    found = load(drop / "attention.py", assignment)
    assert (found.kind, found.chunks[0].place.cell) == ("notebook", 1)
    assert [flag.kind for flag in found.flags] == ["file_kind"]


def test_nothing_of_a_submission_is_parsed_or_run(
    drop: Path, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    (drop / "attention.py").write_text(REAL)
    (drop / "helper.py").write_text("x = 1\n")

    def refused(*args: object, **kwargs: object) -> None:
        raise AssertionError("student text was handed to Python")

    for name in ("compile", "exec", "eval"):
        monkeypatch.setattr(builtins, name, refused)
    monkeypatch.setattr(ast, "parse", refused)
    found = load(drop, assignment)
    assert modules_of(found) == {"helper": "x = 1\n"}
