"""What hung or ended an interpreter in this submission, so that the next one goes on without it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from grader.errors import StudentError, StudentTimedOut, WorkerDied
from grader.model.course import Limits

HANGS: Final = "hangs"
_STRIKES: Final = 2  # a function that hung this often is not called again
_STATEMENT, _CALL = "statement", "call"


@dataclass(slots=True)
class Lost:
    """Statements by number; calls as (test, function, how, limit in seconds), ``how`` being ``HANGS`` or an ending."""

    statements: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, str, str, float]] = field(default_factory=list)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Lost:
        return cls(dict(raw["statements"]), [(t, f, how, float(limit)) for t, f, how, limit in raw["calls"]])

    def plain(self) -> dict[str, Any]:
        return {"statements": self.statements, "calls": self.calls}

    def limit_s(self, limits: Limits) -> float:
        """For the next call, whichever it is."""
        return limits.call_again_s if any(how == HANGS for _, _, how, _ in self.calls) else limits.call_s

    def refusal(self, test: str, function: str) -> StudentError | None:
        """Why this function is not called, in this test or at all."""
        own = [call for call in self.calls if call[1] == function]
        for _, _, how, limit in (call for call in own if call[0] == test):
            return StudentTimedOut(function, limit) if how == HANGS else WorkerDied(function, how)
        hung = [limit for _, _, how, limit in own if how == HANGS]
        return StudentTimedOut(function, hung[0]) if len(hung) >= _STRIKES else None

    def note(self, at: dict[str, Any] | None, how: str) -> bool:
        """The interpreter was lost at this event. False where nothing can be left out."""
        if at is None:
            return False
        if _STATEMENT in at:
            number = str(at[_STATEMENT])
            known = number in self.statements
            self.statements[number] = HANGS if how == HANGS else "ends the process"
            return not known
        test, function = at[_CALL]
        known = any(call[:2] == (test, function) for call in self.calls)
        self.calls.append((test, function, how, float(at["limit_s"])))
        return not known


def statement(number: int, limits: Limits) -> dict[str, Any]:
    """The event before a statement runs."""
    return {_STATEMENT: number, "limit_s": limits.call_s}


def call(test: str, function: str, limit_s: float) -> dict[str, Any]:
    """The event before a function is called."""
    return {_CALL: [test, function], "limit_s": limit_s}
