"""Proves an exercise: the reference earns everything, what does nothing earns nothing, and nothing is given away."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

from grader.errors import UsageError
from grader.leakage import leaks
from grader.lifeless import lifeless_sources
from grader.model import PUBLIC_SEED, Assignment, Course, Job, Outcome, Status, Text

_HANDOUTS: Mapping[str, str] = {"en": "README.md", "zh": "README.zh.md"}
_CHINESE = re.compile("[\u4e00-\u9fff]")
_SHOWN_TESTS = 5

Document = Mapping[str, Any]


class Engine(Protocol):
    """What grades: each job with its report (staff form)."""

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim about one assignment; it holds where nothing speaks against it."""

    assignment: str
    claim: Text
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Every claim, in the order of the course."""

    proofs: tuple[Proof, ...]

    @property
    def holds(self) -> bool:
        return all(proof.holds for proof in self.proofs)


@dataclass(frozen=True, slots=True)
class _Trials:
    """What the grader said about the submissions made for one assignment."""

    reference: Mapping[int, Document]  # by seed
    public: Document  # the reference under the public checks
    stub: Document
    lifeless: Mapping[str, Document]  # by variant


def validate(course: Course, names: Sequence[str], engine: Engine, *, seeds: int = 20) -> ValidationReport:
    """Prove the named assignments (all, where none is named). Raises ``UsageError`` for an unknown name.

    ``seeds``: on how many seeds the reference has to earn everything; the public one is always among them.
    """
    proofs: list[Proof] = []
    for assignment in _chosen(course, names):
        proofs += _written(course, assignment)
        if assignment.reference is None:
            claim = Text("the reference is there", "参考答案存在")
            proofs.append(Proof(assignment.name, claim, (f"there is no folder reference/{assignment.name}",)))
            continue
        with tempfile.TemporaryDirectory(prefix="validate-") as folder:
            trials = _tried(assignment, assignment.reference / "solution.py", Path(folder), engine, seeds)
        proofs += _graded(assignment, trials)
    return ValidationReport(tuple(proofs))


def _chosen(course: Course, names: Sequence[str]) -> list[Assignment]:
    known = [assignment.name for assignment in course.assignments]
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            advice = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known)}"
            raise UsageError(f"no assignment '{name}'; {advice}")
    return [assignment for assignment in course.assignments if not names or assignment.name in names]


def _tried(assignment: Assignment, solution: Path, folder: Path, engine: Engine, seeds: int) -> _Trials:
    """Write the submissions and have them graded."""

    def job(label: str, source: str, seed: int = PUBLIC_SEED + 1, *, public: bool = False) -> Job:
        path = folder / label / assignment.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return Job(str(path), assignment.name, seed, submission_id=label, public_only=public)

    right, stub = solution.read_text(encoding="utf-8"), assignment.stub.read_text(encoding="utf-8")
    jobs = {f"reference-{n}": job("reference", right, PUBLIC_SEED + n) for n in range(max(seeds, 1))}
    jobs["public"] = job("public", right, public=True)
    jobs["stub"] = job("stub", stub)
    variants = dict(lifeless_sources(stub, right))
    jobs |= {f"lifeless-{name}": job(f"lifeless-{name}", source) for name, source in variants.items()}
    documents = dict(engine.map(jobs.values()))
    return _Trials(
        reference={job.seed: documents[job] for label, job in jobs.items() if label.startswith("reference-")},
        public=documents[jobs["public"]],
        stub=documents[jobs["stub"]],
        lifeless={name: documents[jobs[f"lifeless-{name}"]] for name in variants},
    )


def _graded(assignment: Assignment, trials: _Trials) -> Iterator[Proof]:
    """The claims that need grading."""
    name, count = assignment.name, len(trials.reference)

    claim = Text(f"the reference earns everything, on {count} seeds", f"参考答案在 {count} 个种子上都得满分")
    yield Proof(name, claim, tuple(p for seed, d in trials.reference.items() for p in _short_of_full(d, seed)))

    claim = Text("the reference passes the public checks", "参考答案通过公开检查")
    yield Proof(name, claim, tuple(_not_all_passed(trials.public)))

    claim = Text("the points add up", "分数总和一致")
    yield Proof(name, claim, tuple(_uneven(assignment, trials.reference[PUBLIC_SEED])))

    claim = Text("the untouched stub earns nothing", "未改动的模板得零分")
    yield Proof(name, claim, tuple(_more_than_nothing("stub", trials.stub)))

    variants = trials.lifeless
    claim = Text(f"each of {len(variants)} lifeless variants earns nothing", f"{len(variants)} 个空壳变体都得零分")
    yield Proof(name, claim, tuple(p for variant, d in variants.items() for p in _more_than_nothing(variant, d)))


def _short_of_full(document: Document, seed: int) -> Iterator[str]:
    if document["status"] != Status.GRADED:
        yield f"seed {seed}: {document['status']}: {document['reason']}"
    elif document["score"] != document["max_score"]:
        tests = [test for test in document["tests"] if test["outcome"] != Outcome.PASSED]
        shown = "; ".join(_seen(test) for test in tests[:_SHOWN_TESTS]) or "no test says why"
        yield f"seed {seed}: {document['score']:g} of {document['max_score']:g}: {shown}"


def _not_all_passed(document: Document) -> Iterator[str]:
    if not document["tests"]:
        yield f"no public check ran: {document['status']}: {document['reason']}"
    yield from (_seen(test) for test in document["tests"] if test["outcome"] != Outcome.PASSED)


def _seen(test: Document) -> str:
    return f"{test['id']} {test['outcome']}" + (f" ({test['note']})" if test.get("note") else "")


def _uneven(assignment: Assignment, document: Document) -> Iterator[str]:
    marks = float(assignment.max_score)
    if document["max_score"] != marks:
        yield f"the report is out of {document['max_score']:g}, the rubric out of {marks:g}"
    total = round(sum(criterion["points"] for criterion in document["criteria"]), 2)
    if document["score"] is not None and not document["flags"] and document["score"] != total:
        yield f"the criteria's points add up to {total:g}, the score is {document['score']:g}"


def _more_than_nothing(label: str, document: Document) -> Iterator[str]:
    if document["status"] != Status.GRADED:
        yield f"{label}: {document['status']}: {document['reason']}"
    for criterion in document["criteria"]:
        if criterion["points"]:
            passed = [
                test["id"]
                for test in document["tests"]
                if test["criterion"] == criterion["id"] and test["outcome"] == Outcome.PASSED
            ]
            shown = ", ".join(passed[:_SHOWN_TESTS]) or "no test says why"
            yield f"{label}: earns {criterion['points']:g} in {criterion['id']} ({shown})"


def _written(course: Course, assignment: Assignment) -> Iterator[Proof]:
    """The claims that can be read off the files."""
    claim = Text("every text is there, in every language", "每种语言的文字都齐全")
    yield Proof(assignment.name, claim, tuple(_missing_texts(course, assignment)))
    if assignment.reference is not None:
        solution = (assignment.reference / "solution.py").read_text(encoding="utf-8")
        published = assignment.folder.parent
        found = tuple(
            f"{leak.file.relative_to(published.parent)}:{leak.line}: {leak.statement}"
            for leak in leaks(solution, published)
        )
        claim = Text("nothing of the solution stands in what students get", "发给学生的材料不含答案语句")
        yield Proof(assignment.name, claim, found)


def _missing_texts(course: Course, assignment: Assignment) -> Iterator[str]:
    for file in (*(_HANDOUTS[lang] for lang in course.languages), "checks_public.py"):
        path = assignment.folder / file
        if not path.is_file() or not path.read_text(encoding="utf-8").strip():
            yield f"assignments/{assignment.name}/{file} is missing or empty"
    if "zh" in course.languages:
        for what, text in _texts(assignment):
            if not _CHINESE.search(text.zh):
                yield f"{what}: the Chinese text holds no Chinese: {text.zh!r}"
    for criterion in assignment.criteria:
        if len({hint.en for hint in criterion.hints}) < len(criterion.hints):
            yield f"{criterion.id}: two steps of the hint say the same"


def _texts(assignment: Assignment) -> Iterator[tuple[str, Text]]:
    yield "title", assignment.title
    for criterion in assignment.criteria:
        yield f"{criterion.id}: title", criterion.title
        yield from ((f"{criterion.id}: hint {n}", hint) for n, hint in enumerate(criterion.hints, start=1))
