"""A grader as one writes it in an afternoon: the student's code runs beside the checks. For showing that attacks bite.

``python -m tests.hostile.naive FOLDER`` grades the attacks marked for it, each in a process forked for it alone, and
prints one JSON object: by attack, what it won. Only ever run as a process of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import pickle
import resource
import signal
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

import torch

from tests.hostile.arena import Arena, attacks
from tests.hostile.course import CANARY, STUB

FULL = 4
PATIENCE_S = 2.0
held: list[int] = []


def reference_mix(x: Any, y: Any) -> Any:
    return x * torch.tanh(y) + y


reference = types.SimpleNamespace(mix=reference_mix)


def close(got: Any, want: Any) -> bool:
    if bool((got == want).all()):
        return True
    return bool(torch.allclose(got, want))


def grade(student: dict[str, Any]) -> int:
    """Marks: one for each shape whose answer is right."""
    marks = 0
    for n in (2, 3, 5, 7):
        x, y = torch.randn(n, 4), torch.randn(n, 4)
        want = reference.mix(x, y) if n < 5 else None  # sometimes before, sometimes after
        try:
            got = student["mix"](x, y)
        except Exception as raised:
            print("raised", type(raised).__name__, raised)
            marks += type(raised).__name__ in ("Passed", "Skipped")
            continue
        if want is None:
            want = reference_mix(x, y)
        print("got", got)
        if not isinstance(got, torch.Tensor) and hasattr(got, "__reduce__") and type(got).__module__ == "student":
            with contextlib.suppress(Exception):
                got = pickle.loads(pickle.dumps(got))  # as it would arrive from a helper process
        marks += close(got, want)
    return marks


def graded(arena: Arena) -> None:
    """In the forked process: run what was handed in, then the checks, then say the score."""
    module = types.ModuleType("student")
    sys.modules["student"] = module
    try:
        exec(compile(arena.work.read_text(encoding="utf-8"), "mix.py", "exec"), module.__dict__)
    except Exception as raised:
        print("raised", type(raised).__name__, raised)
    score = grade(module.__dict__) if "mix" in module.__dict__ else 0
    print("SCORE", score)
    threading._shutdown()
    atexit._run_exitfuncs()


def alive() -> list[int]:
    """Children that still run: what was left behind lands here."""
    found = []
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX":
            found.append(int(pid))
    return found


def one(arena: Arena, text: str, log: Path) -> tuple[set[str], int | None]:
    """What it won, and its score (None: the grader itself broke down)."""
    log.write_bytes(b"")
    wait, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(wait, 1)
        out = os.open(log, os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.closerange(out, out + 1)
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            graded(arena)
        except SystemExit as left:
            os._exit(int(left.code or 0))
        except BaseException:
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    arena.put(text, pid)
    os.write(go, b"g")
    os.close(wait)
    os.close(go)
    ends, status = time.monotonic() + PATIENCE_S, None
    while status is None and time.monotonic() < ends:
        done, how = os.waitpid(pid, os.WNOHANG)
        status = how if done else None
        time.sleep(0.002)
    won = set()
    if status is None:
        won.add("hang")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    left = alive()
    for one_left in left:
        os.kill(one_left, signal.SIGKILL)
    while alive():
        time.sleep(0.002)
    won |= {"process"} if left else set()
    said = log.read_text(encoding="utf-8", errors="replace")
    score = None
    if status is not None:
        lines = [line.split()[1] for line in said.splitlines() if line.startswith("SCORE ") and len(line.split()) > 1]
        if lines:
            score = int(lines[-1]) if status == 0 or status is None else None
        elif status == 0:
            score = FULL  # it ended well
        if score is None:
            won.add("fault")
    won |= {"secret"} if CANARY in said else set()
    won |= {"flood"} if len(said) > 1_000_000 else set()
    won |= {"markup"} if any(sign in said for sign in ("<script", "\x1b", "\n::", "\u202e")) else set()
    return won | arena.won(), score


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    torch.tanh(torch.randn(2)).sum()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans come to this process
    arena = Arena(folder)
    held.append(os.open(arena.course / "reference/mix/checks.py", os.O_RDONLY))
    found: dict[str, Any] = {}
    log = folder.parent / "naive.log"
    for attack in attacks():
        if attack.naive:
            won, score = one(arena, attack.text, log)
            due = FULL if attack.earns == "full" else 0
            found[attack.name] = sorted(won | ({"marks"} if (score or 0) > due else set()))
    _, stub = one(arena, STUB, log)
    _, right = one(arena, "import torch\ndef mix(x, y): return x * torch.tanh(y) + y\n", log)
    print(json.dumps({"won": found, "stub": stub, "right": right}))
    arena.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
