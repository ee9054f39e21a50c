"""The zygote: imports torch once behind walls of its own, then forks one worker per request. Runs inside the box."""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from grader.worker.enclosure import Enclosure, Plan
from grader.worker.settling import settle

WallsOfAWorker = Callable[[int, dict[str, Any], tuple[int, int]], dict[str, Any]]


def main(control_fd: int, plan: dict[str, Any]) -> None:
    """Serve fork requests on the control socket until its other end closes."""
    gc.disable()  # what is imported now is kept: looking for garbage in it is time lost
    control = socket.socket(fileno=control_fd)
    try:
        enclosure = Enclosure(Plan(**plan))
        enclosure.around_the_zygote(control_fd)
    except OSError as failed:
        control.send(json.dumps({"fatal": str(failed)}).encode())
        return
    importlib.import_module("grader.worker.serve")  # with torch and NumPy, before any fork
    sys.path[:] = [path for path in sys.path if path and path != plan["room"]]
    warm_up()
    enclosure.before_workers()
    gc.collect()
    settle()
    gc.freeze()
    gc.enable()
    try:
        control.send(json.dumps({"ready": True}).encode())
        while True:
            request, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
            if not request:
                os._exit(0)
            _answer(control, enclosure, json.loads(request), list(fds))
    except ConnectionError:  # whoever asked was ended before it read an answer
        os._exit(0)


def warm_up() -> None:
    """Touch what every worker will need; tiny, so that no thread pool is ever started."""
    import numpy as np
    import torch

    tempfile.tempdir = "/tmp"  # no worker can write there; but much of torch asks for the name while it is imported
    torch.set_num_threads(1)
    torch.manual_seed(0)  # imports its devices when first called
    q = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    torch.softmax(q @ q.transpose(-2, -1), dim=-1).sum().backward()  # type: ignore[no-untyped-call]
    torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
    torch.manual_seed(0)  # every worker starts from the same numbers, whichever zygote it comes from
    np.random.seed(0)


def _answer(control: socket.socket, enclosure: Enclosure, request: dict[str, Any], fds: list[int]) -> None:
    if "end" in request:
        control.send(json.dumps({"status": _wait(int(request["end"]))}).encode())
        return
    _reap()  # only here: the status of the latest worker may still be asked for
    zygote = os.getpid()
    try:
        pid = os.fork()
    except OSError as failed:
        control.send(json.dumps({"error": str(failed)}).encode())
        return
    if pid == 0:
        control.close()
        become_worker(enclosure.around_this_worker, zygote, request["fork"], fds)
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [json.dumps({"pid": pid}).encode()], [pidfd])
    for fd in (*fds, pidfd):
        os.close(fd)


def become_worker(put_up_walls: WallsOfAWorker, parent: int, asked: dict[str, Any], fds: list[int]) -> NoReturn:
    """The child of ``parent``: own pipes, own walls, proof of them, then questions until the end."""
    try:
        began = time.perf_counter()
        question, answer, stdout, stderr = fds
        random.seed(0)  # as torch and NumPy are; Python itself draws anew after a fork
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        from grader.rpc.frames import numbered, pack, write_all
        from grader.worker.serve import serve

        told = put_up_walls(parent, asked, (question, answer))
        told["ms"] = 1000 * (time.perf_counter() - began)
        write_all(answer, numbered(0, pack({"proof": told})))
        serve(question, answer)
        os._exit(0)
    except BaseException:  # the one place where nothing above may see it
        traceback.print_exc()
        os._exit(70)


def _wait(pid: int) -> int | None:
    """The wait status of a worker whose pipes are closed; it is killed first, should it linger."""
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done == 0:
            os.kill(pid, 0)
            done, status = _wait_briefly(pid)
    except (ChildProcessError, ProcessLookupError):
        return None
    return status if done else None


def _wait_briefly(pid: int) -> tuple[int, int]:
    """A dying process needs a moment to become a zombie; one that only closed its pipes is killed."""
    import select
    import signal

    pidfd = os.pidfd_open(pid)
    try:
        if not select.select([pidfd], [], [], 2.0)[0]:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        return os.waitpid(pid, 0)
    finally:
        os.close(pidfd)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
