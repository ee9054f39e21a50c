"""Code that means harm gets what its honest part earns, and nothing else; its neighbours notice nothing."""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.catalog import load_course
from grader.desk import Desk
from grader.document import dump, for_student
from grader.errors import WallMissing
from grader.model.submission import Job
from grader.reports import RENDERERS, render
from grader.sandbox.zygote import ZygoteSandbox
from tests.contract.test_effects import LINUX, running, tasks_of
from tests.contract.test_walls import has_namespaces, landlock_version
from tests.hostile.arena import Arena, Attack, attacks
from tests.hostile.course import CANARY, RIGHT, STUB
from tests.reports.test_inert import hidden
from tests.reports.test_untrusted import commands_in

pytestmark = LINUX
SEED = 31
FULL = 6.0
WALLS: dict[str, dict[str, Any]] = {"all": {}}
if has_namespaces() and landlock_version():
    WALLS |= {"no_landlock": {"leave_out": {"landlock"}}}
if landlock_version() > 3:
    WALLS |= {"landlock_3": {"landlock_cap": 3}, "no_namespaces": {"leave_out": {"namespaces"}}}
ALL = attacks()
STOPPED_BY_WALLS = {"outside", "snooping"}
SLOW = {"hang"}  # these wait for limits: once is enough


@dataclass
class Range:
    """A desk, its sandbox, and what attacks are after."""

    arena: Arena
    sandbox: ZygoteSandbox
    desk: Desk
    all_walls: bool
    own: frozenset[int] = frozenset()  # what lives as long as the sandbox

    def grade(self, text: str) -> dict[str, Any]:
        return self.desk.grade(Job(str(self.arena.put(text)), "mix", SEED))

    def left_running(self) -> list[int]:
        """Workers that still run a while after their verdict: a kill takes effect a moment after it is sent."""
        pause = threading.Event()
        for _ in range(200):
            left = [pid for pid in tasks_of(self.sandbox) if running(pid) and pid not in self.own]
            if not left:
                return []
            pause.wait(0.01)
        return left


def opened(walls: dict[str, Any]) -> Iterator[Range]:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(dir="/tmp") as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARMLESS", CANARY)
        arena = Arena(Path(name))
        course = load_course(arena.course)
        sandbox = ZygoteSandbox({}, guarded=[arena.course / "reference/mix"], **walls)
        desk = Desk(course, lambda: sandbox)
        found = Range(arena, sandbox, desk, not walls)
        try:
            try:
                desk.ready()
            except WallMissing as missing:
                if not walls:
                    raise
                pytest.skip(f"not enough here, and refused: {missing}")
            found.own = frozenset(_children(sandbox.pid) if "namespaces" in sandbox.isolation.walls else [])
            yield found
        finally:
            desk.close()
            arena.close()


def _children(pid: int) -> list[int]:
    return [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest) -> Iterator[Range]:
    yield from opened(WALLS[request.param])


def settled(document: dict[str, Any]) -> dict[str, Any]:
    """All of a report but how long things took and which file it was."""
    tests = [{**test, "duration_s": 0} for test in document["tests"]]
    return {**document, "duration_s": 0, "tests": tests, "isolation": None, "submission": None}


def verdict(document: dict[str, Any]) -> tuple[Any, ...]:
    points = [(c["id"], c["points"]) for c in document["criteria"]]
    return document["status"], document["score"], points


def test_there_are_enough_of_every_class_and_each_says_what_it_is_after() -> None:
    groups = Counter(attack.group for attack in ALL)
    assert len(ALL) == len({attack.name for attack in ALL}) >= 80
    assert set(groups) >= {"answers", "limits", "loading", "outside", "protocol", "snooping", "text", "verdict"}
    assert sum(attack.naive is not None for attack in ALL) >= 80
    assert not any(CANARY in attack.text for attack in ALL)


def by_walls() -> list[Any]:
    """Every class behind all walls; behind fewer, those that walls alone stop."""
    groups = sorted({a.group for a in ALL})
    wanted = [(walls, group) for walls in WALLS for group in groups if walls == "all" or group in STOPPED_BY_WALLS]
    marks = {True: (), False: (pytest.mark.long,)}
    return [pytest.param(walls, group, id=f"{walls}-{group}", marks=marks[walls == "all"]) for walls, group in wanted]


@pytest.mark.parametrize("place, group", by_walls(), indirect=["place"])
def test_none_of_a_class_succeeds(group: str, place: Range, subtests_of: Callable[[str], Any]) -> None:
    before = place.grade(RIGHT)
    assert verdict(before)[:2] == ("graded", FULL)
    stub = verdict(place.grade(STUB))
    for attack in ALL:
        if attack.group == group and (attack.wins not in SLOW or place.all_walls):
            with subtests_of(attack.name):
                won, document = tried(place, attack)
                due = {"stub": stub[:2], "full": ("graded", FULL), "refused": ("not_gradable", None)}[attack.earns]
                assert won == set()
                assert verdict(document)[:2] == due, document["reason"] or [t["detail"] for t in document["tests"]]
                assert attack.earns != "stub" or verdict(document) == stub
    after = place.grade(RIGHT)
    assert dump(settled(after)) == dump(settled(before))


def tried(place: Range, attack: Attack) -> tuple[set[str], dict[str, Any]]:
    """What an attack won of all there is to win, whichever it was after, and its report."""
    document = place.grade(attack.text)
    won = place.arena.won()
    whole = dump(document)
    won |= {"secret"} if CANARY in whole else set()
    won |= {"flood"} if len(whole) > 1_000_000 else set()
    won |= {"process"} if place.left_running() else set()
    won |= {"fault"} if document["status"] == "grader_fault" else set()
    won |= {"hang"} if document["duration_s"] > 2 * (3 + 6) else set()  # loading and running, twice
    for form in RENDERERS:
        for shown in (render(form, d, lang="en") for d in (document, for_student(document))):
            if hidden(shown) or commands_in(shown, folded=form != "json"):
                won.add("markup")
    return won, document


@pytest.fixture
def subtests_of() -> Iterator[Callable[[str], Any]]:
    """Goes through a whole class and tells of every failure in it, with the attack's name."""
    failures: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            return None

        def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
            if isinstance(error, AssertionError):
                failures.append(f"{self.name}: {str(error)[:600]}")
                return True
            return False

    yield Named
    if failures:
        pytest.fail("\n\n".join(failures), pytrace=False)
