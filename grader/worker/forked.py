"""A worker forked from the process that runs the checks: for a student's own run, where one import of torch has to do.

That process holds public checks and nothing secret. Most walls stand all the same; marks never come from here.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from grader.worker.enclosure import Enclosure, Plan
from grader.worker.zygote import become_worker, warm_up


def prepare(plan: dict[str, Any]) -> Enclosure:
    """Before any fork: everything a worker imports, and what all of them share."""
    importlib.import_module("grader.worker.serve")
    warm_up()
    enclosure = Enclosure(Plan(**plan))
    enclosure.before_workers()
    return enclosure


def begin(enclosure: Enclosure, parent: int, asked: dict[str, Any], fds: list[int], imports: Sequence[str]) -> NoReturn:
    """The child: it sees the modules a graded submission sees, from the same folder, with the same random numbers."""
    try:
        import numpy as np
        import torch

        sys.path[:] = list(imports)
        os.chdir("/")
        torch.set_grad_enabled(True)
        torch.manual_seed(0)
        np.random.seed(0)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
    except BaseException:
        os._exit(70)
    become_worker(enclosure.around_a_lone_worker, parent, asked, fds)
