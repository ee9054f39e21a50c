from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.engines.serial import SerialEngine
from grader.errors import UsageError
from grader.model import PUBLIC_SEED
from grader.validate import ValidationReport, validate

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
PUBLIC = '''\
import torch

from grader.checks import criterion, expect


@criterion("values")
def test_one_number(student):
    """Twice 3 is 6."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-5, rtol=1e-4, what="the result")
'''


FLAWS = {  # file, old, new
    "the reference is wrong for large entries": ("reference/doubling/solution.py", "2 * x", "2 * x.clamp(max=1.0)"),
    "a check looks at no value": ("reference/doubling/checks.py", "    _alive(student, rng)\n    x", "    x"),
    "the stub solves the exercise": ("assignments/doubling/doubling.py", "raise NotImplementedError(\"TODO: double the entries\")", "return x + x"),
    "the handout tells the solution": ("assignments/doubling/README.md", "Make", "`return 2 * x.clamp(max=1.0)` will make"),
    "a handout is missing": ("assignments/doubling/README.zh.md", "# 加倍\n\n让每个元素变成两倍。", ""),
    "the Chinese title is English": ("assignments/doubling/assignment.yaml", "zh: 加倍}", "zh: Doubling}"),
    "a Chinese hint is English": ("assignments/doubling/assignment.yaml", "看符号。", "Look"),
}  # fmt: skip


def validated(root: Path, seeds: int) -> ValidationReport:
    """What the real engine's grading comes to."""
    config = {"course": str(root), "reference": None, "environment": {"PATH": os.environ["PATH"]}, "lang": "en"}
    with SerialEngine("grader.desk:open_desk", config) as engine:
        return validate(load_course(root), ["doubling"], engine, seeds=seeds)


def with_checks(root: Path) -> Path:
    (root / "reference/doubling/checks.py").write_text(CHECKS, encoding="utf-8")
    (root / "assignments/doubling/checks_public.py").write_text(PUBLIC, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def sound(make_course, tmp_path_factory) -> ValidationReport:
    return validated(with_checks(make_course(tmp_path_factory.mktemp("sound"))), seeds=3)


@pytest.fixture(scope="module")
def flawed(make_course, tmp_path_factory) -> ValidationReport:
    root = with_checks(make_course(tmp_path_factory.mktemp("flawed")))
    for name, old, new in FLAWS.values():
        text = (root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        (root / name).write_text(text.replace(old, new), encoding="utf-8")
    return validated(root, seeds=2)


def against(report: ValidationReport, words: str) -> str:
    """What speaks against the one claim that holds these words."""
    (problems,) = [proof.problems for proof in report.proofs if words in proof.claim.en]
    return "\n".join(problems)


def test_a_sound_exercise_is_proven(sound):
    assert [(proof.claim.en, proof.problems) for proof in sound.proofs if not proof.holds] == []
    assert sound.holds
    claims = [proof.claim.en for proof in sound.proofs]
    assert len(claims) == len(set(claims)) == 7
    assert "the reference earns everything, on 3 seeds" in claims


def test_every_claim_is_worded_in_both_languages(sound):
    assert all(proof.claim.en and proof.claim.zh for proof in sound.proofs)


def test_an_exercise_with_flaws_is_not_proven(flawed):
    assert not flawed.holds


def test_a_check_that_looks_at_no_value_pays_for_nothing(flawed):
    told = against(flawed, "lifeless")
    assert "zeros: earns 0.5 in inputs_untouched" in told
    assert "returns_none: earns 0.5 in inputs_untouched" in told
    assert "test_input_stays" in told
    assert "zeros: earns 2 in values" not in told


def test_a_wrong_reference_is_found_on_its_seed(flawed):
    assert f"seed {PUBLIC_SEED}: 0.5 of 2.5: checks.py::test_values failed" in against(flawed, "earns everything")
    assert "test_one_number failed" in against(flawed, "public checks")


def test_a_stub_that_solves_the_exercise_is_found(flawed):
    assert "stub_with_a_touch: earns 2 in values" in against(flawed, "lifeless")


def test_a_statement_of_the_solution_in_the_handout_is_found(flawed):
    told = against(flawed, "nothing of the solution")
    assert told == "assignments/doubling/README.md:3: 2 * x.clamp(max=1.0)"


def test_a_text_that_is_missing_or_not_translated_is_found(flawed):
    assert against(flawed, "every text").splitlines() == [
        "assignments/doubling/README.zh.md is missing or empty",
        "title: the Chinese text holds no Chinese: 'Doubling'",
        "values: hint 2: the Chinese text holds no Chinese: 'Look'",
    ]


class Nobody:
    """An engine that must not be needed."""

    def map(self, jobs):
        raise AssertionError("nothing was to be graded")


class Broken:
    """An engine whose grader fails at every job."""

    def map(self, jobs):
        for job in jobs:
            yield job, {
                "status": "grader_fault", "reason": "the worker is gone", "score": None, "max_score": 2.5,
                "criteria": [], "tests": [], "flags": [],
            }  # fmt: skip


def test_a_grader_that_fails_proves_nothing(course_root):
    report = validate(load_course(with_checks(course_root)), [], Broken(), seeds=1)
    for words in ("earns everything", "public checks", "stub earns nothing", "lifeless"):
        assert "grader_fault: the worker is gone" in against(report, words)


def test_without_a_reference_only_the_texts_can_be_shown(course_root, tmp_path_factory):
    course = load_course(with_checks(course_root), tmp_path_factory.mktemp("empty"))
    report = validate(course, [], Nobody())
    assert against(report, "the reference is there") == "there is no folder reference/doubling"
    assert against(report, "every text") == ""


def test_an_unknown_name_is_refused_with_the_nearest(course_root):
    with pytest.raises(UsageError, match="no assignment 'dubling'; did you mean 'doubling'"):
        validate(load_course(course_root), ["dubling"], Nobody())
