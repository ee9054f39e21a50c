"""``check.pyz`` where Python, NumPy and torch are all there is: it says what ``grader check`` says."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from grader.catalog import load_course
from grader.desk import Desk
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from grader.release.notebooks import notebook_text
from grader.release.older import SHIM_SOURCE, for_older_pythons
from grader.release.single import single_file
from tests.notebooks.kinds import KINDS

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
GOLDEN = ROOT / "tests" / "golden"
HANDED_IN = ["attention/wrong_no_scale", "attention/odd_syntax_error", "attention/odd_missing_function",
             "attention/wrong_mask_inverted", "multi_head/right_reshape_permute_inline", "by_hand/wrong_scale_multiplied",
             "multi_head/wrong_no_scale", "causal_mask/odd_exits"]  # fmt: skip
ODD = ["nbgrader", "format_3", "converted_script_with_a_cell_magic", "cut_off"]
NEVER_THERE = ("pydantic", "yaml", "rich", "click", "pytest", "IPython", "nbformat")
RUN = """
import runpy, sys
sys.path[:0] = {folders!r}
for name in {never!r}:
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(name + " is in reach")
sys.argv = {argv!r}
"""


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("one") / "check.pyz"
    path.write_bytes(single_file(COURSE))
    return path


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import from that holds NumPy, torch, and what torch itself asks for."""
    folder = tmp_path_factory.mktemp("bare")
    for name in needed("torch") | needed("numpy"):
        for file in importlib.metadata.files(name) or ():
            top = folder / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and not top.exists():
                top.symlink_to(Path(str(file.locate())).parents[len(file.parts) - 1] / file.parts[0])
    return folder


def needed(name: str, seen: set[str] | None = None) -> set[str]:
    """A distribution and all it requires, as far as it is installed."""
    seen = set() if seen is None else seen
    if name not in seen:
        try:
            wanted = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            return seen
        seen.add(name)
        for line in wanted:
            if "extra ==" not in line:
                needed(re.split(r"[\s;<>=!\[(~]", line, maxsplit=1)[0].lower(), seen)
    return seen


def run(folders: list[Path], argv: list[str], then: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Python without site-packages, user folders and environment."""
    script = RUN.format(folders=[str(folder) for folder in folders], never=NEVER_THERE, argv=argv) + then
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", script]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)


def as_program(pyz: Path) -> str:
    return f"runpy.run_path({str(pyz)!r}, run_name='__main__')"


def hand_ins(folder: Path) -> Iterator[tuple[str, Path]]:
    """(assignment, file): wrong, odd and right code, as files and as notebooks, and an untouched notebook."""
    for place in HANDED_IN:
        assignment = place.partition("/")[0]
        path = folder / place.replace("/", "_") / f"{assignment}.py"
        path.parent.mkdir()
        path.write_bytes((GOLDEN / place / f"{assignment}.py").read_bytes())
        yield assignment, path
    for kind in KINDS:
        if kind.name in ODD:
            path = folder / kind.name / kind.file
            path.parent.mkdir()
            path.write_bytes(kind.data)
            yield "attention", path
    path = folder / "untouched" / "padding_mask.ipynb"
    path.parent.mkdir()
    path.write_text(notebook_text(COURSE.assignment("padding_mask"), "en"), encoding="utf-8")  # type: ignore[arg-type]
    yield "padding_mask", path


def test_it_tells_what_grader_check_tells(pyz: Path, bare: Path, tmp_path: Path, desk: Desk) -> None:
    """One process for all: told by what stands between the fingerprints."""
    work = list(hand_ins(tmp_path))
    ran = run([bare], ["check.pyz", "--lang", "zh", *(str(path) for _, path in work)], as_program(pyz), tmp_path)
    assert ran.returncode == 1, ran.stderr
    told = ran.stdout
    for assignment, path in work:
        report = desk.grade(Job(str(path), assignment, PUBLIC_SEED, "zh", public_only=True))
        if report["status"] == "not_gradable":
            assert report["reason"] in told
            continue
        end = told.index(report["submission"]["fingerprint"])
        part, told = told[:end], told[end:]
        passed = [test["outcome"] for test in report["tests"]].count("passed")
        assert f"{passed} / {len(report['tests'])} 项" in part, (path, part)
        flat = "".join(part.split())
        notes = [test["note"] for test in report["tests"] if test["outcome"] != "died"]  # there is no process to die
        for said in [*notes, *(remark["text"] for remark in report["remarks"])]:
            assert "".join((said or "").split()) in flat, (path, said, part)
        for definition in report["definitions"]:
            where = definition["place"]
            line = f"第{where['cell']}个单元格" if where and where["cell"] else f":{where['line']}" if where else ""
            assert f"{definition['name']}：" in part and line in flat


def test_its_module_checks_live_functions(pyz: Path, bare: Path, tmp_path: Path) -> None:
    script = (
        f"sys.path.insert(0, {str(pyz)!r})\nfrom check import check\nimport torch\n"
        "def attention_scores(q, k):\n    return q @ k.transpose(-2, -1)\n"
        "result = check(attention_scores)\nprint(result)\n"
        "print(sorted(result._repr_mimebundle_()), result.passed)\ncheck('atention')\n"
    )
    ran = run([bare], [""], script, tmp_path)
    assert "Scaled dot-product attention: 2 of 3 public checks passed" in ran.stdout, ran.stderr
    assert "the largest score is 4, expected 2.83" in ran.stdout
    assert "['text/html', 'text/plain'] False" in ran.stdout
    assert "'atention' is neither an assignment" in ran.stdout


@pytest.mark.parametrize(
    ("library", "version", "words"),
    [("torch", "1.13.1", "needs torch 2.0 or newer; this is torch 1.13.1"), ("none", "", "needs NumPy and torch")],
)
def test_what_is_missing_is_one_plain_sentence(
    pyz: Path, tmp_path: Path, library: str, version: str, words: str
) -> None:
    (tmp_path / f"{library}.py").write_text(f"__version__ = {version!r}\n")
    if library == "torch":
        (tmp_path / "numpy.py").write_text("")
    ran = run([tmp_path], ["check.pyz"], as_program(pyz), tmp_path)
    assert ran.returncode == 1
    assert words in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_every_file_in_it_runs_on_python_3_9(pyz: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(pyz) as archive:
        archive.extractall(tmp_path)
    for path in tmp_path.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    command = [
        sys.executable,
        "-c",
        "import vermin; vermin.main()",
        "-q",
        "--no-tips",
        "-t=3.9-",
        "--violations",
        str(tmp_path),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    for path in (tmp_path / "course").rglob("*.py"):
        if path.name != "checks_public.py":  # what a student fills in: its annotations must not run
            assert "from __future__ import annotations" in path.read_text(encoding="utf-8"), path


def test_the_same_course_is_the_same_file_and_holds_no_reference(pyz: Path) -> None:
    assert single_file(COURSE) == pyz.read_bytes()
    with zipfile.ZipFile(pyz) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {
            "__main__.py",
            "check.py",
            "course",
            "grader",
        }
        assert {Path(name).name for name in archive.namelist() if name.startswith("course/")} == {
            "course.json", "checks_public.py", *(assignment.file for assignment in COURSE.assignments)}  # fmt: skip
        assert "marks" in json.loads(archive.read("course/course.json"))["assignments"][0]["criteria"][0]


def shim() -> ModuleType:
    module = ModuleType("older")
    exec(compile(SHIM_SOURCE, "older.py", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize(
    ("source", "value", "wanted"),
    [
        ("match x:\n    case None:\n        y = 0\n    case int() | float():\n        y = 1\n    case _:\n        y = 2", None, 0),
        ("match x:\n    case None:\n        y = 0\n    case int() | float():\n        y = 1\n    case _:\n        y = 2", 2.5, 1),
        ("match x:\n    case None:\n        y = 0\n    case int() | float():\n        y = 1\n    case _:\n        y = 2", "a", 2),
        ("match x:\n    case 'a' if True:\n        y = 3\n    case _:\n        y = 4", "a", 3),
        ("y = isinstance(x, int | None)", None, True),
        ("from collections.abc import Callable\nKind = Callable[[int | None], str | None]\ny = x", 1, 1),
        ("import ast\ny = ast.Match.__name__", 0, "Match"),
        ("y = list(zip([x], [2], strict=True))", 1, [(1, 2)]),
        ("import re as other\nimport json\ny = x | 4", 2, 6),
    ],
)  # fmt: skip
def test_rewritten_source_means_the_same(
    source: str, value: object, wanted: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "grader.older", shim())
    old = for_older_pythons(source)
    assert not re.search(r"\bmatch x|strict|int \| None", old)
    names = {"x": value}
    exec(old, names)
    assert names["y"] == wanted


def test_a_pattern_that_cannot_be_rewritten_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        for_older_pythons("match x:\n    case [a, b]:\n        pass")


def test_patterns_without_possessive_quantifiers_match_the_same() -> None:
    loosened = shim().loosened
    for pattern, text in [
        (r"a*+b", "aab"), (r"[ \t]*+(?:def)\s++x", "  def   x"), (r"[*+]++", "*+*"), (r"\*+", "***"), (r"[]+]+", "]+"),
        (r"x{1,2}+y", "xxy"), (rb'"(?:[^"\\]++|\\.)*+"', b'"a\\"b"'), (r"[^]+]+", "ab"),
    ]:  # fmt: skip
        old = loosened(pattern)
        assert not re.search(r"(?<![\\\[*])[*+?}]\+(?!\])" if isinstance(old, str) else rb"[*?}]\+", old)
        found = re.match(old, text)
        assert found is not None and found.group() == text == re.match(pattern, text).group()  # type: ignore[union-attr]
