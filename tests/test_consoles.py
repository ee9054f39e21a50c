"""Consoles of any encoding and width: no command fails over a character, and Ctrl-C leaves no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

COMMANDS = [
    ["--help"],
    ["list"],
    ["hint", "doubling"],
    ["hint", "doubling", "values", "--step", "3"],
    ["check", "没有.py"],
    ["没有"],
    ["grade", "没有.py", "-a", "加倍"],
]


def environment(home: Path, encoding: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding,
            "LC_ALL": "C", "NO_COLOR": "1", "COLUMNS": "20", "OMP_NUM_THREADS": "1"}  # fmt: skip


ALL = """
import sys
from grader.cli import main
for words in {commands!r}:
    print("exit", int(main([*words, "--lang", {lang!r}])), flush=True)
"""


@pytest.mark.parametrize("encoding", ["gbk", "cp1252", "ascii", "utf-8"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_word_can_be_said_on_every_console(encoding: str, lang: str, course_root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ALL.format(commands=COMMANDS, lang=lang)],
        cwd=course_root, env=environment(course_root, encoding), capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in ran.stderr, ran.stderr.decode(errors="replace")
    codes = [line for line in ran.stdout.decode(encoding).splitlines() if line.startswith("exit")]
    assert codes == ["exit 0"] * 4 + ["exit 2"] * 3
    told = "加倍" if lang == "zh" else "Doubling"
    assert told.encode(encoding, "backslashreplace").decode(encoding) in ran.stdout.decode(encoding)


@pytest.mark.parametrize("words", [["check", "doubling.py"], ["grade", "doubling.py", "-a", "doubling", "--practice"]])
def test_ctrl_c_in_the_midst_of_a_run_is_130_and_one_line(words: list[str], course_root: Path) -> None:
    (course_root / "assignments/doubling/checks_public.py").write_text("")
    (course_root / "doubling.py").write_text("while True:\n    pass\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", *words], cwd=course_root, env=environment(course_root, "utf-8"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    said = process.stderr.readline()  # it is on its way
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said
    assert "Traceback" not in rest
    assert rest.splitlines()[-1] == "grader: interrupted"
