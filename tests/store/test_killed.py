"""A real batch killed at moments nobody chose, whole process group and all: what it ends in is the same in the end."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader.document import without_durations
from tests.store.conftest import ROOT

KILLS = 5
TABLES = ("grades.csv", "results.csv", "flags.csv", "triage.json", "index.html")


def command(drop: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "grader", "--course", str(ROOT), "batch", str(drop), "-a", "attention",
            "-o", str(out), "--seed", "5"]  # fmt: skip


def a_class(folder: Path) -> Path:
    """Right ones, wrong ones, one that ends its process, one that is no Python."""
    golden = sorted((ROOT / "tests" / "golden" / "attention").glob("*/attention.py"))
    picked = [file for file in golden if file.parent.name.startswith(("right_", "wrong_"))][::9][:8]
    for number, file in enumerate(picked):
        (folder / f"s{number}").mkdir(parents=True)
        shutil.copy(file, folder / f"s{number}")
    for name, data in (("aborts", b"import os\ndef attention_scores(q, k):\n    os.abort()\n"), ("odd", b"\x7fELF\0")):
        (folder / name).mkdir()
        (folder / name / "attention.py").write_bytes(data)
    return folder


def state(out: Path) -> dict[str, Any]:
    reports = {
        str(path.relative_to(out)): without_durations(json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(out.glob("reports/*/report.json"))
    }
    return {name: (out / name).read_bytes() for name in TABLES} | reports


@pytest.mark.long
def test_killed_anywhere_and_run_again_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    drop, quiet = a_class(tmp_path / "drop"), {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    began = time.monotonic()
    assert subprocess.run(command(drop, tmp_path / "calm"), check=False, **quiet).returncode == 1  # one is not gradable
    took = time.monotonic() - began
    expected, moments, kills = state(tmp_path / "calm"), random.Random(11), 0
    while kills < KILLS:
        killed = True
        while killed:
            with subprocess.Popen(command(drop, tmp_path / "out"), start_new_session=True, **quiet) as process:
                try:
                    process.wait(moments.uniform(0.1, took) if kills < KILLS else None)
                    killed = False
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    kills += 1
        assert process.returncode == 1
        assert state(tmp_path / "out") == expected
        shutil.rmtree(tmp_path / "out")
