"""What grading processes tell each other comes through as it was, and nothing hangs on it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from grader.checks.shown import Shown
from grader.diagnosis.faults import Fault
from grader.diagnosis.naming import Named
from grader.diagnosis.plays import Plays
from grader.diagnosis.rehearsal import Rehearsals
from grader.diagnosis.written import as_facts, from_facts
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.report import TestResult as Ended
from grader.rpc.values import Handle, Opaque
from grader.shelf import Shelf
from grader.student.log import Answered, Raised, fingerprint
from tests.test_ahead import as_tests
from tests.test_untouched import SOLUTION, Asks, module

VALUES = [
    torch.ones(2, 3), torch.zeros(0, 2), torch.tensor(float("nan")), torch.ones(2, dtype=torch.bfloat16),
    torch.tensor([True, False]), torch.tensor([1, 2]), np.ones((2, 2)), np.float64(2.5), None, True, 3, 1 << 60, 2.5,
    float("inf"), "text", (torch.ones(1), None), [1, (2.0, "x")], {"w": torch.ones(1), 2: [3]}, Opaque("a Lazy object"),
    (Opaque("a map object"),), Handle(0), Raised("ValueError"),
]  # fmt: skip


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path, "attention 1234")


def as_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: other)


def test_a_fact_is_there_for_all_and_for_what_it_is_about_alone(shelf: Shelf) -> None:
    assert shelf.get("named", b"answers") is None
    shelf.put("named", b"answers", {"a": [1, None, "词"]})
    assert shelf.get("named", b"answers") == {"a": [1, None, "词"]}
    assert shelf.get("shown", b"answers") is shelf.get("named", b"others") is None
    assert Shelf(shelf.folder, "attention 5678").get("named", b"answers") is None


def test_a_shelf_that_is_gone_or_torn_is_an_empty_one(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put("named", b"answers", 1)
    next(tmp_path.iterdir()).write_bytes(b'{"torn')
    assert shelf.get("named", b"answers") is None
    gone = Shelf(tmp_path / "gone", "")
    gone.put("named", b"answers", 1)
    gone.leave("plays", b"data")
    assert gone.get("named", b"answers") is None and list(gone.left_by_others("plays", set())) == []


def test_what_is_left_reaches_each_other_process_once(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()
    shelf.leave("plays", b"one")
    assert list(shelf.left_by_others("plays", set())) == [], "its own"
    as_another_process(monkeypatch)
    assert list(shelf.left_by_others("plays", seen)) == [b"one"]
    assert list(shelf.left_by_others("plays", seen)) == list(shelf.left_by_others("other", seen)) == []


def test_a_rehearsal_comes_through_to_the_last_bit(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tuple(Answered(f"f{i}", value, (True, False)[: i % 3], flows=i % 2 == 0) for i, value in enumerate(VALUES))
    right = (Answered("f", 1),)
    plays = Plays(shelf, 1)
    plays.add("fault", "test", log, right)
    plays.add("fault", "unchanged", right, right)
    plays.add("fault", "strange", (Answered("f", torch.nn.Linear(1, 1)),), right)
    plays.add("fault", "complex", (Answered("f", (torch.ones(1, dtype=torch.complex64),)),), right)
    plays.exchange()
    as_another_process(monkeypatch)
    others = Plays(shelf, 1)
    assert others.find("fault", "test", right) is None
    others.exchange()
    found = others.find("fault", "test", right)
    assert found is not None and fingerprint(found) == fingerprint(log)
    assert [(a.function, a.changed, a.flows, type(a.value)) for a in found] == [
        (a.function, a.changed, a.flows, type(a.value)) for a in log
    ]
    assert others.find("fault", "unchanged", right) is right
    assert others.find("fault", "strange", right) is others.find("fault", "complex", right) is None


def test_a_mistake_that_another_process_rehearsed_is_not_gone_through_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rehearsed() -> tuple[list[str], bytes]:
        asks = Asks()
        (test,) = as_tests(asks.with_mask)
        rehearsals = Rehearsals(SOLUTION, module(), 1, Plays(shelf, 1))
        rehearsals.exchange()
        log = rehearsals.log((fault,), test)
        rehearsals.exchange()
        return asks.ran, fingerprint(log or ())

    fault = Fault("zero_fill", ("c",), Text(en="", zh=""), {"-torch.inf": "0"})
    first = rehearsed()
    as_another_process(monkeypatch)
    assert first[0] == ["with_mask"] * 2
    assert rehearsed() == (["with_mask"], first[1]), "of the right code alone"


def test_named_mistakes_come_through_with_their_words(shelf: Shelf) -> None:
    known = Fault("no_scale", ("scale",), Text("words", "话"), {"a": "b"}, near=0.1)
    measured = Fault("scale_of", ["scale"], Text("times 0.7", "乘以 0.7"), {})
    named = (Named((known,), "f", frozenset({"scale", "mask"}), 3, 4), Named((known, measured), "g", frozenset(), 1, 1))
    shelf.put("named", b"answers", as_facts(named))
    found = from_facts(shelf.get("named", b"answers"), [known])
    assert found == named and found[0].faults[0] is known


def test_notes_of_another_process_are_told_at_ones_own_lines(shelf: Shelf) -> None:
    failed = Ended("t", "c", Text(""), Outcome.FAILED, note=Text("far", "远"), function="f")
    bare = Ended("u", "c", Text(""), Outcome.FAILED)
    Shown(shelf, "shown").keep(b"answers", [failed, bare])
    found = Shown(shelf, "shown").find(b"answers", [Ended("t", "c", Text(""), Outcome.FAILED), bare], lambda name: None)
    assert found == (failed, bare)
    assert Shown(shelf, "other").find(b"answers", [failed], lambda name: None) is None
