"""The students' copy of a course: what is in it, what is not, and that it is always the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.cli import main
from grader.release.folder import Released, release
from grader.release.proof import secrets_in

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = '''\
import torch

from grader.checks import criterion, expect


@criterion("values")
def test_one_number(student):
    """Twice 3 is 6."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-5, rtol=1e-4, what="the result")
'''
HIDDEN = PUBLIC.replace("3.0", "5.0").replace("6.0", "10.0").replace("one_number", "another_number")


@pytest.fixture
def small(course_root: Path) -> Path:
    """The small course with checks, and a solution of several statements."""
    (course_root / "assignments/doubling/checks_public.py").write_text(PUBLIC, encoding="utf-8")
    (course_root / "reference/doubling/checks.py").write_text(HIDDEN, encoding="utf-8")
    solution = "def double(x):\n    doubled = x.new_tensor(2) * x\n    return doubled\n"
    (course_root / "reference/doubling/solution.py").write_text(solution, encoding="utf-8")
    return course_root


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Released:
    """This course, released in both languages."""
    return release(load_course(ROOT), ROOT, tmp_path_factory.mktemp("real") / "course", ("en", "zh"))


def released(root: Path, languages: tuple[str, ...] = ("en", "zh")) -> Released:
    return release(load_course(root), root, root / "out", languages)


def test_a_release_holds_what_students_work_with_and_nothing_else(real: Released) -> None:
    course = load_course(ROOT)
    expected = {"README.md", "README.zh.md", "check.pyz", "assignments/course.yaml"} | {
        f"assignments/{a.name}/{name}"
        for a in course.assignments
        for name in ("assignment.yaml", "README.md", "README.zh.md", "checks_public.py", a.file,
                     f"{a.stub.stem}.ipynb", f"{a.stub.stem}.zh.ipynb")
    }  # fmt: skip
    assert set(real.members) == expected
    on_disk = {path.relative_to(real.folder).as_posix() for path in real.folder.rglob("*") if path.is_file()}
    assert on_disk == expected


def test_nothing_of_the_reference_is_in_the_real_release(real: Released) -> None:
    assert secrets_in(load_course(ROOT), real.folder) == []


def test_the_archive_holds_the_folder_and_is_the_same_each_time(small: Path) -> None:
    first = released(small)
    with zipfile.ZipFile(first.archive) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert held == {f"out/{name}": (first.folder / name).read_bytes() for name in first.members}
    again = release(load_course(small), small, small / "elsewhere" / "out", ("en", "zh"))
    assert again.archive.read_bytes() == first.archive.read_bytes()


def test_one_language_has_the_plain_names(small: Path) -> None:
    chinese = released(small, ("zh",))
    assert not [name for name in chinese.members if ".zh." in name]
    home = chinese.folder / "assignments/doubling"
    assert home.joinpath("README.md").read_bytes() == (small / "assignments/doubling/README.zh.md").read_bytes()
    assert "运行这个单元格" in home.joinpath("doubling.ipynb").read_text(encoding="utf-8")
    assert "两条命令" in chinese.folder.joinpath("README.md").read_text(encoding="utf-8")


def test_traces_of_work_stay_at_home(small: Path) -> None:
    for name in ("__pycache__/x.pyc", ".ipynb_checkpoints/doubling.ipynb", "doubling.py~", ".doubling.py.swp"):
        path = small / "assignments/doubling" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
    assert [name for name in released(small).members if "x.pyc" in name or "checkpoints" in name or "swp" in name] == []


def in_the_handout(root: Path) -> None:
    path = root / "assignments/doubling/README.md"
    path.write_text("# Doubling\n\n```\ndoubled = x.new_tensor(2) * x\n```\n", encoding="utf-8")


def in_the_public_checks(root: Path) -> None:
    path = root / "assignments/doubling/checks_public.py"
    path.write_text(PUBLIC + HIDDEN.partition("expect\n")[2].replace("another_number", "x"), encoding="utf-8")


def under_another_name(root: Path) -> None:
    (root / "assignments/doubling/notes.txt").write_bytes((root / "reference/doubling/checks.py").read_bytes())


def as_a_comment_of_the_stub(root: Path) -> None:
    with (root / "assignments/doubling/doubling.py").open("a", encoding="utf-8") as stub:
        stub.write("# doubled = x.new_tensor(2)*x\n")


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (in_the_handout, "assignments/doubling/README.md:4: x.new_tensor(2) * x"),
        (in_the_public_checks, "assignments/doubling/checks_public.py: holds the hidden check test_another_number"),
        (in_the_public_checks, "check.pyz/course/doubling/checks_public.py: holds the hidden check"),
        (under_another_name, "assignments/doubling/notes.txt: is reference/doubling/checks.py"),
        (as_a_comment_of_the_stub, "doubling.py:9: x.new_tensor(2) * x"),
        (as_a_comment_of_the_stub, "check.pyz/course/doubling/doubling.py:9: x.new_tensor(2) * x"),
    ],
)
def test_a_part_of_the_reference_is_found_wherever_it_slipped_in(
    small: Path, plant: Callable[[Path], None], told: str
) -> None:
    assert secrets_in(load_course(small), released(small).folder) == []
    plant(small)
    again = release(load_course(small), small, small / "again", ("en",))
    assert any(told in found for found in secrets_in(load_course(small), again.folder))


def test_the_command_writes_proves_and_tests_the_copy(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--course", str(small), "release", str(small / "out")]) == 0, capsys.readouterr().err
    assert "nothing of the reference in them" in capsys.readouterr().out
    assert (small / "out.zip").is_file()
    assert main(["--course", str(small), "release", str(small / "out")]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_the_command_takes_back_what_leaks(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_the_handout(small)
    assert main(["--course", str(small), "release", str(small / "out")]) == 1
    assert "README.md:4" in capsys.readouterr().err
    assert not (small / "out").exists()
    assert not (small / "out.zip").exists()


def test_a_stub_that_is_solved_fails_the_self_test(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub = small / "assignments/doubling/doubling.py"
    solved = stub.read_text(encoding="utf-8").replace(
        'raise NotImplementedError("TODO: double the entries")', "return x + x"
    )
    stub.write_text(solved, encoding="utf-8")
    assert main(["--course", str(small), "release", str(small / "out")]) == 3
    assert "not told as unsolved: doubling" in capsys.readouterr().err


def test_without_a_reference_nothing_can_be_proven(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "reference").rename(small / "elsewhere")
    assert main(["--course", str(small), "release", str(small / "out")]) == 2
    assert "name it with --reference" in capsys.readouterr().err
