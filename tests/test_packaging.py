"""What a wheel and a source distribution hold: the machinery, and nothing that students must not see."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
KEPT_BACK = ("reference", "examples", "tests", "assignments")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, list[str]]:
    """Names of the files in each distribution, as built from this tree."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = archive.namelist()
    with tarfile.open(sdist) as archive:
        in_sdist = [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]
    return {"wheel": in_wheel, "sdist": in_sdist}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_distribution_holds_the_whole_machinery(built, kind):
    sources = [path for path in (ROOT / "grader").rglob("*") if path.suffix in (".py", ".json")]
    assert len(sources) > 20
    assert {str(path.relative_to(ROOT)) for path in sources} <= set(built[kind])


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_distribution_holds_nothing_that_is_kept_back(built, kind):
    assert all((ROOT / folder).is_dir() for folder in KEPT_BACK)  # or this test would show nothing
    assert [name for name in built[kind] if set(KEPT_BACK) & set(Path(name).parts)] == []
    assert [name for name in built[kind] if Path(name).name in ("solution.py", "checks.py")] == []


def test_a_wheel_holds_the_package_and_its_own_record_alone(built):
    tops = {name.partition("/")[0] for name in built["wheel"]}
    assert len(tops) == 2
    assert "grader" in tops
    assert any(top.startswith("attention_grader-") and top.endswith(".dist-info") for top in tops)


def test_the_command_is_the_packages_main():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"grader": "grader.__main__:main"}
    assert project["name"] == "attention-grader"


def test_the_makefile_installs_one_release_of_torch():
    pins = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert pins == ["torch==2.13.0"]
