"""Right code earns everything, on any seed and in any order; what does nothing earns nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.lifeless import lifeless_sources
from grader.model.course import PUBLIC_SEED, Text
from grader.model.outcome import Outcome
from grader.proof.facts import Plan, Proof
from grader.proof.trials import SEED, Document, Trials, lost, seen, tests_of, ungraded

_SHOWN_TESTS = 5
REFERENCE = "solution.py"


def right_code(
    trials: Trials, plan: Plan, solution: str, variants: Mapping[str, Path]
) -> tuple[list[Proof], dict[str, list[Document]]]:
    """The claims about right code, and every report on it by name."""
    name = trials.assignment.name
    path = trials.submission("reference", solution)
    seeds = [PUBLIC_SEED + n for n in range(max(plan.seeds, 1))]
    with trials.stage("reference"):
        reference = trials.graded({f"seed {seed}": trials.job(path, seed) for seed in seeds})
        orders = range(1, plan.orders + 1)
        shuffled = trials.graded({f"order {n}": trials.job(path, SEED, f"marks order {n}") for n in orders})
        public = trials.graded({"public": trials.job(path, public=True)})["public"]
    with trials.stage("right variants"):
        asked = {(label, seed): trials.job(where, seed) for seed in seeds for label, where in variants.items()}
        others = trials.graded(asked)
    proofs = [
        Proof(name, _claim_of_seeds(len(seeds)), tuple(_short_of_full(reference))),
        Proof(
            name, Text("the reference passes the public checks", "参考答案通过公开检查"), tuple(_not_all_passed(public))
        ),
        Proof(
            name, Text("the points add up", "分数总和一致"), tuple(_uneven(trials, reference[f"seed {PUBLIC_SEED}"]))
        ),
    ]
    if shuffled:
        claim = Text(
            f"the reference earns everything, in {len(shuffled)} other orders of the tests",
            f"打乱测试顺序 {len(shuffled)} 次，参考答案仍得满分",
        )
        proofs.append(Proof(name, claim, tuple(_short_of_full(shuffled))))
    if variants:
        claim = Text(
            f"each of {len(variants)} right variants earns everything, on {len(seeds)} seeds",
            f"{len(variants)} 种正确写法在 {len(seeds)} 个种子上都得满分",
        )
        named = {f"{label}, seed {seed}": document for (label, seed), document in others.items()}
        proofs.append(Proof(name, claim, tuple(_short_of_full(named))))
    reports = {REFERENCE: [*reference.values()]}
    for (label, _), document in others.items():
        reports.setdefault(label, []).append(document)
    return proofs, reports


def idle_code(trials: Trials, plan: Plan, solution: str) -> Iterator[Proof]:
    """The stub, and whatever answers without looking, earn nothing."""
    name, stub = trials.assignment.name, trials.assignment.stub.read_text(encoding="utf-8")
    with trials.stage("stub and lifeless"):
        sources = {"": stub, **dict(lifeless_sources(stub, solution))}
        asks = "marks inline" if plan.quick else "marks"
        jobs = {
            label: trials.job(trials.submission(f"lifeless-{label}", source), asks=asks if label else "")
            for label, source in sources.items()
        }
        documents = trials.graded(jobs)
    claim = Text("the untouched stub earns nothing", "未改动的模板得零分")
    yield Proof(name, claim, tuple(_more_than_nothing("stub", documents.pop(""))))
    claim = Text(f"each of {len(documents)} lifeless variants earns nothing", f"{len(documents)} 个空壳变体都得零分")
    yield Proof(name, claim, tuple(p for label, d in documents.items() for p in _more_than_nothing(label, d)))


def _claim_of_seeds(count: int) -> Text:
    return Text(f"the reference earns everything, on {count} seeds", f"参考答案在 {count} 个种子上都得满分")


def _short_of_full(documents: Mapping[str, Document]) -> Iterator[Text]:
    for label, document in documents.items():
        if why := ungraded(document):
            yield Text(f"{label}: {why.en}")
        elif document["score"] != document["max_score"]:
            tests = [test for test in document["tests"] if test["outcome"] != Outcome.PASSED]
            shown = "; ".join(seen(test) for test in tests[:_SHOWN_TESTS]) or f"lost {lost(document)}"
            yield Text(f"{label}: {document['score']:g} of {document['max_score']:g}: {shown}",
                       f"{label}：{document['score']:g}/{document['max_score']:g} 分：{shown}")  # fmt: skip


def _not_all_passed(document: Document) -> Iterator[Text]:
    if not document["tests"]:
        yield Text(f"no public check ran: {document['status']}: {document['reason']}",
                   f"没有运行任何公开检查：{document['status']}：{document['reason']}")  # fmt: skip
    yield from (Text(seen(test)) for test in document["tests"] if test["outcome"] != Outcome.PASSED)


def _uneven(trials: Trials, document: Document) -> Iterator[Text]:
    marks = float(trials.assignment.max_score)
    if document["max_score"] != marks:
        yield Text(f"the report is out of {document['max_score']:g}, the rubric out of {marks:g}",
                   f"报告满分 {document['max_score']:g}，评分标准满分 {marks:g}")  # fmt: skip
    total = round(sum(criterion["points"] for criterion in document["criteria"]), 2)
    if document["score"] is not None and not document["flags"] and document["score"] != total:
        yield Text(f"the criteria's points add up to {total:g}, the score is {document['score']:g}",
                   f"各项得分之和为 {total:g}，总分却是 {document['score']:g}")  # fmt: skip


def _more_than_nothing(label: str, document: Document) -> Iterator[Text]:
    if why := ungraded(document):
        yield Text(f"{label}: {why.en}")
    for criterion in document["criteria"]:
        if criterion["points"]:
            shown = tests_of(document, criterion["id"], passed=True) or "no test says why"
            yield Text(f"{label}: earns {criterion['points']:g} in {criterion['id']} ({shown})",
                       f"{label}：在 {criterion['id']} 得了 {criterion['points']:g} 分（{shown}）")  # fmt: skip
