"""Which walls are put up, in which order: around the zygote once, around each worker again.

A wall that cannot be had is noted with its reason and left out; whether what stands is enough is for the proof to
tell, and for the grader to judge.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.worker.walls import landlock, namespaces, own_root, proof, rlimits, seccomp, session, user

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_PROCESSOR = "/sys/devices/system/cpu"  # which kind: torch picks its kernels by it


@dataclass(frozen=True, slots=True)
class Plan:
    """``readable``: what a worker may read; ``own``: the grader's files that the zygote imports, no worker reads."""

    room: str
    readable: list[str]
    own: list[str]
    leave_out: list[str]
    landlock_cap: int | None


class Enclosure:
    """The walls of one zygote and its workers."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._standing: list[str] = []
        self._missing: dict[str, str] = {}
        self._ruleset: landlock.Ruleset | None = None
        self._filter: seccomp.Filter | None = None
        self._tasks = 0
        self._tries = "proof" not in plan.leave_out

    def around_the_zygote(self, control_fd: int) -> None:
        """Before torch is imported: namespaces want a process of one thread. Raises ``OSError``."""
        root = os.getuid() == 0
        inside = root and self._put("namespaces", namespaces.enter_as_root)
        if root and not inside:
            self._put("user", self._another_user)
        if not inside:
            inside = self._put("namespaces", namespaces.enter_as_user)
        if inside:
            namespaces.go_inside(control_fd)
            self._put("own root", self._another_root)
        else:
            self._missing["own root"] = "needs namespaces"
        if root and "user" not in self._standing:
            self._put("user", self._another_user)
        if not root:
            self._missing["user"] = "not needed: the grader is not root"
        self._put("privileges", user.give_up_privileges)
        if inside:
            namespaces.end_with_parent()

    def before_workers(self) -> None:
        """After the warm-up: what all workers share."""
        self._put("landlock", self._rules)
        try:
            self._filter = seccomp.Filter(no_writing=self._ruleset is None or self._ruleset.abi < 3)
        except OSError as unknown:
            self._missing["seccomp"] = str(unknown)
        self._tasks = user.tasks_of_this_user()

    def around_this_worker(self, zygote: int, asked: dict[str, Any], keep: tuple[int, int]) -> dict[str, Any]:
        """All of a worker's own walls, the filter last; then the proof. For a process just forked from the zygote."""
        threads, memory = int(asked["threads"]), int(asked["memory_mib"])
        budget = rlimits.Budget(memory, int(asked["cpu_s"]), self._tasks + threads)
        ruleset = self._ruleset
        self._put("session", lambda: session.begin(zygote))
        self._put("rlimits", lambda: rlimits.restrict(budget))
        if ruleset is not None:
            ruleset.enforce()
        session.close_all_but(*keep)
        calls = self._filter
        if calls is not None:
            self._put("seccomp", lambda: calls.load(os.getpid()))
        targets = proof.Targets(**asked["targets"]) if asked["targets"] else None
        return {
            "walls": self._standing,
            "missing": self._missing,
            "breaches": proof.breaches(memory, threads, targets) if self._tries else proof.untried(),
        }

    def around_a_lone_worker(self, parent: int, asked: dict[str, Any], keep: tuple[int, int]) -> dict[str, Any]:
        """The same for a process forked from one that has no walls of its own: fewer, and the proof tells which."""
        self._put("privileges", user.give_up_privileges)
        return self.around_this_worker(parent, asked, keep)

    def _put(self, name: str, wall: Callable[[], None]) -> bool:
        if name in self._plan.leave_out:
            self._missing[name] = "left out"
            return False
        try:
            wall()
        except (OSError, ValueError) as failed:
            self._missing[name] = str(failed)
            return False
        self._standing.append(name)
        self._missing.pop(name, None)
        return True

    def _another_user(self) -> None:
        uid = user.unused()
        hidden = user.unreadable_to(uid, [*self._plan.readable, *self._plan.own])
        if hidden:
            raise PermissionError(
                f"a user without rights may not read {', '.join(hidden)}: install Python and the packages where every "
                "user can read them (not below /root or a closed home), or start the grader as an ordinary user"
            )
        user.become(uid)

    def _another_root(self) -> None:
        own_root.enter([*self._plan.readable, *self._plan.own, *_DEVICES, _PROCESSOR])

    def _rules(self) -> None:
        readable = [*self._plan.readable, *_DEVICES[1:], _PROCESSOR]
        self._ruleset = landlock.Ruleset(readable, ["/dev/null"], self._plan.landlock_cap)
