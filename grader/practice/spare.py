"""A spare interpreter: warms up, waits for one job, answers it and ends. ``python -m grader.practice.spare``.

Reads two JSON lines from stdin (what to warm up, the job), writes JSON lines to stdout. A fresh one is used for every
job: nothing of one save is left in the answer to the next.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

from grader.catalog import load_course
from grader.errors import CourseError, GraderError
from grader.model.submission import Job


def main() -> None:
    """Answer one job. What cannot be done is one error line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that holds the terminal decides
    asks = sys.stdin
    replies = _own_stdout()

    def tell(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    try:
        course = load_course(Path(json.loads(asks.readline())["course"]), None)
        practised = _warm()
        asked = json.loads(asks.readline() or "null")
        if asked is not None:
            from grader.practice.lost import Lost

            job = Job(**{**asked["job"], "students": tuple(asked["job"]["students"])})
            result = practised(job, course, Lost.of(asked["lost"]), lambda event: tell({"at": event}))
            tell({"result": result})
    except GraderError as wrong:
        problems = wrong.problems if isinstance(wrong, CourseError) else []
        tell({"error": type(wrong).__name__, "problems": problems, "text": str(wrong)})


def _own_stdout() -> TextIO:
    """The way back, out of reach of whatever prints; what is printed goes nowhere."""
    ours = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return open(ours, "w", encoding="utf-8", newline="\n")


def _warm() -> Any:
    """Everything a job needs, imported and touched once."""
    gc.disable()
    import torch

    from grader.practice.running import practised

    torch.set_num_threads(1)
    torch.manual_seed(0)
    leaf = torch.ones(2, 2, requires_grad=True)
    torch.softmax(leaf @ leaf, dim=-1).sum().backward()  # type: ignore[no-untyped-call]
    gc.freeze()
    gc.enable()
    return practised


if __name__ == "__main__":
    main()
