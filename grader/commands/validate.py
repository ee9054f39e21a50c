"""``grader validate``: does an exercise grade fairly?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.commands.console import STDOUT, note, say, write_document
from grader.commands.exits import Exit
from grader.commands.proof_json import as_json
from grader.commands.proof_text import lines_of
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.model.course import Text
from grader.proof import Plan, Sheet
from grader.proof.markdown import as_markdown
from grader.reports.untrusted import printable

_BEGINNING = Text("proving {names}; this takes {time} for each", "正在检验 {names}；每个作业需要{time}")
_SECONDS, _MINUTES = Text("some seconds", "几秒"), Text("a minute or more", "一分钟以上")
_EVERY = Text("every assignment", "所有作业")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be proven, how thoroughly, and what is to be written."""

    names: Sequence[str]
    fast: bool = False
    seeds: int | None = None  # of right code; None: as many as the plan says
    as_json: bool = False
    right: Path | None = None  # a folder with more right submissions
    matrix: Path | None = None  # takes the measured matrix

    @property
    def plan(self) -> Plan:
        plan = Plan.fast() if self.fast else Plan()
        return plan if self.seeds is None else replace(plan, seeds=self.seeds)


def run(setting: Setting, request: Request) -> Exit:
    """Every claim and what speaks against it, as it is found; code 0 only where all of them hold."""
    if request.matrix is not None and request.names:
        raise UsageError("--matrix writes the table of the whole course: name no assignment with it")
    course = setting.course()
    names = ", ".join(request.names) or _EVERY.pick(setting.lang)
    time = (_SECONDS if request.fast else _MINUTES).pick(setting.lang)
    note(_BEGINNING.pick(setting.lang).format(names=names, time=time))
    right = None if request.right is None else setting.folder / request.right
    sheets: list[Sheet] = []
    with setting.proving_engine() as engine:
        for sheet in setting.ports.validate(course, request.names, engine, request.plan, right):
            sheets.append(sheet)
            if not request.as_json:
                _show(setting, sheet)
    if request.as_json:
        write_document(STDOUT, as_json(sheets, setting.lang))
    if request.matrix is not None:
        write_document(setting.folder / request.matrix, as_markdown(course, sheets))
    return Exit.DONE if all(sheet.holds for sheet in sheets) else Exit.NOT_ENOUGH


def _show(setting: Setting, sheet: Sheet) -> None:
    for line in lines_of(sheet, setting.lang, plain=setting.plain):
        say(printable(line))
    say()
