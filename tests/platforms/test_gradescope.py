"""The archive in a folder laid out as the platform's: whatever is handed in, the results are ones it takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.cli import main
from grader.commands.ports import real_ports
from grader.engines import Engine
from grader.errors import GraderFault, WallMissing
from grader.platforms.gradescope.bundle import NEEDS
from grader.platforms.gradescope.metadata import Facts, read_facts

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = "def double(x):\n    return 2 * x\n"
CHECKS = '''\
from grader.checks import criterion, expect


@criterion("values")
def test_values(student, rng):
    """Every entry is doubled."""
    x = rng(2, 3)
    expect.close(student.double(x), 2 * x, atol=1e-5, rtol=1e-4, what="the result")


@criterion("inputs_untouched")
def test_input_stays(student, rng):
    """The input stays as it was."""
    x = rng(4)
    expect.unchanged(student.watch("double", x), x, what="x")
'''
PUBLIC = '''\
import torch

from grader.checks import criterion, expect


@criterion("values")
def test_one_number(student):
    """Twice 3 is 6."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-5, rtol=1e-4, what="the result")
'''
FORMAT = {"enum": ["text", "simple_format", "html", "md", "ansi"]}
SEEN = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"}, "max_score": {"type": "number"}, "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"}, "name_format": FORMAT, "number": {"type": "string"}, "output": {"type": "string"},
        "output_format": FORMAT, "tags": {"type": "array", "items": {"type": "string"}}, "visibility": SEEN,
        "extra_data": {"type": "object"},
    },
}  # fmt: skip
RESULTS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "tests"],  # score: not every test has one
    "properties": {
        "score": {"type": "number", "minimum": 0}, "execution_time": {"type": "number"}, "output": {"type": "string"},
        "output_format": FORMAT, "test_output_format": FORMAT, "test_name_format": FORMAT, "visibility": SEEN,
        "stdout_visibility": SEEN, "extra_data": {"type": "object"}, "tests": {"type": "array", "items": TEST},
    },
}  # fmt: skip
METADATA = {
    "id": 4711,
    "created_at": "2026-03-03T01:00:00.000000-08:00",
    "assignment": {
        "id": 1, "title": "Doubling", "course_id": 2, "due_date": "2026-03-01T23:59:00.000000-08:00",
        "late_due_date": None, "release_date": "2026-02-01T00:00:00.000000-08:00", "group_submission": True,
        "group_size": 2, "total_points": "2.5",
    },
    "submission_method": "upload",
    "users": [{"id": 7, "email": "wei@example.org", "name": "Wei"}, {"id": 8, "email": "ana@example.org", "name": "Ana"}],
    "previous_submissions": [
        {"submission_time": "2026-02-27T01:00:00-08:00", "score": "1.5"},
        {"submission_time": "2026-02-28T01:00:00-08:00", "score": "2.0"},
        {"submission_time": "2026-03-01T01:00:00-08:00", "score": None},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def course(make_course: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small course with real checks and quick limits."""
    root = make_course(tmp_path_factory.mktemp("course"))
    (root / "reference/doubling/checks.py").write_text(CHECKS, encoding="utf-8")
    (root / "reference/doubling/faults.py").write_text("FAULTS = []\n", encoding="utf-8")
    (root / "assignments/doubling/checks_public.py").write_text(PUBLIC, encoding="utf-8")
    path = root / "assignments/doubling/assignment.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            "{call_s: 2,", "{call_s: 0.4, call_again_s: 0.3, load_s: 1, submission_s: 4,"
        ),
        encoding="utf-8",
    )
    return root


@pytest.fixture(scope="module")
def archive(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle") / "autograder.zip"
    assert main(["--course", str(course), "bundle", "gradescope", "doubling", "-o", str(out), "--seed", "5"]) == 0
    return out


@pytest.fixture(scope="module")
def engine(course: Path) -> Iterator[Engine]:
    config = {
        "course": str(course),
        "reference": None,
        "environment": {},
        "practice": False,
        "jobs": None,
        "lang": "en",
    }
    with real_ports().open_engine(config) as started:
        yield started


@pytest.fixture
def platform(archive: Path, tmp_path: Path) -> Path:
    """``/autograder`` after the image was built, before a submission came."""
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            path = Path(packed.extract(member, root / "source"))
            path.chmod(member.external_attr >> 16 & 0o777)
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "submission_metadata.json").write_text(json.dumps(METADATA), encoding="utf-8")
    return root


@pytest.fixture
def graded(platform: Path, engine: Engine, capsys):
    """Hand in, grade on the warm engine, and read what the platform would."""

    def grade(files: dict[str, str | bytes], opened: Any = None, **facts: object) -> tuple[int, dict[str, Any]]:
        for name, content in files.items():
            (platform / "submission" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        path = platform / "source" / "bundle.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))
        ports = replace(real_ports(), open_engine=lambda config: opened or nullcontext(engine))
        code = main(["gradescope", "--root", str(platform)], ports)
        return code, read(platform)

    return grade


def read(platform: Path) -> dict[str, Any]:
    found = json.loads((platform / "results" / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, RESULTS)
    assert "leaderboard" not in found
    return found


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {test["name"]: test for test in found["tests"]}


def test_the_archive_has_its_scripts_at_the_root_and_only_what_it_needs(archive: Path, course: Path, tmp_path: Path):
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        modes = {m.filename: m.external_attr >> 16 for m in packed.infolist()}
        pins = packed.read("requirements.txt").decode().splitlines()
        texts = {name: packed.read(name) for name in names}
    assert {"setup.sh", "run_autograder"} <= set(names)
    assert {name for name, mode in modes.items() if mode & 0o111} == {"setup.sh", "run_autograder"}
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "examples"))]
    assert all("==" in pin for pin in pins[1:]) and "+" not in "".join(pins[1:])
    assert {"torch", "pytest", "pluggy", "markupsafe"} <= {pin.partition("==")[0] for pin in pins}
    again = tmp_path / "again.zip"
    main(["--course", str(course), "bundle", "gradescope", "doubling", "-o", str(again), "--seed", "5"])
    assert again.read_bytes() == archive.read_bytes()
    assert again.stat().st_mode & 0o077 == 0
    for script in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n"], input=texts[script], check=True)


def test_what_is_pinned_is_what_the_project_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(NEEDS) == sorted(name.split(">")[0] for name in project["dependencies"])


def test_setup_installs_what_travels_along_and_asks_no_index_then(platform: Path, tmp_path: Path):
    """With a Python that only notes what it is asked for."""
    noted = tmp_path / "noted"
    fake = tmp_path / "bin" / "python3.12"
    fake.parent.mkdir()
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> {noted}\n[ "$2" != venv ] || {{ mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; }}\n'
    )
    fake.chmod(0o755)
    (platform / "source" / "wheels").mkdir()
    (platform / "source" / "wheels" / "a-1-py3-none-any.whl").write_bytes(b"")
    path = f"{fake.parent}:{os.environ['PATH']}"
    subprocess.run(["bash", str(platform / "source" / "setup.sh")], env={"PATH": path}, check=True, capture_output=True)
    asked = noted.read_text()
    assert "--no-index --find-links wheels --requirement requirements.txt" in asked and "-m grader doctor" in asked
    assert (platform / "source" / "course").stat().st_mode & 0o077 == 0
    assert (platform / "source" / "bundle.json").stat().st_mode & 0o077 == 0


def test_the_platforms_own_call_end_to_end(platform: Path):
    """The script as it is called: no variable of ours, another working folder, a Python of its own."""
    python = platform / "source" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (platform / "submission" / "doubling.py").write_text("def double(x):\n    x *= 2\n    return x\n")
    ran = subprocess.run(
        [str(platform / "run_autograder")], cwd="/", env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = read(platform)
    assert (found["score"], found["extra_data"]["status"]) == (2.0, "graded")
    assert "2 day(s)" in found["output"]
    assert found["extra_data"]["members"] == ["wei@example.org", "ana@example.org"]
    assert found["extra_data"]["late_days"] == 2
    assert "seed" in ran.stdout and found["stdout_visibility"] == "hidden"  # staff see the seed, students do not
    assert '"seed"' not in json.dumps(found)


def test_a_python_that_does_not_start_leaves_results_that_say_so(platform: Path):
    python = platform / "source" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    subprocess.run([str(platform / "run_autograder")], env={"PATH": os.environ["PATH"]}, check=False)
    assert read(platform)["extra_data"]["status"] == "grader_fault"


def test_right_code_has_every_mark_and_a_test_for_each_line(graded):
    code, found = graded({"doubling.py": SOLUTION})
    assert (code, found["score"]) == (0, 2.5)
    tests = by_name(found)
    assert [test["number"] for test in found["tests"][:2]] == ["1", "2"]
    assert tests["Every entry is doubled"] | {"output": ""} == {
        "score": 2.0, "max_score": 2.0, "status": "passed", "name": "Every entry is doubled", "name_format": "text",
        "number": "1", "output": "", "output_format": "md", "tags": ["values"], "visibility": "visible",
    }  # fmt: skip


def test_until_release_only_criteria_are_told_and_the_report_waits(graded):
    _, found = graded({"doubling.py": "def double(x):\n    return 3 * x\n"}, before="criteria", after="full")
    tests = by_name(found)
    assert tests["Every entry is doubled"]["visibility"] == "visible"
    assert "expected" not in tests["Every entry is doubled"]["output"]
    assert tests["The whole report"]["visibility"] == "after_published"
    _, found = graded({}, before="full", after="full")
    assert {test["visibility"] for test in found["tests"]} == {"visible"}


def test_where_nothing_hidden_may_be_seen_public_checks_are(graded):
    _, found = graded({"doubling.py": "def double(x):\n    return 3 * x\n"}, before="public", after="full")
    visible = [test for test in found["tests"] if test["visibility"] == "visible"]
    assert [test["name"] for test in visible] == ["Public checks"]
    assert visible[0]["status"] == "failed" and "0 of 1" in visible[0]["output"]
    assert found["score"] == 0.5  # the total is not shown as long as one test waits


@pytest.mark.parametrize(
    "source",
    [
        "def double(x):\n    while True:\n        pass\n",
        "while True:\n    pass\n",
        "import os\n\n\ndef double(x):\n    os._exit(0)\n",
        "import ctypes\nctypes.string_at(0)\n",
        "def double(x)\n    return x\n",
        "",
    ],
    ids=["hangs", "hangs_at_import", "ends_the_process", "crashes", "no_python", "empty"],
)
def test_code_that_gives_no_answer_earns_nothing_and_the_results_stand(graded, source: str):
    code, found = graded({"doubling.py": source})
    assert (code, found["score"]) == (0, 0.0)
    assert found["extra_data"]["status"] in ("graded", "not_gradable")


@pytest.mark.parametrize(
    "files", [{}, {"essay.pdf": b"%PDF"}, {"doubling.py": b"\0\1\2"}], ids=["none", "pdf", "binary"]
)
def test_nothing_to_grade_says_what_is_missing(graded, files):
    code, found = graded(files)
    assert (code, found["score"], found["extra_data"]["status"]) == (0, 0.0, "not_gradable")
    assert "doubling.py" in found["output"]


@pytest.mark.parametrize("fault", [WallMissing("cannot connect"), GraderFault("gone"), RuntimeError("bug")])
def test_our_own_failure_is_no_zero_that_anybody_is_shown(graded, platform: Path, fault: Exception):
    @contextmanager
    def broken() -> Iterator[Engine]:
        raise fault
        yield

    code, found = graded({"doubling.py": SOLUTION}, broken())
    assert (code, found["score"]) == (3, 2.0)  # that of the last submission which has one
    assert "2" in found["output"] and "not your fault" in found["output"]
    (platform / "submission_metadata.json").unlink()
    code, found = graded({"doubling.py": SOLUTION}, broken())
    assert (code, found["score"], found["extra_data"]["status"]) == (3, 0.0, "grader_fault")
    assert "hidden" in {test["visibility"] for test in found["tests"]}  # so the platform shows no total
    assert "score" not in {key for test in found["tests"] for key in test}


def test_a_results_file_left_by_somebody_else_is_replaced(graded, platform: Path, tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (platform / "results" / "results.json").symlink_to(victim)
    _, found = graded({"doubling.py": SOLUTION})
    assert found["score"] == 2.5 and victim.read_text() == "mine"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"users": 3, "assignment": [], "created_at": 5}', b'{"users": [null, {}]}', b"\xff"]
)
def test_metadata_of_another_form_costs_nothing(data: bytes):
    assert read_facts(data).late_days is None


def test_late_days_are_begun_days_after_the_persons_own_due_date():
    def facts(created: str, **user: object) -> Facts:
        users = [{"id": 1, "email": "a@example.org", **user}]
        return read_facts(json.dumps(METADATA | {"created_at": created, "users": users}).encode())

    assert facts("2026-03-01T23:59:00-08:00").late_days == 0
    assert facts("2026-03-02T00:00:00-08:00").late_days == 1
    assert facts("2026-03-02T08:00:00+00:00").late_days == 1
    own = {"assignment": {"due_date": "2026-03-05T00:00:00-08:00"}}
    assert facts("2026-03-02T08:00:00+00:00", **own).late_days == 0


def test_the_same_form_from_a_laptop(course: Path, engine: Engine, tmp_path: Path, capsys):
    (tmp_path / "doubling.py").write_text("def double(x):\n    return 3 * x\n")
    ports = replace(real_ports(), open_engine=lambda config: nullcontext(engine))
    target = tmp_path / "results.json"
    words = ["grade", tmp_path / "doubling.py", "-a", "doubling", "--gradescope", target]
    assert main(["--course", str(course), *map(str, words)], ports) == 0
    found = json.loads(target.read_text(encoding="utf-8"))
    jsonschema.validate(found, RESULTS)
    assert (found["score"], by_name(found)["The whole report"]["visibility"]) == (0.5, "after_published")
    assert '"seed"' not in target.read_text(encoding="utf-8")
