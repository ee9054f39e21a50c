"""The whole command on a platform's archive, with real workers."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOLUTION = (ROOT / "reference" / "by_hand" / "solution.py").read_text(encoding="utf-8")


def batch(tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "--course", str(ROOT), "batch", "drop.zip", "-a", "by_hand", "-o", "out",
               "--roster", "roster.csv", *more]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)


def rows(tmp_path: Path) -> dict[str, dict[str, str]]:
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8", newline="") as sheet:
        return {row["student_id"]: row for row in csv.DictReader(sheet)}


def test_a_moodle_archive_with_a_roster_and_then_with_the_map(tmp_path):
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("work/by_hand.py", SOLUTION)
    with zipfile.ZipFile(tmp_path / "drop.zip", "w") as archive:
        archive.writestr("张三_71_assignsubmission_file/by_hand (1).py", SOLUTION)
        archive.write(inner, "Ana Diaz_72_assignsubmission_file/mine.zip")
        archive.writestr("Nick Name_73_assignsubmission_file/by_hand.py", SOLUTION)
        archive.writestr("Bo Li_74_assignsubmission_file/by_hand.rar", b"Rar!")
    (tmp_path / "roster.csv").write_bytes(
        "学号,姓名\n0101,张三\n0102,Ana Diaz\n0103,Eve Ng\n0104,Bo Li\n".encode("gbk")
    )

    first = batch(tmp_path)
    assert first.returncode == 1, first.stderr
    assert "layout moodle" in first.stderr
    table = rows(tmp_path)
    assert {s: row["status"] for s, row in table.items()} == {
        "0101": "graded", "0102": "graded", "0103": "missing", "0104": "not_gradable", "73": "graded"
    }  # fmt: skip
    assert table["0101"]["score"] == table["0101"]["max_score"] == table["0102"]["score"]
    assert (table["0101"]["name"], table["0103"]["score"], table["0103"]["name"]) == ("张三", "", "Eve Ng")
    assert "not_on_roster" in table["73"]["flags"]
    assert "RAR" in (tmp_path / "out" / "reports" / "74" / "report.md").read_text(encoding="utf-8")

    filled = (tmp_path / "out" / "map.csv").read_text(encoding="utf-8").replace("73,,", "73,0103,")
    (tmp_path / "filled.csv").write_text(filled, encoding="utf-8")
    second = batch(tmp_path, "--map", "filled.csv")
    assert second.returncode == 1, second.stderr
    table = rows(tmp_path)
    assert sorted(table) == ["0101", "0102", "0103", "0104"]
    assert (table["0103"]["submission"], table["0103"]["status"]) == ("73", "graded")
