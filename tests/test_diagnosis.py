"""A known mistake is named because it computes what the student computed; a mark never depends on that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from grader.desk import Desk
from grader.diagnosis.faults import faulty_source, source_of_solution
from grader.diagnosis.parsimony import best_covers, told
from grader.model.outcome import Outcome
from grader.model.submission import Job
from grader.student.log import alike

GOLDEN = Path(__file__).parent / "golden"
SEED = 77
SOFTMAX_IN_OWN_WORDS = """
import torch

def attention_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q, k)

def attention_weights(scores, mask=None):
    seen = torch.ones_like(scores) if mask is None else (mask != 0).to(scores.dtype).expand_as(scores)
    shown = torch.where(seen > 0, scores, -1e9)
    e = torch.exp(shown - shown.amax(-1, keepdim=True)) * seen
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)

def scaled_dot_product_attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    return w @ v, w
"""


def names() -> list[str]:
    return [
        "no_scale", "scale_by_width", "softmax_over_queries", "zero_fill", "mask_inverted", "empty_rows_left",
        "weights_transposed", "keys_for_values",
    ]  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_a_solution_with_one_known_mistake_is_named(desk: Desk, tmp_path: Path, name: str) -> None:
    exercise = desk.exercise("attention")
    fault = next(fault for fault in exercise.faults if fault.id == name)
    source = faulty_source(source_of_solution(exercise.assignment), [fault])
    assert source is not None
    (tmp_path / "attention.py").write_text(source, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED))
    assert report.score is not None and report.score < report.max_score
    assert [finding.faults for finding in report.diagnosis] == [(name,)]


def test_a_mistake_in_another_style_is_named_and_the_mark_without_it_is_told(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(SOFTMAX_IN_OWN_WORDS, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED))
    (finding,) = report.diagnosis
    assert finding.faults == ("no_scale",) and finding.score_if_mended == 20 and report.score == 18


@pytest.mark.parametrize(("returned", "name"), [
    ("s.std(), (s / d_k**0.5).std()", "deviations"),
    ("s.var(), (s / d_k).var()", "variance_divided_by_the_square"),
    ("s.var() * 0 + 1.7, (s / d_k**0.5).var()", None),
])  # fmt: skip
def test_variances_of_another_source_of_chance_are_compared_with_patience(
    desk: Desk, tmp_path: Path, returned: str, name: str | None
) -> None:
    solution = source_of_solution(desk.exercise("by_hand").assignment)
    own = f"""
def score_variance(d_k, n_pairs, seed):
    draw = np.random.RandomState(seed)
    s = np.array([draw.randn(d_k) @ draw.randn(d_k) for _ in range(n_pairs)])
    return {returned}
"""
    (tmp_path / "by_hand.py").write_text(solution + own, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "by_hand.py"), "by_hand", SEED))
    assert [finding.faults for finding in report.diagnosis] == ([(name,)] if name else [])


def test_an_example_worked_on_paper_is_compared_as_it_is_written() -> None:
    exact = {"weights": np.array([0.2483, 0.5035, 0.2483]), "output": np.array([[0.5, 1.2552]])}
    assert alike(exact, {"weights": [0.25, 0.5, 0.25], "output": [0.5, 1.26]})
    assert not alike(exact, {"weights": [0.2, 0.5, 0.2], "output": [0.5, 1.26]})
    assert not alike(exact, {"weights": [0.25, 0.5, 0.25]})
    assert not alike(exact, {"weights": "a quarter", "output": None})


def test_no_mistake_is_named_that_cost_nothing(desk: Desk) -> None:
    """Two mistakes together may compute what one in another style does; the second, unhurt, is then no name for it."""
    report = desk.report(Job(str(GOLDEN / "multi_head/wrong_dropout_on_scores/multi_head.py"), "multi_head", SEED))
    assert [finding.faults for finding in report.diagnosis] == [("dropout_on_scores",)]


def test_a_plain_fact_about_a_function_is_told_once(desk: Desk, tmp_path: Path) -> None:
    source = SOFTMAX_IN_OWN_WORDS.replace('return torch.einsum("...id,...jd->...ij", q, k)', "return 0 * (q @ k.mT)")
    (tmp_path / "attention.py").write_text(source, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED))
    told = [(finding.faults, finding.function) for finding in report.diagnosis]
    assert told and len(told) == len(set(told))


@pytest.mark.long
@pytest.mark.parametrize("assignment", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_golden_submissions_are_named_as_they_say_and_whatever_is_named_lost_marks(desk: Desk, assignment: str) -> None:
    costs = {fault.id: set(fault.costs) for fault in desk.exercise(assignment).faults}
    named = 0
    for folder in sorted((GOLDEN / assignment).glob("wrong_*")):
        files = [path for path in folder.iterdir() if path.name != "expected.yaml"]
        report = desk.report(Job(str(files[0] if len(files) == 1 else folder), assignment, SEED))
        lost = {c.id for c in report.criteria if c.points < c.max_points}
        wanted = yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8")).get("named")
        told = sorted({name for finding in report.diagnosis for name in finding.faults})
        assert wanted is None or told == sorted(wanted), folder.name
        for finding in report.diagnosis:
            assert all(costs[name] & lost for name in finding.faults if name in costs), folder.name
        named += bool(report.diagnosis)
    assert named


def test_right_code_is_never_diagnosed(desk: Desk) -> None:
    solution = desk.exercise("attention").assignment.reference
    assert solution is not None
    report = desk.report(Job(str(solution / "solution.py"), "attention", SEED))
    assert report.score == 20 and report.diagnosis == ()


def test_a_composed_function_that_only_passes_on_a_broken_helper_is_blocked(desk: Desk, tmp_path: Path) -> None:
    wrong = SOFTMAX_IN_OWN_WORDS.replace('"...id,...jd->...ij", q, k)', '"...id,...jd->...ij", q, k) * 3')
    (tmp_path / "attention.py").write_text(wrong, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED))
    inherited = [t for t in report.tests if t.outcome is Outcome.BLOCKED and t.detail == "inherited"]
    assert inherited and {t.blocked_by for t in inherited} == {"scale"}
    assert report.score == 18


def test_two_mistakes_at_once_are_both_named_and_nothing_else(desk: Desk, tmp_path: Path) -> None:
    exercise = desk.exercise("attention")
    both = [fault for fault in exercise.faults if fault.id in ("no_scale", "zero_fill")]
    source = faulty_source(source_of_solution(exercise.assignment), both)
    assert source is not None
    (tmp_path / "attention.py").write_text(source, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED))
    assert {name for finding in report.diagnosis for name in finding.faults} == {"no_scale", "zero_fill"}


def test_a_diagnosis_that_fails_costs_nothing_and_is_told_to_staff(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.exercise.diagnose", lambda *given: 1 / 0)
    (tmp_path / "attention.py").write_text(SOFTMAX_IN_OWN_WORDS, encoding="utf-8")
    report = desk.report(Job(str(tmp_path / "attention.py"), "attention", SEED + 1))
    assert report.score == 18 and [flag.kind for flag in report.flags] == ["diagnosis_failed"]


def test_fewer_mistakes_are_told_before_more_and_the_better_fit_before_the_worse() -> None:
    a, b, c = (frozenset({name}) for name in "abc")
    assert best_covers([[a, b | c], [b | c, a | b]], lambda ids: 0) == (a | b, b | c)
    assert best_covers([[a, b], [b]], lambda ids: 0) == (b,)
    assert best_covers([[a, b]], lambda ids: 2 if ids == b else 1) == (b,)
    assert set(told([[a], [b, a | b]], [a | b])) == {a | b}


def test_gradients_of_code_in_this_process_come_back_as_over_the_wall(desk: Desk) -> None:
    """Mistakes in a gradient are rehearsed here: one whose answer cannot be gone back through would explain nothing."""
    import torch

    from grader.diagnosis.faults import build
    from grader.diagnosis.inline import InlineStudent

    q, k = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 5, 4, requires_grad=True)
    student = InlineStudent(build(SOFTMAX_IN_OWN_WORDS, "own_words", "own_words.py"))
    spread = torch.randn(2, 3, 5)
    found = torch.autograd.grad((student.attention_scores(q, k) * spread).sum(), [q, k])
    assert torch.allclose(found[0], spread @ k) and torch.allclose(found[1], spread.mT @ q)
