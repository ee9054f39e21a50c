"""What `grader validate` found, for a person: claims, the matrix, the room of the tolerances, the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.commands.console import columns
from grader.model.course import Text
from grader.proof import Matrix, Proof, Room, Row, Sheet

_HOLDS, _FAILS = "holds ", "FAILS "
_MARKS: Mapping[bool, Mapping[str, str]] = {  # by whether the look is plain
    False: {"lost": "●", "kept": "·", "spilt": "!", "missed": "○"},
    True: {"lost": "x", "kept": ".", "spilt": "!", "missed": "?"},
}
_LEGEND = Text(
    "{lost} lost as declared   {spilt} lost, not declared   {missed} declared, not lost",
    "{lost} 按声明扣分   {spilt} 未声明却扣分   {missed} 已声明却未扣分",
)
_KNOWN = Text("known mistake", "已知错误")
_NAMED = Text("named", "指出")
_YES, _NO = Text("yes", "是"), Text("no", "否")
_ROOM = Text(
    "tolerance: right code is off by at most {worst:.2g} of it ({variant}, {worst_in})",
    "容差：正确代码的误差最多为容差的 {worst:.2g} 倍（{variant}，{worst_in}）",
)
_NEAREST = Text(
    "the nearest mistake by {nearest:.3g} times it ({fault}, {nearest_in})",
    "最接近的错误为容差的 {nearest:.3g} 倍（{fault}，{nearest_in}）",
)
_TIME = Text("time", "用时")
_STAGES: Mapping[str, str] = {
    "reference": "参考答案",
    "right variants": "正确写法",
    "stub and lifeless": "模板与空壳",
    "known mistakes": "已知错误",
    "pairs": "成对错误",
}


def lines_of(sheet: Sheet, lang: str, *, plain: bool) -> Iterator[str]:
    """Everything about one assignment."""
    for proof in sheet.proofs:
        yield from _claim(proof, lang)
    if sheet.matrix is not None:
        yield ""
        yield from _table(sheet.matrix, lang, _MARKS[plain])
    if sheet.room is not None and sheet.room.variant:
        yield ""
        yield from _room(sheet.room, lang)
    if sheet.seconds:
        told = [f"{_STAGES[stage] if lang == 'zh' else stage} {took:.1f} s" for stage, took in sheet.seconds.items()]
        yield f"{_TIME.pick(lang)}: {sum(sheet.seconds.values()):.1f} s ({', '.join(told)})"


def _claim(proof: Proof, lang: str) -> Iterator[str]:
    yield f"{_HOLDS if proof.holds else _FAILS} {proof.assignment}: {proof.claim.pick(lang)}"
    yield from (f"         {problem.pick(lang)}" for problem in proof.problems)
    yield from (f"       ~ {remark.pick(lang)}" for remark in proof.remarks)


def _table(matrix: Matrix, lang: str, marks: Mapping[str, str]) -> Iterator[str]:
    """A row a mistake, a numbered column a criterion; the numbers are told below."""
    numbers = [str(number) for number in range(1, len(matrix.criteria) + 1)]
    head = [_KNOWN.pick(lang), *numbers, _NAMED.pick(lang)]
    body = [[row.fault, *(_cell(row, c, marks) for c in matrix.criteria), _named(row, lang)] for row in matrix.rows]
    if all(row.named is None for row in matrix.rows):
        head, body = head[:-1], [cells[:-1] for cells in body]
    yield from columns([head, *body], indent=2)
    yield f"  {_LEGEND.pick(lang).format(**marks)}"
    legend = [
        (number, name, title.pick(lang)) for number, (name, title) in zip(numbers, matrix.criteria.items(), strict=True)
    ]
    yield from columns(legend, indent=2)


def _cell(row: Row, criterion: str, marks: Mapping[str, str]) -> str:
    if criterion in row.declared:
        return marks["lost" if criterion in row.lost else "missed"]
    return marks["spilt" if criterion in row.lost else "kept"]


def _named(row: Row, lang: str) -> str:
    if row.is_named:
        return _YES.pick(lang)
    return ", ".join(" + ".join(ids) for ids in row.named or ()) or _NO.pick(lang)


def _room(room: Room, lang: str) -> Iterator[str]:
    yield _ROOM.pick(lang).format(worst=room.worst, variant=room.variant, worst_in=room.worst_in)
    if room.fault:
        yield "  " + _NEAREST.pick(lang).format(nearest=room.nearest, fault=room.fault, nearest_in=room.nearest_in)
