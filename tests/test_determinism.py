"""The same submission and seed give the same document, apart from times."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.desk import Desk
from grader.document import dump, to_document
from grader.model.submission import Job

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden" / "attention"


def without_times(text: str) -> str:
    return re.sub(r'"duration_s": [0-9.e-]+', '"duration_s": 0', text)


@pytest.mark.parametrize("pattern", ["right_*", "wrong_*"])
def test_same_seed_same_bytes(desk: Desk, pattern: str) -> None:
    folder = sorted(path for path in GOLDEN.glob(pattern) if (path / "attention.py").is_file())[0]
    job = Job(str(folder / "attention.py"), "attention", 12345)
    one, two = (without_times(dump(to_document(desk.report(job)))) for _ in range(2))
    assert one == two
    assert one != without_times(dump(to_document(desk.report(Job(job.path, "attention", 54321)))))
