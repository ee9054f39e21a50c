"""``grader ci`` from the command to the marks, on real repositories and behind real walls."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.ci.conftest import ATTENTION, ROOT, SOLUTION, STUB, UNSCALED, Git

NOTEBOOK = "assignments/attention/attention.ipynb"


@pytest.fixture(autouse=True)
def _branch(git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    git("checkout", "--quiet", "-b", "work")
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "CI_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def ci(git: Git, grader, tmp_path: Path):
    def run(*words: object, base: str = "main"):
        ran = grader("ci", "--repository", git.folder, "--base", base, "--head", "work", "-o", tmp_path / "out",
                     "--seed", 11, *words)  # fmt: skip
        return ran

    return run


def staff(tmp_path: Path, name: str = "attention") -> dict:
    return json.loads((tmp_path / "out" / "staff" / f"{name}.json").read_text(encoding="utf-8"))


def kinds(document: dict) -> set[str]:
    return {flag["kind"] for flag in document["flags"]}


def test_a_right_change_earns_everything_and_the_files_say_so(git: Git, ci, tmp_path: Path, monkeypatch):
    git.commit({ATTENTION: SOLUTION})
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("SOME_TOKEN", "s3cr3t")
    ran = ci("--min-score", "100%", "--feedback", "full")
    assert ran.code == 0, ran.err
    assert "SOME_TOKEN" not in os.environ and "s3cr3t" not in ran.out + ran.err
    assert "| 20 / 20 |" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    outputs = (tmp_path / "GITHUB_OUTPUT").read_text(encoding="utf-8").splitlines()
    assert outputs == ["assignments=attention", "score=20", "max_score=20", "status=graded"]
    begin, *told, end = ran.out.splitlines()
    token = begin.removeprefix("::stop-commands::")
    assert len(token) == 32 and end == f"::{token}::" and told == ["Scaled dot-product attention: 20 / 20"]
    suites = Xml.parse(tmp_path / "out" / "junit.xml").getroot()
    assert suites.get("failures") == "0" and int(suites.get("tests", "0")) > 20
    assert staff(tmp_path)["isolation"]["level"] == "isolated"
    assert staff(tmp_path)["submission"]["origin"] == f"{git('rev-parse', 'HEAD')}:assignments/attention"
    assert sorted(path.name for path in tmp_path.glob("out/*")) == [
        "comment-without-marks.md", "comment.md", "junit.xml", "result.json", "staff", "student", "summary.md"
    ]  # fmt: skip


def test_the_same_marks_on_a_laptop_in_a_class_and_in_ci(git: Git, ci, grader, tmp_path: Path):
    git.commit({ATTENTION: UNSCALED})
    assert ci("--feedback", "full").code == 0
    laptop = tmp_path / "laptop.json"
    assert grader("grade", git.folder / ATTENTION, "-a", "attention", "--seed", 11, "--json", laptop).code == 0
    (tmp_path / "drop" / "wei").mkdir(parents=True)
    (tmp_path / "drop" / "wei" / "attention.py").write_text(UNSCALED, encoding="utf-8")
    grader("batch", tmp_path / "drop", "-a", "attention", "-o", tmp_path / "class", "--seed", 11, "--engine", "serial")
    (row,) = csv.DictReader((tmp_path / "class" / "grades.csv").read_text(encoding="utf-8").splitlines())
    one, other = staff(tmp_path), json.loads(laptop.read_text(encoding="utf-8"))
    report = json.loads((tmp_path / "class" / "reports" / "wei" / "report.json").read_text(encoding="utf-8"))
    assert one["score"] == other["score"] == report["score"] == float(row["score"]) == 18
    for document in (one, other, report):
        for test in document["tests"]:
            del test["duration_s"]
    assert one["criteria"] == other["criteria"] == report["criteria"]
    assert one["tests"] == other["tests"] == report["tests"]
    assert one["diagnosis"] == other["diagnosis"] == report["diagnosis"]


def test_what_is_lost_stands_on_the_line_and_the_bar_decides(git: Git, ci, monkeypatch):
    git.commit({ATTENTION: UNSCALED})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = ci("--min-score", 19, "--feedback", "full")
    assert ran.code == 1 and "below the bar" in ran.err
    line = next(i for i, text in enumerate(UNSCALED.splitlines(), 1) if "def attention_scores" in text)
    (error,) = (each for each in ran.out.splitlines() if each.startswith("::error"))
    at = int(error.split("line=")[1].split(",")[0])
    assert f"::error file={ATTENTION},line=" in error and line <= at <= line + 5
    assert ci("--min-score", 18).code == 0
    assert ci("--min-score", "nine").code == 2


def test_a_notebooks_cell_is_mapped_to_the_files_line(git: Git, ci, tmp_path: Path):
    handed_out = json.loads((ROOT / NOTEBOOK).read_text(encoding="utf-8"))
    at = next(i for i, cell in enumerate(handed_out["cells"]) if "def attention_scores" in "".join(cell["source"]))
    handed_out["cells"][at]["source"] = UNSCALED.splitlines(keepends=True)
    for cell in handed_out["cells"][at + 1 :]:
        if "def " in "".join(cell["source"]):
            cell["source"] = []
    text = json.dumps(handed_out, indent=1, ensure_ascii=False)
    git.commit({NOTEBOOK: text})
    assert ci("--feedback", "full").code == 0
    assert staff(tmp_path)["score"] == 18
    (error,) = (
        each
        for each in json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["annotations"]
        if each["kind"] == "error"
    )
    near = "\n".join(text.splitlines()[error["line"] - 6 : error["line"]])
    assert error["path"] == NOTEBOOK and "def attention_scores" in near


EXTRAS: dict[str, str | bytes | None] = {
    ".github/workflows/checks.yml": "on: pull_request_target\n",
    "assignments/attention/checks_public.py": "def test_all():\n    pass\n",
    "assignments/attention/conftest.py": "import os, pytest\nos._exit(0)\n",
    "assignments/attention/torch.py": "raise SystemExit(0)\n",
    "assignments/attention/math.py": "def sqrt(x):\n    return 0.0\n",
    "assignments/attention/sitecustomize.py": "import os\nos._exit(0)\n",
    "assignments/attention/evil.pth": "import os; os._exit(0)\n",
    "assignments/attention/big.bin": b"\0" * 50_000_000,
    "assignments/attention/weights.py": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
}


def test_everything_a_pull_request_can_add_around_right_code_earns_the_right_marks_and_flags(
    git: Git, ci, tmp_path: Path
):
    git.commit({ATTENTION: SOLUTION, **EXTRAS})
    (git.folder / "assignments/attention/linked.py").symlink_to("/etc/passwd")
    git("add", "--all")
    module = f"160000,{git('rev-parse', 'HEAD')},assignments/attention/module"
    git("update-index", "--add", "--cacheinfo", module)
    git("commit", "--quiet", "--message", "odd")
    ran = ci("--feedback", "full")
    document = staff(tmp_path)
    assert (ran.code, document["score"]) == (0, 20), document["criteria"]
    assert {"protected_path", "named_like_a_library", "large_file", "lfs_pointer", "symlink", "submodule"} <= kinds(
        document
    )
    told = (tmp_path / "out" / "staff" / "summary.md").read_text(encoding="utf-8")
    assert "checks\\_public.py" in told and ".github/workflows/checks.yml" in told
    handed_back = (tmp_path / "out" / "student" / "attention.json").read_text(encoding="utf-8")
    assert "protected_path" not in handed_back  # for staff, and never a verdict


@pytest.mark.parametrize(
    ("kind", "word"), [("symlink", "symbolic link"), ("lfs_pointer", "LFS pointer"), ("large_file", "50.0 MB")]
)
def test_a_file_that_is_none_has_no_mark_but_a_reason(git: Git, ci, tmp_path: Path, kind: str, word: str):
    git.commit({"assignments/attention/checks_public.py": None})
    if kind == "symlink":
        (git.folder / ATTENTION).unlink()
        (git.folder / ATTENTION).symlink_to(ROOT / "reference/attention/solution.py")
        git.commit({})
    else:
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
        git.commit({ATTENTION: pointer if kind == "lfs_pointer" else b"#" * 50_000_000})
    assert ci().code == 1
    document = staff(tmp_path)
    assert (document["status"], document["score"]) == ("not_gradable", None)
    assert word in document["reason"] and kind in kinds(document)


def test_a_removed_file_is_missing_and_nobody_reads_zero(git: Git, ci, tmp_path: Path):
    git.commit({ATTENTION: None, "assignments/attention/checks_public.py": None})
    assert ci().code == 1
    assert (staff(tmp_path)["status"], staff(tmp_path)["score"]) == ("missing", None)


def test_a_change_that_touches_nothing_is_done_at_once(git: Git, ci, tmp_path: Path):
    git.commit({"notes.md": "x", ".github/workflows/checks.yml": "on: push\n"})
    ran = ci()
    assert ran.code == 0 and "touches no assignment" in ran.out
    assert "protected_path" in (tmp_path / "out" / "staff" / "summary.md").read_text(encoding="utf-8")


def test_public_checks_need_no_reference_and_their_result_is_a_verdict_of_the_public_part_alone(
    git: Git, ci, tmp_path: Path
):
    git.commit({ATTENTION: SOLUTION})
    assert ci("--public").code == 0
    git.commit({ATTENTION: STUB.replace("raise NotImplementedError", "return q  # raise NotImplementedError", 1)})
    assert ci("--public", base="main").code == 1
    assert "public checks" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert staff(tmp_path)["tests"] and all(t["visibility"] == "public" for t in staff(tmp_path)["tests"])


def test_before_the_deadline_nothing_of_a_hidden_run_is_handed_back(git: Git, ci, tmp_path: Path):
    git.commit({ATTENTION: UNSCALED})
    assert ci("--feedback", "public").code == 0
    told = "".join(
        path.read_text(encoding="utf-8")
        for path in (tmp_path / "out").rglob("*")
        if path.is_file() and "staff" not in path.parts
    )
    assert "18 / 20" not in told and '"score": 18' not in told and '"hidden"' not in told
    assert staff(tmp_path)["score"] == 18  # nothing is lost for staff
    document = json.loads((tmp_path / "out" / "student" / "attention.json").read_text(encoding="utf-8"))
    assert document["tests"] and {test["visibility"] for test in document["tests"]} == {"public"}


def test_a_submission_cannot_speak_to_the_runner(git: Git, ci, tmp_path: Path, monkeypatch):
    forged = "::error file=x::FORGED"
    loud = (
        f"print({forged!r}, flush=True)\nimport sys\nprint('##[error]FORGED', file=sys.stderr, flush=True)\n"
        + SOLUTION
        + f"\ndef attention_scores(q, k):\n    print('\\n{forged}')\n    raise ValueError('\\n{forged}\\r{forged}')\n"
    )
    git.commit({ATTENTION: loud})
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = ci("--feedback", "full", "--audience", "staff")
    lines = [line for line in (ran.out + ran.err).splitlines() if line.lstrip().startswith(("::", "##["))]
    assert lines
    for line in lines:
        assert line.startswith(
            ("::error file=assignments", "::error title", "::warning", "::notice", "::stop-commands::")
        ) or (len(line) == 36 and line.startswith("::")), line
        assert "\\x3a:error" in line or "FORGED" not in line
    assert "FORGED" not in (tmp_path / "GITHUB_OUTPUT").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["ci", "grade"])
def test_a_grader_that_stands_in_a_students_folder_imports_nothing_of_it(git: Git, tmp_path: Path, command: str):
    """The working folder of a job is the student's; the walls begin only behind our own processes."""
    trap = f"open({str(tmp_path / 'canary')!r}, 'w').close()\nraise SystemExit(9)\n"
    names = ("torch", "numpy", "click", "pytest", "yaml", "pydantic", "json", "sitecustomize", "einops")
    git.commit({ATTENTION: SOLUTION, **{f"{name}.py": trap for name in names}})
    words = {
        "ci": ["ci", "--base", "main", "--head", "work", "-o", str(tmp_path / "out")],
        "grade": ["grade", ATTENTION, "-a", "attention"],
    }[command]
    ran = subprocess.run(
        [sys.executable, "-m", "grader", "--course", str(ROOT), *words], cwd=git.folder, capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "20 / 20" in ran.stdout
    assert not (tmp_path / "canary").exists()
