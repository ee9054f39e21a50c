"""``grader check --watch`` in a terminal of its own: files saved as editors save them, keys, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

CHECKS = '''\
"""What a student can run."""

import torch

from grader.checks import criterion, expect


@criterion("values")
def test_doubles(student):
    """Two times three is six."""
    expect.close(student.double(torch.tensor([3.0])), torch.tensor([6.0]), atol=1e-6, rtol=0)
'''
RIGHT = "def double(x):\n    return x * 2\n"
WRONG = RIGHT.replace("x *", "x +")
KEYS = "h hint   n next   a check all   q quit"
ANSWER = re.compile(r"\d\d:\d\d:\d\d  (\S+)")
PATIENCE_S = 60.0


class Terminal:
    """A command in a real pseudo-terminal; ``told`` is everything it has written so far."""

    def __init__(self, folder: Path, home: Path, *arguments: str) -> None:
        self._ours, self._theirs = pty.openpty()
        self.before = termios.tcgetattr(self._theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader", *arguments],
            cwd=folder,
            stdin=self._theirs, stdout=self._theirs, stderr=self._theirs,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(self._theirs), os.O_RDWR)),
            env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100",
                 "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"},
        )  # fmt: skip
        self.told = ""

    def settings(self) -> list[object]:
        return termios.tcgetattr(self._theirs)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def read(self, patience_s: float) -> bool:
        """Take what is there; False where nothing came in time."""
        if not select.select([self._ours], [], [], patience_s)[0]:
            return False
        self.told += os.read(self._ours, 1 << 16).decode("utf-8", "replace")
        return True

    def until(self, text: str, times: int = 1, begin: int = 0) -> str:
        """Everything from ``begin`` to where ``text`` has come ``times`` times."""
        ends = time.monotonic() + PATIENCE_S
        while self.told.count(text, begin) < times:
            assert time.monotonic() < ends, f"never said {text!r}:\n{self.told}"
            self.read(0.5)
        return self.told[begin:]

    def quiet(self) -> None:
        """Read until nothing more comes: what else an event causes would be there by then."""
        while self.read(0.4):
            pass

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[[Path], Path]) -> Path:
    root = make_course(tmp_path_factory.mktemp("watched"))
    (root / "assignments/doubling/checks_public.py").write_text(CHECKS)
    (root / "doubling.py").write_text(WRONG)
    (root / "home").mkdir()
    return root


@pytest.fixture(scope="module")
def watching(course: Path) -> Iterator[Terminal]:
    terminal = Terminal(course, course / "home", "check", "--watch")
    terminal.until(KEYS)
    yield terminal
    terminal.close()


def answers(terminal: Terminal, do: Callable[[], object]) -> str:
    """What is said after ``do``: shown to be one answer, no more."""
    terminal.quiet()
    begin = len(terminal.told)
    do()
    terminal.until(KEYS, begin=begin)
    terminal.quiet()
    told = terminal.told[begin:]
    assert len(ANSWER.findall(told)) == told.count(KEYS) == 1, told
    return told


def by_rename(path: Path, text: str) -> None:
    beside = path.with_name("." + path.name + ".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def by_backup(path: Path, text: str) -> None:
    backup = path.with_name(path.name + "~")
    os.rename(path, backup)
    path.write_text(text)
    backup.unlink()


def in_two_halves(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text[: text.index("return")])
        file.flush()
        select.select([], [], [], 0.05)
        file.write(text[text.index("return") :])


def in_a_burst(path: Path, text: str) -> None:
    for end in ("# 1\n", "# 2\n", "# 3\n", ""):
        path.write_text(text + end)


def plainly(path: Path, text: str) -> None:
    path.write_text(text)


@pytest.mark.parametrize("save", [plainly, by_rename, by_backup, in_two_halves, in_a_burst])
def test_a_save_has_one_answer_however_the_editor_saves(
    save: Callable[[Path, str], None], watching: Terminal, course: Path
) -> None:
    path = course / "doubling.py"
    told = answers(watching, lambda: save(path, f"{RIGHT}# {save.__name__}\n"))
    assert "1 of 1 public checks passed" in told
    assert "doubling passed" in told
    told = answers(watching, lambda: save(path, f"{WRONG}# {save.__name__}\n"))
    assert "0 of 1 public checks passed" in told
    assert "doubling 0 of 1" in told


def test_a_syntax_error_is_one_answer_and_nothing_of_before_is_left(watching: Terminal, course: Path) -> None:
    answers(watching, lambda: plainly(course / "doubling.py", RIGHT + "# whole\n"))
    told = answers(
        watching, lambda: plainly(course / "doubling.py", RIGHT.replace("def double", "def other") + "x = (")
    )
    assert "cannot read" in told
    assert "double  not found" in told


def test_other_files_of_the_folder_are_none_of_its_business(watching: Terminal, course: Path) -> None:
    answers(watching, lambda: plainly(course / "doubling.py", RIGHT + "# whole\n"))
    begin = len(watching.told)
    for name in ("notes.txt", "doubling_old.py", ".doubling.py.swp", "doubling.py~"):
        plainly(course / name, RIGHT)
        (course / name).unlink()
    watching.quiet()
    assert watching.told[begin:] == ""


def test_a_notebook_that_is_saved_is_what_is_checked(watching: Terminal, course: Path) -> None:
    cell = '{"cell_type": "code", "source": "def double(x):\\n    return x + x", "metadata": {}, "outputs": []}'
    book = f'{{"nbformat": 4, "nbformat_minor": 4, "metadata": {{}}, "cells": [{cell}]}}'
    told = answers(watching, lambda: by_rename(course / "doubling.ipynb", book))
    assert "double  doubling.ipynb, cell 1, line 1" in told
    assert "1 of 1 public checks passed" in told
    told = answers(watching, lambda: plainly(course / "doubling.py", WRONG + "# back\n"))
    assert "double  doubling.py:" in told


def test_untouched_is_not_attempted(watching: Terminal, course: Path) -> None:
    stub = (course / "assignments/doubling/doubling.py").read_text()
    told = answers(watching, lambda: plainly(course / "doubling.py", stub))
    assert "doubling not attempted" in told


def test_hints_come_in_three_steps_and_go_on_by_the_key(watching: Terminal, course: Path) -> None:
    answers(watching, lambda: plainly(course / "doubling.py", WRONG + "# hints\n"))
    begin = len(watching.told)
    watching.type("hhh")
    told = watching.until("That was the last hint.", begin=begin)
    assert [f"Hint {step} of 3 for values" in told for step in (1, 2, 3)] == [True] * 3
    assert "Add the tensor to itself." in told


def test_next_and_all_go_round_the_course(watching: Terminal, course: Path) -> None:
    told = answers(watching, lambda: watching.type("n"))
    assert "doubling.py" in told
    begin = len(watching.told)
    watching.type("a")
    assert "Course: doubling 0 of 1" in watching.until(KEYS, begin=begin)
    answers(watching, lambda: plainly(course / "doubling.py", RIGHT + "# done\n"))
    begin = len(watching.told)
    watching.type("n")
    watching.until("Nothing is left", begin=begin)
    watching.type("h")
    watching.until("No criterion", begin=begin)


def test_a_file_that_goes_and_comes_back(watching: Terminal, course: Path) -> None:
    watching.quiet()
    begin = len(watching.told)
    (course / "doubling.py").unlink()
    assert "doubling no file" in watching.until(KEYS, begin=begin)
    assert "doubling.py is not there any more." in watching.told[begin:]
    told = answers(watching, lambda: plainly(course / "doubling.py", RIGHT))
    assert "doubling passed" in told


def test_a_changed_check_is_used_at_once(watching: Terminal, course: Path) -> None:
    changed = CHECKS.replace("6.0", "7.0")
    told = answers(watching, lambda: plainly(course / "assignments/doubling/checks_public.py", changed))
    assert "0 of 1 public checks passed" in told


def test_q_ends_it_the_terminal_is_as_before_and_nothing_was_written(watching: Terminal, course: Path) -> None:
    assert watching.settings() != watching.before
    watching.type("q")
    assert watching.process.wait(timeout=PATIENCE_S) == 0
    assert watching.settings() == watching.before
    left = {path.relative_to(course).as_posix() for path in course.rglob("*")} - {"home"}
    assert {name for name in left if not name.startswith(("assignments", "reference"))} == {
        "doubling.py", "doubling.ipynb",
    }  # fmt: skip
    assert not any("__pycache__" in name for name in left)


@pytest.mark.parametrize("ending", ["\x03", signal.SIGTERM])
def test_ctrl_c_and_a_request_to_end_are_clean(ending: str | signal.Signals, course: Path) -> None:
    terminal = Terminal(course, course / "home", "check", "doubling.py", "--watch")
    try:
        terminal.until("Watching")  # the engine still imports
        if isinstance(ending, str):
            terminal.type(ending)
        else:
            terminal.process.send_signal(ending)
        assert terminal.process.wait(timeout=PATIENCE_S) == 130
        terminal.quiet()
        assert "interrupted" in terminal.told
        assert "Traceback" not in terminal.told
        assert terminal.settings() == terminal.before
    finally:
        terminal.close()


def test_without_a_terminal_there_are_no_keys_and_no_colour(course: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(course / "home"), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "check", "doubling.py", "--watch"],
        cwd=course, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    told = ""
    for line in process.stdout:
        told += line
        if line.startswith("Course:"):
            break
    process.send_signal(signal.SIGINT)
    told += process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=PATIENCE_S) == 130
    assert KEYS not in told
    assert "\x1b" not in told


def test_without_the_library_one_sentence_says_what_to_install(course: Path, tmp_path: Path) -> None:
    (tmp_path / "watchfiles.py").write_text("raise ImportError\n")
    ran = subprocess.run(
        [sys.executable, "-m", "grader", "check", "--watch"],
        cwd=course, env={"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}, capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert "pip install 'attention-grader[watch]'" in ran.stderr
