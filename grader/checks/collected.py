"""What collection gives: each test of an assignment, ready to be called, in an order that respects ``needs``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.errors import CourseError
from grader.model.course import Assignment, Text

GIVEN = ("student", "reference", "rng")


@dataclass(frozen=True, slots=True)
class Test:
    """One parametrized check: ``call(**given, **parameters)``."""

    __test__ = False

    id: str
    criterion: str
    needs: tuple[str, ...]
    title: Text
    call: Callable[..., None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    wants: tuple[str, ...] = ()

    def run(self, given: Mapping[str, Any]) -> None:
        self.call(**{name: given[name] for name in self.wants}, **self.parameters)


def as_test(call: Callable[..., None], test_id: str, parameters: Mapping[str, Any], where: str) -> Test:
    """A collected function as a ``Test``; raises ``CourseError`` where a mark or a title is missing."""
    line = f"{where}:{call.__code__.co_firstlineno}"
    criterion = getattr(call, "criterion", None)
    title = _title(inspect.getdoc(call) or "")
    problems = []
    if not isinstance(criterion, str):
        problems.append(f"{line}: {call.__name__} has no @criterion")
    if not title.en:
        problems.append(f"{line}: {call.__name__} has no docstring; its first line is the title students read")
    wanted = [name for name in inspect.signature(call).parameters if name not in parameters]
    problems += [
        f"{line}: {call.__name__} asks for {name!r}; a check may use {', '.join(GIVEN)} and its parametrize arguments"
        for name in wanted
        if name not in GIVEN
    ]
    if problems:
        raise CourseError(problems)
    needed = tuple(getattr(call, "needs", ()))
    return Test(test_id, str(criterion), needed, title, call, parameters, tuple(wanted))


def _title(text: str) -> Text:
    """A docstring's first line; the line that begins with ``zh:`` is the same in Chinese."""
    lines = [line.strip() for line in text.strip().splitlines()] or [""]
    return Text(lines[0], next((line[3:].strip() for line in lines[1:] if line.startswith("zh:")), ""))


def in_order(tests: Iterable[Test], assignment: Assignment, where: str) -> tuple[Test, ...]:
    """Tests with their prerequisites first; raises ``CourseError`` for unknown criteria and circles."""
    tests = list(tests)
    known = {c.id for c in assignment.criteria}
    problems = [
        f"{where}: {test.id} names the criterion {name!r}, which assignment.yaml does not have"
        for test in tests
        for name in (test.criterion, *test.needs)
        if name not in known
    ]
    covered = {test.criterion for test in tests}
    problems += [f"{where}: no check has @criterion({c.id!r})" for c in assignment.criteria if c.id not in covered]
    if problems:
        raise CourseError(problems)
    return tuple(_sorted(tests, where))


def _sorted(tests: Sequence[Test], where: str) -> list[Test]:
    done: list[Test] = []
    waiting = list(tests)
    while waiting:
        open_criteria = {test.criterion for test in waiting}
        ready = [test for test in waiting if not (set(test.needs) - {test.criterion}) & open_criteria]
        ready = ready or [test for test in waiting if not set(test.needs) & open_criteria]
        if not ready:
            raise CourseError([f"{where}: the checks need each other in a circle: {', '.join(t.id for t in waiting)}"])
        done += ready
        waiting = [test for test in waiting if test not in ready]
    return done
