"""The private pack: always the same bytes, refused unless it is the pinned one, gone afterwards."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.cli import main
from grader.errors import UsageError
from grader.release.pack import digest_of, pack, unpacked
from tests.ci.conftest import ATTENTION, ROOT, UNSCALED, Git


def test_the_same_reference_is_the_same_pack(course_root: Path, tmp_path: Path, capsys):
    copy = tmp_path / "copy"
    shutil.copytree(course_root / "reference", copy)
    for path in sorted(copy.rglob("*"), reverse=True):
        os.utime(path, (1, 1))
    (copy / "doubling" / "__pycache__").mkdir()
    (copy / "doubling" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (copy / "doubling" / "link.py").symlink_to("/etc/passwd")
    assert pack(load_course(course_root)) == pack(load_course(course_root, copy))
    for out in ("one.zip", "two.zip"):
        assert main(["--course", str(course_root), "pack", "-o", str(tmp_path / out)]) == 0
    one, two = capsys.readouterr().out.split()
    assert one == two == digest_of((tmp_path / "two.zip").read_bytes())
    assert (tmp_path / "one.zip").stat().st_mode & 0o077 == 0  # nobody else's


def test_a_pack_is_used_once_it_is_the_pinned_one_and_leaves_nothing(course_root: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    file, data = tmp_path / "p.zip", pack(load_course(course_root))
    file.write_bytes(data)
    with unpacked(file, digest_of(data)) as folder:
        assert folder.stat().st_mode & 0o077 == 0
        solution = (course_root / "reference/doubling/solution.py").read_text(encoding="utf-8")
        assert (folder / "doubling" / "solution.py").read_text(encoding="utf-8") == solution
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("pinned", "told"),
    [("sha256:" + 64 * "0", "not the pack that was pinned"), ("", "no digest"), ("SHA256:" + 64 * "0", "no digest")],
)
def test_another_pack_is_refused_before_anything_of_it_is_read(tmp_path: Path, pinned: str, told: str):
    (tmp_path / "p.zip").write_bytes(b"anything")
    with pytest.raises(UsageError, match=told), unpacked(tmp_path / "p.zip", pinned):
        pass


def test_a_pinned_pack_that_is_none_or_leads_out_is_refused(tmp_path: Path):
    import zipfile

    (tmp_path / "no.zip").write_bytes(b"no zip at all")
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as archive:
        archive.writestr("../../evil.py", "x")
    for name in ("no.zip", "out.zip"):
        with pytest.raises(UsageError), unpacked(tmp_path / name, digest_of((tmp_path / name).read_bytes())):
            pass
    with pytest.raises(UsageError, match="No such file"), unpacked(tmp_path / "absent.zip", "sha256:" + 64 * "0"):
        pass
    assert not list(tmp_path.parent.glob("evil.py"))


def test_a_grading_run_uses_the_pinned_pack_and_no_other(git: Git, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course").mkdir()
    shutil.copytree(ROOT / "assignments", tmp_path / "course" / "assignments")  # no reference beside it
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    file, data = tmp_path / "p.zip", pack(load_course(ROOT))
    file.write_bytes(data)
    git("checkout", "--quiet", "-b", "work")
    git.commit({ATTENTION: UNSCALED})
    words = ["--course", "course", "ci", "--repository", str(git.folder), "--base", "main", "--head", "work",
             "-o", "out", "--pack", str(file)]  # fmt: skip
    assert main([*words, "--pack-digest", "sha256:" + 64 * "0"]) == 2
    assert main(words) == 2
    assert main(words[:-2]) == 2
    told = capsys.readouterr().err
    assert "not the pack that was pinned" in told and "--pack needs --pack-digest" in told and "--pack" in told
    assert not (tmp_path / "out").exists()
    assert main([*words, "--pack-digest", digest_of(data)]) == 0
    document = json.loads((tmp_path / "out" / "staff" / "attention.json").read_text(encoding="utf-8"))
    course = load_course(ROOT).assignment("attention")
    assert course is not None
    assert (document["score"], document["assignment_digest"]) == (18, course.digest)
    assert list((tmp_path / "temporary").iterdir()) == []
