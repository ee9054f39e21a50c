"""Who may import whom. A room is a top-level module or package of grader/; whatever is not allowed is refused."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.catalog import load_course

ROOT = Path(__file__).parent.parent
GRADER = ROOT / "grader"

FREE = {"model", "errors", "document"}  # any room may import these; they import nothing but each other
ALLOWED = {
    "__main__": {"cli"},
    "cli": {"commands"},
    "commands": {
        "catalog", "ci", "diagnosis", "engines", "gradebook", "intake", "late", "platforms", "practice", "proof",
        "release", "reports", "sandbox", "scaffold", "scoring", "store", "watching",
    },
    "debug": {"catalog", "checks", "intake", "loading", "sandbox", "student"},
    "opening": {"catalog", "desk", "proof", "sandbox"},
    "desk": {"exercise", "pipeline", "sandbox"},
    "pipeline": {"checks", "diagnosis", "exercise", "intake", "loading", "policy", "sandbox", "scoring", "student"},
    "exercise": {"checks", "diagnosis", "shelf", "student"},
    "shelf": set(),
    "policy": {"loading"},
    "loading": {"intake", "places", "rpc", "sandbox", "whereabouts"},
    "places": set(),
    "whereabouts": set(),
    "scoring": set(),
    "diagnosis": {"checks", "rpc", "shelf", "student"},
    "intake": set(),
    "checks": {"shelf", "student"},
    "student": {"loading", "places", "rpc", "sandbox"},
    "sandbox": {"rpc"},
    "rpc": set(),
    "worker": {"rpc"},
    "ci": {"intake", "reports"},
    "platforms": {"release", "reports"},
    "engines": set(),
    "reports": set(),
    "gradebook": {"late", "reports", "scoring"},
    "late": {"scoring", "strict_yaml"},
    "store": {"intake", "scoring"},
    "catalog": {"course_files", "course_rules", "strict_yaml"},
    "course_rules": {"course_files", "strict_yaml"},
    "course_files": {"strict_yaml"},
    "strict_yaml": set(),
    "proof": {
        "catalog", "checks", "desk", "diagnosis", "exercise", "leakage", "lifeless", "pipeline", "sandbox", "scoring",
        "student",
    },
    "notebook": {"catalog", "checks", "diagnosis", "intake", "reports", "student", "whereabouts"},
    "onefile": {"checks", "intake", "loading", "notebook", "places", "reports", "worker"},
    "release": {"leakage", "onefile"},
    "scaffold": {"strict_yaml"},
    "watching": set(),
    "practice": {
        "catalog", "exercise", "intake", "loading", "notebook", "onefile", "pipeline", "places", "student",
    },
    "leakage": set(),
    "lifeless": {"lifeless_answers"},
    "lifeless_answers": set(),
    "model": set(),
    "errors": {"model"},
    "document": {"model"},
}  # fmt: skip
IN_THE_BOX = {"worker", "rpc"}  # run beside the student's code: they hold no facts of the grader's, so not even FREE
# Libraries that belong to some rooms alone.
LIBRARIES = {
    "pytest": {"checks/pytest_plugin.py"},
    "_pytest": {"checks/pytest_plugin.py"},
    "yaml": {"strict_yaml.py"},
    "pydantic": {"course_files.py"},
    "pydantic_core": {"course_files.py"},
    "click": {"cli"},
    "rich": {"commands", "reports"},
    "jinja2": {"reports"},
    "markupsafe": {"reports"},
    "sqlite3": {"store.py", "store"},
    "watchfiles": {"watching"},
    "nbformat": {"intake"},
    "nbconvert": {"reports/inert.py"},
    "bleach": {"reports/inert.py"},
    "torch": {"checks", "diagnosis", "desk.py", "notebook", "practice", "rpc", "student", "worker"},
    "numpy": {"checks", "diagnosis", "notebook", "rpc", "student", "worker"},
}
NEVER = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "assignments", "reference"}


def files() -> list[Path]:
    return sorted(path for path in GRADER.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(GRADER).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """Full dotted names of what a file imports, wherever in the file the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(path: Path) -> set[str]:
    parts = (name.split(".") for name in imported(path))
    names = {part[1] for part in parts if part[0] == "grader" and len(part) > 1}
    return {name for name in names if (GRADER / name).is_dir() or (GRADER / f"{name}.py").is_file()}


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(GRADER)))
def test_a_file_imports_only_what_its_room_may(path):
    room = room_of(path)
    if room == "__init__":
        assert not rooms_imported(path)
        return
    assert room in ALLOWED, f"{room} is new: say in ALLOWED what it may import"
    allowed = ALLOWED[room] | {room} | (set() if room in IN_THE_BOX else FREE)
    assert rooms_imported(path) <= allowed


def test_nobody_imports_the_worker():
    """But for the one file on a student's own machine, where the code is run by the one who wrote it."""
    allowed = {"worker", "onefile"}
    assert [p for p in files() if room_of(p) not in allowed and "worker" in rooms_imported(p)] == []


def test_the_allowed_directions_have_no_cycle():
    graph = {room: allowed | (FREE if room not in FREE | IN_THE_BOX else set()) for room, allowed in ALLOWED.items()}
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert order.index("model") < order.index("sandbox") < order.index("checks") < order.index("pipeline")


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(GRADER)))
def test_a_library_is_imported_only_where_it_belongs(path):
    place = path.relative_to(GRADER)
    for name in imported(path):
        library = name.partition(".")[0]
        assert library not in NEVER, f"{name} is imported"
        if library in LIBRARIES:
            assert {str(place), place.parts[0]} & LIBRARIES[library], f"{name} does not belong here"


def test_the_machinery_knows_no_assignment_by_name():
    names = {name for a in load_course(ROOT).assignments for name in (a.name, a.file) if "_" in name}
    assert names
    told = [
        (str(path.relative_to(ROOT)), node.value)
        for path in files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert told == []


COMMAND = """
import sys
sys.argv = ["grader", *sys.argv[1:]]
from grader.__main__ import main
try:
    code = main()
except SystemExit as ended:
    code = ended.code
heavy = {"torch", "numpy", "nbformat", "nbconvert", "pytest", "jinja2"} & sys.modules.keys()
print("heavy:", *sorted(heavy), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("command", [["--help"], ["grade", "--help"], ["list"], ["hint", "doubling"]])
def test_light_commands_import_nothing_heavy(command, course_root, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND, *command],
        cwd=course_root,
        env={"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
    assert ran.stderr.splitlines()[-1] == "heavy:"
