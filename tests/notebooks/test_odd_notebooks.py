"""Every damaged or odd notebook of ``kinds`` goes the real way: intake, worker, checks, scoring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.desk import Desk
from grader.document import for_student, to_document
from grader.model.report import GradeReport
from grader.model.submission import Job
from tests.notebooks.kinds import KINDS as KNOWN
from tests.notebooks.kinds import Kind
from tests.notebooks.wild import WILD

SEED = 20240229
KINDS = (*KNOWN, *WILD)


def handed_in(kind: Kind, folder: Path, desk: Desk) -> GradeReport:
    path = folder / kind.file
    path.write_bytes(kind.data)
    return desk.report(Job(str(path), "attention", SEED, public_only=True))


def words_of(document: dict[str, Any]) -> str:
    parts = [document["reason"] or "", *(remark["text"] for remark in document["remarks"])]
    return "\n".join([*parts, *(flag["detail"] for flag in document["flags"])])


def earned(passed: int, tests: int) -> str:
    return "none" if passed == 0 else "all" if passed == tests else "some"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_odd_notebook_gets_what_its_code_deserves(kind: Kind, tmp_path: Path, desk: Desk) -> None:
    report = handed_in(kind, tmp_path, desk)
    document = to_document(report)
    words = words_of(document)
    trail = "\n".join(f"{t.id} {t.outcome}: {t.detail}" for t in report.tests if t.outcome != "passed")
    assert report.status == kind.status, words
    passed = sum(t.outcome == "passed" for t in report.tests)
    assert earned(passed, len(report.tests)) == kind.earns, f"{words}\n{trail}"
    for said in kind.says:
        assert said in words
    assert set(kind.flags) <= {flag.kind for flag in report.flags}, words
    if kind.silent:
        assert document["remarks"] == [], words
        assert {flag.kind for flag in report.flags} <= set(kind.flags), words
    where = {d.name: d.place.cell for d in report.definitions if d.place is not None}
    assert kind.cells.items() <= where.items()


def test_at_least_thirty_kinds_and_each_name_once() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 30


def test_what_cannot_be_graded_says_what_to_do_in_both_languages(tmp_path: Path, desk: Desk) -> None:
    refused = [kind for kind in KINDS if kind.status == "not_gradable"]
    assert len(refused) > 8
    for kind in refused:
        path = tmp_path / kind.file
        path.write_bytes(kind.data)
        english, chinese = (desk.grade(Job(str(path), "attention", SEED, lang)) for lang in ("en", "zh"))
        assert english["score"] is chinese["score"] is None
        assert english["reason"] != chinese["reason"]
        assert for_student(english)["reason"] == english["reason"]
