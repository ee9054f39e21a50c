"""A load changes its process for good, as it may inside the box; here the process is put back afterwards."""

from __future__ import annotations

import builtins
import linecache
import sys
from collections.abc import Iterator

import pytest

import grader


@pytest.fixture(autouse=True)
def process_put_back() -> Iterator[None]:
    asked, hook, argv = builtins.input, sys.breakpointhook, sys.argv
    finders, modules, lines = list(sys.meta_path), set(sys.modules), dict(linecache.cache)
    there = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "IPython"}
    yield
    vars(grader).pop("check", None)
    builtins.input, sys.breakpointhook, sys.argv = asked, hook, argv
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] in ("attention", "helpers", "parts", "IPython", "written", "broken", "check"):
            del sys.modules[name]
    sys.modules.update(there)  # no worker has it; other tests of this process may
    linecache.cache.clear()
    linecache.cache.update(lines)
