from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import load_course
from grader.engines.serial import SerialEngine
from grader.engines.several import SeveralEngines
from grader.errors import UsageError
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from grader.proof import Plan, Sheet, validate
from grader.proof.matrix import naming_claim
from grader.proof.trials import SEED

ROOT = Path(__file__).resolve().parent.parent

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

STEPS = "def double(x):\n    doubled = 2 * x\n    return doubled\n"
FAULTS = """\
from grader.diagnosis import Fault, Text


def fault(name, costs, swap):
    return Fault(name, costs, Text(f"It is {name}. Look at double.", f"这是 {name}。请看 double。"), swap)


FAULTS = [
    fault("squared", ["values"], {"2 * x": "x * x"}),
    fault("a_little_more", ["values"], {"2 * x": "2 * x + 0.05"}),
    fault("in_place", ["inputs_untouched"], {"return": "x.copy_(doubled)\\n    return"}),
]
"""
# The second check is passed by wrong values as long as they are alive.
APART = CHECKS.replace(
    '''    """The input stays as it was."""
    _alive(student, rng)
''',
    '''    """The input stays as it was."""
    x = rng(2, 3)
    got = expect.tensor(student.double(x), (2, 3))
    expect.differs(got, x, by=1e-2)
    expect.differs(got, got.flip(-1), by=1e-2)
    expect.same(student.double(x), got, atol=1e-9, rtol=0.0)
    expect.differs(student.double(10 * x), got, by=1e-2)
''',
)


FLAWS = {  # file, old, new
    "the reference is wrong for large entries": ("reference/doubling/solution.py", "2 * x", "2 * x.clamp(max=1.0)"),
    "a check looks at no value": ("reference/doubling/checks.py", "    _alive(student, rng)\n    x", "    x"),
    "the stub solves the exercise": ("assignments/doubling/doubling.py", "raise NotImplementedError(\"TODO: double the entries\")", "return x + x"),
    "the handout tells the solution": ("assignments/doubling/README.md", "Make", "`return 2 * x.clamp(max=1.0)` will make"),
    "a handout is missing": ("assignments/doubling/README.zh.md", "# 加倍\n\n让每个元素变成两倍。", ""),
    "the Chinese title is English": ("assignments/doubling/assignment.yaml", "zh: 加倍}", "zh: Doubling}"),
    "a Chinese hint is English": ("assignments/doubling/assignment.yaml", "看符号。", "Look"),
}  # fmt: skip


class Here:
    """An engine in this process, on the desk of a proof."""

    def __init__(self, root: Path) -> None:
        from grader.opening import open_proving_desk

        config = {"course": str(root), "reference": None, "environment": {"PATH": os.environ["PATH"]}}
        self._desk = open_proving_desk(config)

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        return ((job, self._desk.grade(job)) for job in jobs)

    def close(self) -> None:
        self._desk.close()


def validated(root: Path, plan: Plan, right: Path | None = None, name: str = "doubling") -> Sheet:
    """What the grader's real way comes to."""
    with closing(Here(root)) as engine:
        (sheet,) = validate(load_course(root), [name], engine, plan, right)
    return sheet


def with_checks(root: Path, checks: str = CHECKS) -> Path:
    (root / "reference/doubling/checks.py").write_text(checks, encoding="utf-8")
    (root / "assignments/doubling/checks_public.py").write_text(PUBLIC, encoding="utf-8")
    return root


def with_faults(root: Path, checks: str = APART, faults: str = FAULTS) -> Path:
    (root / "reference/doubling/solution.py").write_text(STEPS, encoding="utf-8")
    (root / "reference/doubling/faults.py").write_text(faults, encoding="utf-8")
    return with_checks(root, checks)


@pytest.fixture(scope="module")
def sound(make_course, tmp_path_factory) -> Sheet:
    """By the engine of the command: two processes beside this one."""
    root = with_checks(make_course(tmp_path_factory.mktemp("sound")))
    config = {"course": str(root), "reference": None, "environment": {"PATH": os.environ["PATH"]}, "lang": "en"}
    with SeveralEngines([SerialEngine("grader.opening:open_proving_desk", config) for _ in range(2)]) as engine:
        (sheet,) = validate(load_course(root), ["doubling"], engine, Plan(seeds=3, orders=2))
    return sheet


@pytest.fixture(scope="module")
def flawed(make_course, tmp_path_factory) -> Sheet:
    root = with_checks(make_course(tmp_path_factory.mktemp("flawed")))
    for name, old, new in FLAWS.values():
        text = (root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        (root / name).write_text(text.replace(old, new), encoding="utf-8")
    return validated(root, Plan(seeds=2, orders=1))


@pytest.fixture(scope="module")
def mistaken(make_course, tmp_path_factory) -> Sheet:
    """A sound exercise with known mistakes and another right way to write it."""
    root = with_faults(make_course(tmp_path_factory.mktemp("mistaken")))
    (root / "reference/doubling/right").mkdir()
    (root / "reference/doubling/right/by_adding.py").write_text("def double(x):\n    return (x.float() + x).double()\n")
    more = root / "more/doubling/right_folder"
    more.mkdir(parents=True)
    (more / "doubling.py").write_text("def double(x):\n    return x * 2\n")
    return validated(root, Plan(seeds=2, orders=1, fault_seeds=2, pairs=9), root / "more")


def against(sheet: Sheet, words: str) -> str:
    """What speaks against the one claim that holds these words."""
    (problems,) = [proof.problems for proof in sheet.proofs if words in proof.claim.en]
    return "\n".join(problem.en for problem in problems)


def failing(sheet: Sheet) -> dict[str, tuple[str, ...]]:
    return {proof.claim.en: tuple(p.en for p in proof.problems) for proof in sheet.proofs if not proof.holds}


def test_a_sound_exercise_is_proven(sound):
    assert failing(sound) == {}
    assert sound.holds
    claims = [proof.claim.en for proof in sound.proofs]
    assert len(claims) == len(set(claims)) == 8
    assert "the reference earns everything, on 3 seeds" in claims
    assert "the reference earns everything, in 2 other orders of the tests" in claims
    assert sound.matrix is sound.pairs is None
    assert set(sound.seconds) == {"reference", "right variants", "stub and lifeless"}


def test_every_claim_is_worded_in_both_languages(sound, mistaken):
    assert all(proof.claim.en and proof.claim.zh for sheet in (sound, mistaken) for proof in sheet.proofs)


def test_an_exercise_with_flaws_is_not_proven(flawed):
    assert not flawed.holds


def test_a_check_that_looks_at_no_value_pays_for_nothing(flawed):
    told = against(flawed, "lifeless")
    assert "zeros: earns 0.5 in inputs_untouched" in told
    assert "returns_none: earns 0.5 in inputs_untouched" in told
    assert "test_input_stays" in told
    assert "zeros: earns 2 in values" not in told


def test_a_wrong_reference_is_found_on_its_seed(flawed):
    assert f"seed {PUBLIC_SEED}: 0.5 of 2.5: checks.py::test_values failed" in against(flawed, "earns everything, on")
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
    (sheet,) = validate(load_course(with_checks(course_root)), [], Broken(), Plan(seeds=1))
    for words in ("earns everything, on", "public checks", "stub earns nothing", "lifeless"):
        assert "grader_fault: the worker is gone" in against(sheet, words)


def test_without_a_reference_only_the_texts_can_be_shown(course_root, tmp_path_factory):
    course = load_course(with_checks(course_root), tmp_path_factory.mktemp("empty"))
    (sheet,) = validate(course, [], Nobody())
    assert against(sheet, "the reference is there") == "there is no folder reference/doubling"
    assert against(sheet, "every text") == ""


def test_an_unknown_name_is_refused_with_the_nearest(course_root):
    with pytest.raises(UsageError, match="no assignment 'dubling'; did you mean 'doubling'"):
        validate(load_course(course_root), ["dubling"], Nobody())


def test_known_mistakes_lose_their_own_criteria_and_are_named(mistaken):
    assert failing(mistaken) == {}
    rows = {row.fault: (row.lost, row.named) for row in mistaken.matrix.rows}
    assert rows == {
        "squared": ({"values": 2.0}, (("squared",),)),
        "a_little_more": ({"values": 2.0}, (("a_little_more",),)),
        "in_place": ({"inputs_untouched": 0.5}, (("in_place",),)),
    }
    assert (mistaken.pairs.tried, mistaken.pairs.named) == (2, 2)  # two of the three are no pair: they overlap


def test_the_quick_way_comes_to_the_same_marks(mistaken, course_root):
    quick = validated(with_faults(course_root), Plan.fast())
    assert failing(quick) == {}
    assert {row.fault: row.lost for row in quick.matrix.rows} == {row.fault: row.lost for row in mistaken.matrix.rows}
    assert {row.named for row in quick.matrix.rows} == {None}
    assert quick.pairs is None


def test_right_variants_are_graded_and_the_tolerance_has_room(mistaken):
    assert against(mistaken, "each of 2 right variants earns everything, on 2 seeds") == ""
    room = mistaken.room
    assert room.variant == "by_adding.py"  # it adds in float32
    assert 0 < room.worst < 0.1
    assert room.worst_in == "checks.py::test_values"
    assert room.fault == "a_little_more"
    assert 20 < room.nearest < 6000  # 0.05 off, of 1e-5 and 1e-4 of numbers about 1


def test_a_right_variant_that_loses_marks_is_found(course_root):
    root = with_faults(course_root)
    (root / "reference/doubling/right").mkdir()
    (root / "reference/doubling/right/lossy.py").write_text("def double(x):\n    return (2 * x).half().double()\n")
    told = against(validated(root, Plan.fast()), "right variants")
    assert f"lossy.py, seed {PUBLIC_SEED}: 0.5 of 2.5" in told


def test_a_folder_of_right_submissions_has_to_be_there(course_root):
    with pytest.raises(UsageError, match="--right gone: there is no such folder"):
        list(validate(load_course(with_checks(course_root)), [], Nobody(), right=Path("gone")))


WEAKENED = {
    "tolerance of 1e-1": (CHECKS.replace("atol=1e-5, rtol=1e-4", "atol=1e-1, rtol=1e-1"), {"a_little_more"}),
    "shape alone": (APART.replace(
        '    """Every entry is doubled."""\n    _alive(student, rng)',
        '    """Every entry is doubled."""\n    expect.tensor(student.double(rng(2, 3)), (2, 3))',
    ), {"squared", "a_little_more"}),
}  # fmt: skip


@pytest.mark.parametrize(("checks", "slipping"), WEAKENED.values(), ids=WEAKENED)
def test_a_weakened_check_fails_with_the_mistakes_that_slip_through(course_root, checks, slipping):
    assert checks not in (CHECKS, APART)
    sheet = validated(with_faults(course_root, checks), Plan.fast())
    assert not sheet.holds
    told = against(sheet, "loses what it declares")
    assert set(re.findall(r"(\w+), seed \d+: slips through, all of values is kept", told)) == slipping


SHAPE_ALONE = """

from types import SimpleNamespace

_strict = expect
expect = SimpleNamespace(**vars(_strict))
expect.close = lambda got, want, **_: _strict.tensor(got, tuple(want.shape))
"""


@pytest.mark.long
def test_a_real_exercise_that_compares_shapes_alone_is_found(tmp_path):
    for folder in ("assignments", "reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    checks = tmp_path / "reference/attention/checks.py"
    checks.write_text(checks.read_text(encoding="utf-8") + SHAPE_ALONE, encoding="utf-8")
    sheet = validated(tmp_path, Plan.fast(), name="attention")
    slipped = set(re.findall(r"(\w+), seed \d+: slips through", against(sheet, "loses what it declares")))
    assert len(slipped) >= 3


def test_what_a_mistake_costs_besides_is_found_with_the_tests(course_root):
    sheet = validated(with_faults(course_root, CHECKS), Plan(seeds=1, orders=0, fault_seeds=1, pairs=0))
    told = against(sheet, "costs a criterion it does not declare")
    assert "squared, seed" in told
    assert "costs 0.5 of inputs_untouched too (checks.py::test_input_stays)" in told


TWINS = FAULTS.replace("]\n", '    fault("doubled_twice", ["values"], {"2 * x": "4 * x"}),\n'
                              '    fault("four_times", ["values"], {"doubled = 2": "doubled = 4"}),\n]\n')  # fmt: skip


def test_mistakes_no_input_tells_apart_are_listed_and_their_pairs_left_out(course_root):
    sheet = validated(with_faults(course_root, faults=TWINS), Plan(seeds=1, orders=0, fault_seeds=1, pairs=9))
    (naming,) = [proof for proof in sheet.proofs if "known mistakes are named" in proof.claim.en]
    assert naming.claim.en.startswith("3 of 5")
    told = "\n".join(text.en for text in (*naming.problems, *naming.remarks))
    assert "no input tells these apart: doubled_twice, four_times" in told
    assert "four_times: named doubled_twice, four_times" in told
    assert ("in_place", "doubled_twice") in sheet.pairs.left_out
    assert sheet.pairs.left_out[("in_place", "doubled_twice")] == (("in_place", "four_times"),)
    assert sheet.pairs.not_named == {}


def test_a_search_for_names_that_broke_is_no_proof():
    named, flag = {"diagnosis": [{"faults": ["a"]}]}, {"kind": "diagnosis_failed", "detail": "KeyError: 3"}
    assert naming_claim("x", {("a", SEED): {**named, "flags": []}}, ()).holds
    (problem,) = naming_claim("x", {("a", SEED): {**named, "flags": [flag]}}, ()).problems
    assert problem.en == "a: diagnosis_failed: KeyError: 3"


DRAWN = APART.replace(
    '    """Every entry is doubled."""\n',
    '    """Every entry is doubled."""\n'
    "    if rng.number(0, 2):\n        expect.tensor(student.double(rng(2, 3)), (2, 3))\n        return\n",
)


def test_a_check_that_is_weak_on_some_seeds_is_found(course_root):
    sheet = validated(with_faults(course_root, DRAWN), Plan(seeds=1, orders=0, fault_seeds=8, pairs=0))
    told = against(sheet, "the same criteria are lost on each of 8 seeds")
    assert "squared: loses different criteria by seed" in told


REMEMBERING = """\
_seen = []


def double(x):
    _seen.append(x)
    return 2 * x if len(_seen) < 4 else 3 * x
"""
ORDERED = CHECKS.replace(
    '@criterion("inputs_untouched")',
    '''@criterion("inputs_untouched")
def test_twice_in_a_row(student, rng):
    """The second answer is as good as the first."""
    _alive(student, rng)
    if student.double(rng(2))[0] != 0:
        student.double(rng(2))


@criterion("inputs_untouched")''',
)


def test_a_reference_that_hangs_on_the_order_of_the_tests_is_found(course_root):
    root = with_checks(course_root, ORDERED)
    (root / "reference/doubling/solution.py").write_text(REMEMBERING, encoding="utf-8")
    sheet = validated(root, Plan(seeds=1, orders=6))
    assert "order " in against(sheet, "other orders of the tests")


@pytest.mark.long
@pytest.mark.parametrize("name", ["by_hand"])
def test_the_golden_right_styles_serve_as_right_variants(name):
    styles = len([*(ROOT / "tests/golden" / name).glob("right_*")])
    sheet = validated(ROOT, Plan(seeds=1, orders=0, fault_seeds=1, pairs=0, quick=True), ROOT / "tests/golden", name)
    assert styles >= 5
    assert against(sheet, f"each of {styles} right variants earns everything") == ""
