"""``grader check --watch``: an answer to every save, from a process that is warm; keys for what comes next."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from grader.commands.check import checked, show
from grader.commands.console import note, say
from grader.commands.exits import Exit
from grader.commands.phrases import phrase
from grader.commands.setting import Setting
from grader.commands.standings import Standings
from grader.commands.work import SUFFIXES, Work, find_work, work_on
from grader.engines import Engine
from grader.errors import CourseError, GraderFault, UsageError
from grader.model.course import Assignment, Course
from grader.model.outcome import Outcome
from grader.watching import keys, saves

_WAKE_S: Final = 0.5  # where a wait cannot be interrupted, Ctrl-C is heard so often
_TWICE_S: Final = 0.5  # the same bytes again within this time are one save
_AUTHORS: Final = (".yaml", ".yml")


def run(setting: Setting, target: str | None, named: str | None) -> Exit:
    """Until ``q`` or Ctrl-C. ``target`` and ``named`` say what is checked first."""
    saves.require()
    with ExitStack() as open_things:
        engines = open_things.enter_context(_Engines(setting))
        course = setting.course()
        first = _first(course, setting.folder, target, named)
        heard: SimpleQueue[str | set[Path]] = SimpleQueue()
        open_things.enter_context(_ended_by_signal())
        folders = {setting.folder, *(a.folder for a in course.assignments)} | ({first.path.parent} if first else set())
        open_things.enter_context(saves.watched(folders, heard.put))
        typed = open_things.enter_context(keys.keys(heard.put))
        note(phrase("watching", setting.lang, folders=setting.folder))
        return _Loop(setting, course, engines, heard, typed).run(first)


def _first(course: Course, folder: Path, target: str | None, named: str | None) -> Work | None:
    """Where nothing was named and several files lie here, the whole course is looked at."""
    try:
        return find_work(course, folder, target, named)
    except UsageError:
        if target is None and named is None and any(work_on(a, folder) for a in course.assignments):
            return None
        raise


class _Loop:
    """What is shown now, and what each event makes of it."""

    def __init__(
        self, setting: Setting, course: Course, engines: _Engines, heard: SimpleQueue[str | set[Path]], typed: bool
    ) -> None:
        self._setting, self._course, self._engines = setting, course, engines
        self._heard, self._typed = heard, typed
        self._standings = Standings(course)
        self._works: dict[str, Work] = {}
        self._current: Work | None = None
        self._document: dict[str, Any] | None = None
        self._steps: dict[tuple[str, str], int] = {}  # hints given so far, by assignment and criterion
        self._told: tuple[Path, bytes, float] | None = None  # the latest answer: to which bytes, when

    def run(self, first: Work | None) -> Exit:
        if first is not None:
            self._answer(first)
        self._fill()
        self._foot()
        while True:
            event = self._next()
            if isinstance(event, set):
                self._saved(event)
            elif event in ("q", "Q", "\x04"):
                return Exit.DONE
            else:
                self._pressed(event.lower())

    def _next(self) -> str | set[Path]:
        while True:
            try:
                return self._heard.get(timeout=_WAKE_S)
            except Empty:
                continue

    # -- saves ----------------------------------------------------------------------------------

    def _saved(self, paths: set[Path]) -> None:
        """One answer for each assignment whose file was saved; a change of the course's own begins anew."""
        if any(path.suffix in _AUTHORS or path.name == "checks_public.py" for path in paths):
            self._engines.renew()
            if self._current is not None:
                paths = paths | {self._current.path}
        answered = False
        for work in self._meant(paths):
            before = saves.settled(work.path)
            if before is None:
                self._gone(work)
                answered = True
            elif not self._is_told(work.path):
                self._answer(work)
                answered = True
        if answered:
            self._fill()
            self._foot()

    def _meant(self, paths: set[Path]) -> list[Work]:
        found: dict[str, Work] = {}
        for path in sorted(paths):
            known = next((w for w in self._works.values() if w.path == path), None)
            assignment = known.assignment if known else self._assignment_of(path)
            if assignment is not None:
                found[assignment.name] = known or Work(assignment, path)
        return list(found.values())

    def _assignment_of(self, path: Path) -> Assignment | None:
        if path.suffix not in SUFFIXES:
            return None
        fitting = [a for a in self._course.assignments if path.stem == Path(a.file).stem]
        places = (self._setting.folder.resolve(), *(a.folder.resolve() for a in fitting))
        return fitting[0] if fitting and path.parent in places else None

    def _is_told(self, path: Path) -> bool:
        """Whether these very bytes were answered a moment ago: one save may come as several events."""
        if self._told is None or self._told[0] != path or time.monotonic() - self._told[2] > _TWICE_S:
            return False
        try:
            return path.read_bytes() == self._told[1]
        except OSError:
            return False

    def _gone(self, work: Work) -> None:
        if self._works.pop(work.assignment.name, None) is not None:
            say(phrase("gone", self._setting.lang, file=work.path.name))
        self._standings.note(work.assignment, None)

    # -- answers --------------------------------------------------------------------------------

    def _answer(self, work: Work) -> None:
        """Check and show, until what was checked is what lies there."""
        while True:
            before = saves.stamp(work.path)
            document = self._checked(work)
            if document is None:
                return
            if saves.stamp(work.path) == before:
                break
            if saves.settled(work.path) is None:
                self._gone(work)
                return
        passed_over = work.other if self._current != work and work.why else None
        self._current, self._document = work, document
        say()
        say(phrase("saved_at", self._setting.lang, time=time.strftime("%H:%M:%S"), file=work.path.name))
        if passed_over is not None:
            note(phrase(work.why, self._setting.lang, other=passed_over))
        show(self._setting, work.assignment, document)

    def _checked(self, work: Work) -> dict[str, Any] | None:
        """None where our own process failed twice; the next save tries again."""
        for _ in range(2):
            try:
                data = work.path.read_bytes() if work.path.is_file() else b""
                document = checked(self._engines.engine, work, self._setting.lang)
                self._works[work.assignment.name] = work
                self._standings.note(work.assignment, document)
                self._told = (work.path, data, time.monotonic())
                return document
            except (CourseError, UsageError) as wrong:  # an author's file, half way through a change
                note(str(wrong))
                return None
            except GraderFault:
                self._engines.renew()
        note(phrase("watch_fault", self._setting.lang))
        return None

    def _fill(self) -> None:
        """Look at what was not looked at yet, as long as nothing else is asked."""
        for assignment in self._standings.unknown():
            if not self._heard.empty():
                return
            work = work_on(assignment, self._setting.folder)
            if work is None:
                self._standings.note(assignment, None)
            elif self._checked(work) is None:
                return

    def _foot(self) -> None:
        say()
        say(self._standings.line(self._setting.lang))
        if self._typed:
            say(phrase("keys", self._setting.lang))

    # -- keys -----------------------------------------------------------------------------------

    def _pressed(self, key: str) -> None:
        if key == "h":
            self._hint()
        elif key == "n":
            self._go_on()
        elif key == "a":
            self._all()
        elif key in ("\n", "\r") and self._current is not None:
            self._answer(self._current)
            self._foot()

    def _hint(self) -> None:
        lost = self._lost()
        if self._current is None or lost is None:
            say(phrase("no_hint", self._setting.lang))
            return
        assignment = self._current.assignment
        criterion = next(c for c in assignment.criteria if c.id == lost)
        step = min(self._steps.get((assignment.name, lost), 0) + 1, len(criterion.hints))
        self._steps[assignment.name, lost] = step
        lang = self._setting.lang
        title = criterion.title.pick(lang)
        say(phrase("hint", lang, step=step, steps=len(criterion.hints), criterion=lost, title=title))
        say(f"  {criterion.hints[step - 1].pick(lang)}")
        if step == len(criterion.hints):
            say(phrase("last_hint", lang))

    def _lost(self) -> str | None:
        """The first criterion that does not hold, of those a check has looked at."""
        tests = self._document["tests"] if self._document else []
        failed = [t for t in tests if t["outcome"] not in (Outcome.PASSED, Outcome.BLOCKED)]
        return failed[0]["criterion"] if failed else None

    def _go_on(self) -> None:
        self._fill()
        following = self._standings.after(self._current.assignment if self._current else None)
        if following is None:
            say(phrase("all_pass", self._setting.lang))
            return
        self._answer(self._works[following.name])
        self._foot()

    def _all(self) -> None:
        for assignment in self._course.assignments:
            work = self._works.get(assignment.name) or work_on(assignment, self._setting.folder)
            if work is not None and work.path.is_file():
                self._checked(work)
        self._foot()


class _Engines(AbstractContextManager["_Engines"]):
    """An engine that can be begun anew, when the course changed or its process ended."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._stack = ExitStack()
        self.engine: Engine = self._stack.enter_context(setting.own_engine(stay=True))

    def renew(self) -> None:
        self._stack.close()
        self.engine = self._stack.enter_context(self._setting.own_engine(stay=True))

    def __exit__(self, *ending: Any) -> None:
        self._stack.__exit__(*ending)


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """A request to end is as good as Ctrl-C: the terminal is put right first."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
