"""The plain grader works in a process of its own while the others are tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.course import CANARY

ROOT = Path(__file__).resolve().parents[2]
Started = tuple["subprocess.Popen[str]", Path]


def _start(folder: Path) -> Started:
    (folder / "arena").mkdir()
    said = folder / "said"
    with said.open("w") as out:
        run = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.naive", str(folder / "arena")],
            cwd=ROOT, env={**os.environ, "HARMLESS": CANARY}, stdout=out, text=True, start_new_session=True,
        )  # fmt: skip
    return run, said


@pytest.fixture(scope="session", autouse=True)
def _naive_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Started]]:
    """Begun at once where the session will ask for it and has no other workers."""
    wanted = any(item.path.name == "test_naive.py" for item in request.session.items)
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    runs = [_start(tmp_path_factory.mktemp("naive"))] if wanted and alone else []
    yield runs
    for run, _ in runs:
        run.kill()
        run.wait()


@pytest.fixture(scope="session")
def naive_results(_naive_run: list[Started], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not _naive_run:
        _naive_run.append(_start(tmp_path_factory.mktemp("naive")))
    run, said = _naive_run[0]
    assert run.wait(timeout=120) == 0
    results: dict[str, Any] = json.loads(said.read_text(encoding="utf-8").splitlines()[-1])
    return results
