"""How each way a student's code can fail to answer reads: an outcome and words for a learner."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Final

from grader.errors import (
    StudentError,
    StudentMissing,
    StudentOutOfMemory,
    StudentRaised,
    StudentStub,
    StudentTimedOut,
    WorkerDied,
)
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.report import TestResult

SHOWN_BY_REENACTMENT: Final = frozenset({Outcome.FAILED, Outcome.RAISED, Outcome.OUT_OF_MEMORY, Outcome.DIED})


@dataclass(frozen=True, slots=True)
class Ending:
    outcome: Outcome
    note: Text
    detail: str


def of(error: StudentError) -> Ending:
    """The outcome and the note of a call that gave no value."""
    name = error.function
    match error:
        case StudentRaised():
            return Ending(Outcome.RAISED, _raised(error), f"{error.kind}: {error.message}")
        case StudentTimedOut():
            limit = f"{error.limit_s:g}"
            return Ending(
                Outcome.TIMED_OUT,
                Text(
                    en=f"{name} gave no answer within {limit} s: is there a loop that never ends?",
                    zh=f"{name} 在 {limit} 秒内没有给出结果：是否有停不下来的循环？",
                ),
                str(error),
            )
        case StudentOutOfMemory():
            return Ending(
                Outcome.OUT_OF_MEMORY,
                Text(
                    en=f"{name} asked for more memory than the limit allows: "
                    "look for a tensor far larger than its inputs",
                    zh=f"{name} 申请的内存超过了限制：请查找比输入大得多的张量",
                ),
                str(error),
            )
        case StudentMissing():
            return Ending(Outcome.MISSING, error.note, str(error))
        case StudentStub():
            return Ending(
                Outcome.NOT_ATTEMPTED,
                Text(en=f"{name} is still the empty stub", zh=f"{name} 还是空的模板"),
                str(error),
            )
        case WorkerDied():
            return Ending(
                Outcome.DIED,
                Text(
                    en=f"while {name} ran, {error.message}: the program stopped instead of returning a value",
                    zh=f"运行 {name} 时程序中止了，没有返回结果（{error.message}）",
                ),
                str(error),
            )
        case _:
            return Ending(Outcome.FAILED, Text(en=f"{name} gave no value", zh=f"{name} 没有给出结果"), str(error))


def bare_note(result: TestResult) -> Text:
    """For a failure the public inputs do not show: nothing that could carry a hidden number."""
    name = result.function or "the function"
    if result.outcome is Outcome.RAISED:
        kind = result.detail.split(":", 1)[0]
        known = isinstance(getattr(builtins, kind, None), type)
        shown = kind if known else "an exception of its own"
        return Text(
            en=f"{name} raised {shown} on some inputs (not on the example that is shown to you)",
            zh=f"{name} 在某些输入上抛出了 {shown if known else '自定义异常'}（公开的例子上没有出现）",
        )
    return Text(
        en=f"{name} is wrong on some inputs (the example that is shown to you does not show it)",
        zh=f"{name} 在某些输入上不对（公开的例子上看不出来）",
    )


def _raised(error: StudentRaised) -> Text:
    message = f": {error.message}" if error.message else ""
    return Text(
        en=f"{error.function} raised {error.kind}{message}",
        zh=f"{error.function} 抛出了 {error.kind}{message}",
    )
