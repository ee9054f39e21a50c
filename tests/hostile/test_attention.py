"""The real checks of attention, under attack: each earns what the untouched stub earns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.desk import Desk
from grader.document import for_student
from grader.model.submission import Job
from grader.reports import RENDERERS, render
from tests.contract.test_effects import LINUX
from tests.reports.test_inert import hidden
from tests.reports.test_untrusted import commands_in

pytestmark = [LINUX, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[2]
ATTACKS = yaml.safe_load((Path(__file__).parent / "attention.yaml").read_text(encoding="utf-8"))
SEED = 41


def graded(desk: Desk, folder: Path, text: str) -> dict[str, Any]:
    path = folder / "attention.py"
    path.write_text(text, encoding="utf-8")
    return desk.grade(Job(str(path), "attention", SEED))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a["name"])
def test_an_attack_on_attention_earns_what_the_stub_earns(attack: dict[str, str], desk: Desk, tmp_path: Path) -> None:
    document = graded(desk, tmp_path, attack["code"])
    assert (document["status"], document["score"]) == ("graded", 0.0), document["criteria"]
    for form in RENDERERS:
        for shown in (render(form, d, lang="en") for d in (document, for_student(document))):
            assert hidden(shown) == set() and commands_in(shown, folded=form != "json") == []


def test_the_stub_earns_nothing_and_right_code_everything_afterwards(desk: Desk, tmp_path: Path) -> None:
    for path, share in (("assignments/attention/attention.py", 0), ("reference/attention/solution.py", 1)):
        document = graded(desk, tmp_path, (ROOT / path).read_text(encoding="utf-8"))
        assert document["score"] == share * document["max_score"]
