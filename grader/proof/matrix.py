"""The matrix: each known mistake, handed in like a student's work, loses its own criteria and keeps all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grader.diagnosis.faults import Fault, faulty_source
from grader.model.course import Text
from grader.proof.facts import Matrix, Naming, Plan, Proof, Row, Set
from grader.proof.trials import SEED, Document, Trials, lost, tests_of, ungraded

_SINGLES = 95  # per cent of mistakes that have to be named exactly
Reports = Mapping[tuple[str, int], Document]  # by mistake and seed


def handed_in(trials: Trials, plan: Plan, solution: str, faults: Sequence[Fault]) -> Reports:
    """Each mistake as a file of its own, graded on each seed."""
    jobs = {}
    for seed in range(SEED, SEED + max(plan.fault_seeds, 1)):
        for fault in faults:
            source = faulty_source(solution, [fault])
            assert source is not None, f"the replacements of {fault.id} overlap each other"
            path = trials.submission(f"fault-{fault.id}", source)
            jobs[(fault.id, seed)] = trials.job(path, seed, "marks inline" if plan.quick else "")
    with trials.stage("known mistakes"):
        return trials.graded(jobs)


def matrix_of(trials: Trials, plan: Plan, faults: Sequence[Fault], reports: Reports) -> Matrix:
    """What was lost, and named, on the first seed."""
    first = {fault.id: reports[(fault.id, SEED)] for fault in faults}
    rows = tuple(
        Row(f.id, f.text, tuple(f.costs), lost(first[f.id]), None if plan.quick else named_in(first[f.id]))
        for f in faults
    )
    return Matrix({criterion.id: criterion.title for criterion in trials.assignment.criteria}, rows)


def named_in(document: Document) -> tuple[Set, ...]:
    """The sets of mistakes a report names."""
    return tuple(tuple(finding["faults"]) for finding in document["diagnosis"])


def claims(name: str, faults: Sequence[Fault], reports: Reports) -> Iterator[Proof]:
    """What the matrix has to show."""
    declared = {fault.id: tuple(fault.costs) for fault in faults}
    count = len(faults)
    claim = Text(f"each of {count} known mistakes loses what it declares", f"{count} 个已知错误都失去各自声明的分数")
    yield Proof(name, claim, tuple(_kept(declared, reports)))
    claim = Text("none costs a criterion it does not declare", "没有错误失去未声明的评分项")
    yield Proof(name, claim, tuple(_spilt(declared, reports)))
    seeds = len({seed for _, seed in reports})
    if seeds > 1:
        claim = Text(f"the same criteria are lost on each of {seeds} seeds", f"在 {seeds} 个种子上失去的评分项都相同")
        yield Proof(name, claim, tuple(_unsteady(declared, reports)))


def _kept(declared: Mapping[str, Sequence[str]], reports: Reports) -> Iterator[Text]:
    for (fault, seed), document in reports.items():
        if why := ungraded(document):
            yield Text(f"{fault}, seed {seed}: {why.en}")
            continue
        for criterion in declared[fault]:
            if criterion not in lost(document):
                yield Text(f"{fault}, seed {seed}: slips through, all of {criterion} is kept",
                           f"{fault}，种子 {seed}：未被发现，{criterion} 没有扣分")  # fmt: skip


def _spilt(declared: Mapping[str, Sequence[str]], reports: Reports) -> Iterator[Text]:
    for (fault, seed), document in reports.items():
        for criterion, marks in lost(document).items():
            if criterion not in declared[fault]:
                tests = tests_of(document, criterion, passed=False) or "no test says why"
                yield Text(f"{fault}, seed {seed}: costs {marks:g} of {criterion} too ({tests})",
                           f"{fault}，种子 {seed}：{criterion} 也被扣了 {marks:g} 分（{tests}）")  # fmt: skip


def _unsteady(declared: Mapping[str, Sequence[str]], reports: Reports) -> Iterator[Text]:
    for fault in declared:
        seen = {seed: sorted(lost(document)) for (name, seed), document in reports.items() if name == fault}
        if len({tuple(criteria) for criteria in seen.values()}) > 1:
            told = "; ".join(f"{seed}: {', '.join(criteria) or '-'}" for seed, criteria in seen.items())
            yield Text(
                f"{fault}: loses different criteria by seed: {told}", f"{fault}：不同种子失去的评分项不同：{told}"
            )


def naming_claim(name: str, reports: Reports, twins: Sequence[Set]) -> Proof:
    """Enough mistakes are named; those that are not are listed either way."""
    first = {fault: document for (fault, seed), document in reports.items() if seed == SEED}
    wrong = {fault: sets for fault, document in first.items() if (sets := named_in(document)) != ((fault,),)}
    right, count = len(first) - len(wrong), len(first)
    told = tuple(Text(f"{fault}: {_told(sets).en}", f"{fault}：{_told(sets).zh}") for fault, sets in wrong.items())
    alike = tuple(
        Text(f"no input tells these apart: {', '.join(group)}", f"现有输入无法区分：{'、'.join(group)}")
        for group in twins
    )
    broken = tuple(Text(f"{fault}: {why}") for fault, document in first.items() for why in _broke(document))
    claim = Text(
        f"{right} of {count} known mistakes are named exactly ({_SINGLES} % wanted)",
        f"{count} 个已知错误中有 {right} 个被准确指出（要求 {_SINGLES} %）",
    )
    if 100 * right >= _SINGLES * count:
        return Proof(name, claim, broken, (*told, *alike))
    return Proof(name, claim, (*told, *broken), alike)


def _broke(document: Document) -> Iterator[str]:
    """Where the search for a name itself went wrong."""
    yield from (f"{f['kind']}: {f['detail']}" for f in document["flags"] if f["kind"] == "diagnosis_failed")


def _told(sets: Sequence[Set]) -> Text:
    if not sets:
        return Text("not named", "没有被指出")
    listed = ", ".join(together(each) for each in sets)
    return Text(f"named {listed}", f"被指为 {listed}")


def together(ids: Set) -> str:
    return " + ".join(ids)


def pair_claim(name: str, found: Naming, wanted: int) -> Proof:
    """Enough pairs are named; those that are not are listed either way."""
    told = tuple(
        Text(f"{together(pair)}: {_told(sets).en}", f"{together(pair)}：{_told(sets).zh}")
        for pair, sets in found.not_named.items()
    )
    left = tuple(
        Text(f"{together(pair)} is left out: answers as {together(sets[0])} does",
             f"{together(pair)} 不计：与 {together(sets[0])} 的回答完全相同")
        for pair, sets in found.left_out.items()
    )  # fmt: skip
    claim = Text(f"{found.named} of {found.tried} sampled pairs of mistakes are named exactly ({wanted} % wanted)",
                 f"抽取的 {found.tried} 对错误中有 {found.named} 对被准确指出（要求 {wanted} %）")  # fmt: skip
    enough = 100 * found.named >= wanted * found.tried
    return Proof(name, claim, () if enough else told, (*told, *left) if enough else left)
