"""How a test can end, and how a submission can."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How one test ended. Only ``PASSED`` earns marks; ``BLOCKED`` leaves the share."""

    PASSED = "passed"
    FAILED = "failed"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    DIED = "died"
    MISSING = "missing"
    NOT_ATTEMPTED = "not_attempted"
    BLOCKED = "blocked"
    GRADER_FAULT = "grader_fault"


class Status(StrEnum):
    """How one submission ended. Only ``GRADED`` carries a score."""

    GRADED = "graded"
    NEEDS_MARKING = "needs_marking"
    NOT_GRADABLE = "not_gradable"
    MISSING = "missing"
    GRADER_FAULT = "grader_fault"
