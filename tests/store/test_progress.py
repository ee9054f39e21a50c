"""How far a class has come: redrawn where somebody looks on, a few lines where nobody does."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.store.conftest import ROOT, Class

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")


def on_a_terminal(class_: Class, **environment: str) -> str:
    """What a person sees of a batch."""
    command = [sys.executable, "-m", "tests.store.plain_class", "--course", str(class_.course), "--lang", "en",
               "batch", str(class_.drop), "-a", "doubling", "-o", str(class_.out), "--jobs", "1"]  # fmt: skip
    told_apart = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, command, {**told_apart, "TERM": "xterm", "COLUMNS": "100", **environment})
    seen = b""
    try:
        while piece := os.read(screen, 1 << 16):
            seen += piece
    except OSError:  # the other end is gone
        pass
    os.close(screen)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())


@pytest.fixture
def one_unreadable(class_: Class) -> Class:
    (class_.drop / "ed").mkdir()
    (class_.drop / "ed" / "doubling.py").write_bytes(b"")
    return class_


def test_on_a_terminal_the_line_tells_done_pace_time_left_and_failures(one_unreadable: Class) -> None:
    seen = on_a_terminal(one_unreadable)
    last = [line for line in re.split(r"[\r\n]+", seen) if line.startswith("graded 4 of 4")][-1]
    assert re.search(r"\d\.\d/s, 0:00 left +; 1 not graded, the latest ed", last), last


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_where_nobody_looks_on_nothing_is_redrawn(one_unreadable: Class, environment: dict[str, str]) -> None:
    seen = on_a_terminal(one_unreadable, **environment)
    assert "/s" not in seen and "━" not in seen
    assert "graded 4 of 4; 1 not graded, the latest ed" in seen


def test_a_class_is_graded_to_its_end_though_nobody_reads_how_far_it_is(class_: Class) -> None:
    """As behind ``2>&1 | head``."""
    command = [sys.executable, "-m", "tests.store.plain_class", "--course", str(class_.course), "--lang", "en",
               "batch", str(class_.drop), "-a", "doubling", "-o", str(class_.out), "--jobs", "1"]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.stderr.close()
    assert process.returncode == 0
    assert class_.scores() == {"ana": "2.5", "bo": "1.5", "cy": "0.5"}
