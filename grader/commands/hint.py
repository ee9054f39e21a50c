"""``grader hint``: one step of help at a time."""

from __future__ import annotations

from grader.commands.console import columns, say
from grader.commands.exits import Exit
from grader.commands.phrases import marks_phrase, phrase
from grader.commands.setting import Setting, advice, assignment_named
from grader.errors import UsageError
from grader.model.course import Assignment


def run(setting: Setting, name: str, criterion: str | None, step: int) -> Exit:
    """The hint asked for and the command for the next; without a criterion, the rubric."""
    assignment = assignment_named(setting.course(), name)
    if criterion is None:
        _rubric(setting.lang, assignment)
    else:
        _step(setting.lang, assignment, criterion, step)
    return Exit.DONE


def _rubric(lang: str, assignment: Assignment) -> None:
    rows = [(c.id, marks_phrase(c.marks, lang), c.title.pick(lang)) for c in assignment.criteria]
    say(assignment.title.pick(lang))
    for line in columns(rows, indent=2):
        say(line)
    say(phrase("pick", lang, command=f"grader hint {assignment.name} {assignment.criteria[0].id}"))


def _step(lang: str, assignment: Assignment, name: str, step: int) -> None:
    criterion = next((c for c in assignment.criteria if c.id == name), None)
    if criterion is None:
        known = advice(name, [c.id for c in assignment.criteria])
        raise UsageError(f"{assignment.name} has no criterion {name!r}{known}")
    steps = len(criterion.hints)
    if not 1 <= step <= steps:
        raise UsageError(f"--step {step}: {name} has {steps} hints")
    say(phrase("hint", lang, step=step, steps=steps, criterion=name, title=criterion.title.pick(lang)))
    say(f"  {criterion.hints[step - 1].pick(lang)}")
    if step < steps:
        say(phrase("next_hint", lang, command=f"grader hint {assignment.name} {name} --step {step + 1}"))
    else:
        say(phrase("last_hint", lang))
