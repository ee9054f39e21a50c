"""One assignment after the other: every claim, and the numbers behind them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from grader.diagnosis.faults import Fault, load_faults
from grader.errors import UsageError
from grader.model.course import Assignment, Course, Text
from grader.proof.facts import Matrix, Naming, Plan, Proof, Room, Sheet
from grader.proof.matrix import claims, handed_in, matrix_of, naming_claim, pair_claim
from grader.proof.pairs import WANTED, tried_pairs, twins_among_singles
from grader.proof.room import room_of
from grader.proof.soundness import idle_code, right_code
from grader.proof.trials import Document, Engine, Trials
from grader.proof.variants import right_variants
from grader.proof.written import written


def validate(
    course: Course, names: Sequence[str], engine: Engine, plan: Plan | None = None, right: Path | None = None
) -> Iterator[Sheet]:
    """Prove the named assignments (all, where none is named), one by one. Raises ``UsageError`` for an unknown name.

    ``engine`` grades on a desk of ``grader.proof.desk``; ``right`` is a folder with more right submissions.
    """
    chosen = _chosen(course, names)
    return (_sheet(course, assignment, engine, plan or Plan(), right) for assignment in chosen)


def _chosen(course: Course, names: Sequence[str]) -> list[Assignment]:
    known = [assignment.name for assignment in course.assignments]
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            advice = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known)}"
            raise UsageError(f"no assignment '{name}'; {advice}")
    return [assignment for assignment in course.assignments if not names or assignment.name in names]


def _sheet(course: Course, assignment: Assignment, engine: Engine, plan: Plan, right: Path | None) -> Sheet:
    faults = load_faults(assignment)
    proofs = [*written(course, assignment, faults)]
    if assignment.reference is None:
        claim = Text("the reference is there", "参考答案存在")
        missing = Text(f"there is no folder reference/{assignment.name}", f"没有文件夹 reference/{assignment.name}")
        return Sheet(assignment.name, (*proofs, Proof(assignment.name, claim, (missing,))))
    solution = (assignment.reference / "solution.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="validate-") as folder:
        trials = Trials(assignment, Path(folder), engine)
        sound, reports = right_code(trials, plan, solution, right_variants(assignment, right))
        proofs += [*sound, *idle_code(trials, plan, solution)]
        about_faults, matrix, pairs, room = _mistakes(trials, plan, solution, faults, reports)
        return Sheet(assignment.name, (*proofs, *about_faults), matrix, pairs, room, trials.seconds)


def _mistakes(
    trials: Trials, plan: Plan, solution: str, faults: Sequence[Fault], right: dict[str, list[Document]]
) -> tuple[list[Proof], Matrix | None, Naming | None, Room]:
    """The matrix, the pairs, and the room there is between mistakes and right code."""
    if not faults:
        return [], None, None, room_of(right, {})
    name = trials.assignment.name
    reports = handed_in(trials, plan, solution, faults)
    proofs = [*claims(name, faults, reports)]
    if not plan.quick:
        proofs.append(naming_claim(name, reports, twins_among_singles(trials)))
    pairs = tried_pairs(trials, solution, faults, plan.pairs) if plan.pairs else None
    if pairs is not None:
        proofs.append(pair_claim(name, pairs, WANTED))
    wrong: dict[str, list[Document]] = {}
    for (fault, _), document in reports.items():
        wrong.setdefault(fault, []).append(document)
    return proofs, matrix_of(trials, plan, faults, reports), pairs, room_of(right, wrong)
