"""How far a class has come, to stderr: redrawn on a terminal, else a line for every tenth."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from grader.commands.console import note
from grader.model.outcome import Status
from grader.reports.untrusted import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_FORM = "graded {task.completed:.0f} of {task.total:.0f}"


class Progress:
    """``plain``, no terminal, or a CI service: nothing is redrawn."""

    def __init__(self, total: int, *, plain: bool) -> None:
        self._total, self._done, self._failed = total, 0, 0
        self._latest = ""
        self._first: float | None = None  # when the first result came
        quiet = plain or os.environ.get("CI") or os.environ.get("TERM") == "dumb" or not sys.stderr.isatty()
        self._bar: Bar | None = None if quiet or not total else _bar()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total, failures="", rate="")
        return self

    def add(self, document: Mapping[str, Any]) -> None:
        """One more is done; one that needs a person is named."""
        self._done += 1
        if document["status"] != Status.GRADED:
            self._failed += 1
            self._latest = one_line(document["submission"]["id"], limit=30)
        if self._bar is not None:
            self._bar.update(self._task, advance=1, failures=self._failures(), rate=self._pace())
        elif self._done == self._total or self._done * 10 // self._total > (self._done - 1) * 10 // self._total:
            note(f"graded {self._done} of {self._total}{self._failures()}")

    def _pace(self) -> str:
        """So many a second since the first came, which waited for the start, and what is left at this pace."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
            return ""
        pace = (self._done - 1) / max(now - self._first, 0.001)
        left = round((self._total - self._done) / pace)
        return f"{pace:.1f}/s, {left // 60}:{left % 60:02} left"

    def _failures(self) -> str:
        return f"; {self._failed} not graded, the latest {self._latest}" if self._failed else ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    failures = TextColumn("{task.fields[failures]}", markup=False)
    pace = TextColumn("{task.fields[rate]}", markup=False)
    return Bar(TextColumn(_FORM), BarColumn(bar_width=24), pace, failures, console=Console(stderr=True))
