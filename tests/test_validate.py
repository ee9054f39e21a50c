from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.engines.serial import SerialEngine
from grader.errors import UsageError
from grader.model import PUBLIC_SEED
from grader.validate import validate

CHECKS = '''\
import torch

from grader.checks import criterion, expect


def _alive(student, rng):
    x = rng(2, 3)
    got = expect.tensor(student.double(x), (2, 3), what="the result")
    expect.close(got, 2 * x, atol=1e-5, rtol=1e-4, what="the result")


@criterion("values")
def test_values(student, rng):
    """Every entry is doubled."""
    _alive(student, rng)


@criterion("inputs_untouched")
def test_input_stays(student, rng):
    """The input stays as it was."""
    _alive(student, rng)
    x = rng(4)
    call = student.watch("double", x)
    expect.unchanged(call, x, what="x")
'''
CARELESS = CHECKS.replace("    _alive(student, rng)\n    x = rng(4)", "    x = rng(4)")
PUBLIC = '''\
import torch

from grader.checks import criterion, expect


@criterion("values")
def test_one_number(student):
    """Twice 3 is 6."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-5, rtol=1e-4, what="the result")
'''


@pytest.fixture
def root(course_root: Path) -> Path:
    (course_root / "reference/doubling/checks.py").write_text(CHECKS, encoding="utf-8")
    (course_root / "assignments/doubling/checks_public.py").write_text(PUBLIC, encoding="utf-8")
    return course_root


def validated(root: Path, seeds: int = 2) -> dict[str, tuple[str, ...]]:
    """Claim (its first words) and what speaks against it, as the real engine grades."""
    config = {"course": str(root), "reference": None, "environment": {"PATH": os.environ["PATH"]}, "lang": "en"}
    with SerialEngine("grader.pipeline:open_desk", config) as engine:
        report = validate(load_course(root), ["doubling"], engine, seeds=seeds)
    assert report.holds == (not any(proof.problems for proof in report.proofs))
    assert all(proof.claim.zh for proof in report.proofs)
    return {proof.claim.en: proof.problems for proof in report.proofs}


def against(found: dict[str, tuple[str, ...]], words: str) -> str:
    (problems,) = [problems for claim, problems in found.items() if words in claim]
    return "\n".join(problems)


def test_a_sound_exercise_is_proven(root):
    found = validated(root, seeds=3)
    assert len(found) == 7
    assert [problems for problems in found.values() if problems] == []
    assert "the reference earns everything, on 3 seeds" in found


def test_a_check_that_looks_at_no_value_pays_for_nothing(root):
    (root / "reference/doubling/checks.py").write_text(CARELESS, encoding="utf-8")
    told = against(validated(root), "lifeless")
    assert "zeros: earns 0.5 in inputs_untouched" in told
    assert "returns_none: earns 0.5 in inputs_untouched" in told
    assert "test_input_stays" in told


def test_a_wrong_reference_is_found_on_its_seed(root, edit):
    edit("reference/doubling/solution.py", "return 2 * x", "return 2 * x.clamp(max=1.0)")
    found = validated(root)
    assert f"seed {PUBLIC_SEED}: 0 of 2.5" in against(found, "the reference earns everything")
    assert "test_one_number" in against(found, "public checks")


def test_a_criterion_without_a_test_is_found(root):
    kept = CHECKS[: CHECKS.index('@criterion("inputs_untouched")')]
    (root / "reference/doubling/checks.py").write_text(kept, encoding="utf-8")
    assert against(validated(root), "points add up") == "inputs_untouched: no test earns it"


def test_a_stub_that_solves_the_exercise_is_found(root, edit):
    edit("assignments/doubling/doubling.py", 'raise NotImplementedError("TODO: double the entries")', "return x + x")
    assert "stub: earns 2 in values" in against(validated(root), "stub earns nothing")


def test_a_statement_of_the_solution_in_the_handout_is_found(root, edit):
    edit("assignments/doubling/README.md", "Make every entry", "Write `return 2 * x`: make every entry")
    told = against(validated(root), "nothing of the solution")
    assert told == "assignments/doubling/README.md:3: 2 * x"


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "checks_public.py"])
def test_a_missing_text_is_found(root, name):
    (root / "assignments/doubling" / name).write_text("\n", encoding="utf-8")
    course = load_course(root, root / "assignments")  # read as by a student, who has no reference to be graded with
    told = {proof.claim.en: proof.problems for proof in validate(course, [], Nobody()).proofs}
    assert f"assignments/doubling/{name} is missing or empty" in against(told, "every text")


def test_a_chinese_text_without_chinese_is_found(root, edit):
    edit("assignments/doubling/assignment.yaml", "zh: 加倍}", "zh: Doubling}")
    edit("assignments/doubling/assignment.yaml", "看符号。", "Look")
    told = against(validated(root), "every text")
    assert "title: the Chinese text holds no Chinese: 'Doubling'" in told
    assert "values: hint 2: the Chinese text holds no Chinese: 'Look'" in told


def test_an_unknown_name_is_refused_with_the_nearest(root):
    with pytest.raises(UsageError, match="no assignment 'dubling'; did you mean 'doubling'"):
        validate(load_course(root), ["dubling"], Nobody())


class Nobody:
    """An engine that must not be needed."""

    def map(self, jobs):
        raise AssertionError("nothing was to be graded")
