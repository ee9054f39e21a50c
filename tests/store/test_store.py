"""The file itself: what is written stays, newer files are refused, deleted bytes are gone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.store import HandedIn, Kept, Override, Published, Seat, open_store
from grader.store.schema import STEPS, bring_up_to_date

ROOT = Path(__file__).resolve().parents[2]


def kept(submission: str, status: str = "graded", digest: str = "d", conditions: str = "c") -> Kept:
    document = {"submission": {"id": submission}, "status": status, "score": 1.0}
    return Kept(submission, conditions, digest, "r", document, 0.5, "2026-09-30T10:00:00+00:00")


def test_what_was_kept_is_there_after_the_process_was_killed(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from grader.store import open_store, Kept\n"
        "store = open_store(Path(sys.argv[1]), new=True)\n"
        "store.note({'seed': '7'})\n"
        "store.keep(Kept('ana', 'c', 'd', 'r', {'status': 'graded'}, 0.5, 'now'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode == -9
    with open_store(tmp_path) as store:
        assert store.graded("c") == {("ana", "d")}
        assert store.fact("seed") == "7"


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with open_store(tmp_path, new=True), pytest.raises(UsageError, match="another grader is at work"):
        open_store(tmp_path)
    open_store(tmp_path).close()


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "grades.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = (tmp_path / "grades.sqlite").read_bytes()
    with pytest.raises(UsageError, match="newer version"):
        open_store(tmp_path)
    after = sqlite3.connect(tmp_path / "grades.sqlite")
    assert after.execute("PRAGMA user_version").fetchone() == (99,)
    assert after.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,)
    after.close()
    assert before


def test_an_older_file_takes_the_steps_it_lacks_and_keeps_its_rows(tmp_path: Path) -> None:
    with open_store(tmp_path, new=True) as store:
        store.note({"seed": "7"})
    database = sqlite3.connect(tmp_path / "grades.sqlite", isolation_level=None)
    steps = (*STEPS, "ALTER TABLE facts ADD COLUMN more TEXT NOT NULL DEFAULT 'x'")
    bring_up_to_date(database, "grades.sqlite", steps)
    bring_up_to_date(database, "grades.sqlite", steps)
    assert database.execute("SELECT name, value, more FROM facts").fetchall() == [("seed", "7", "x")]
    with pytest.raises(sqlite3.OperationalError):
        bring_up_to_date(database, "grades.sqlite", (*steps, "CREATE TABLE half (a); CREATE TABLE facts (b)"))
    database.rollback()
    assert database.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchall() == []
    database.close()


@pytest.mark.parametrize("content", [b"no database at all " * 100, b"SQLite format 3\0" + bytes(4000)])
def test_what_is_no_store_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "grades.sqlite").write_bytes(content)
    with pytest.raises(UsageError, match=r"grades\.sqlite"):
        open_store(tmp_path)
    with pytest.raises(UsageError, match="holds no grades"):
        open_store(tmp_path / "nowhere")


def test_our_own_failures_are_graded_again(tmp_path: Path) -> None:
    with open_store(tmp_path, new=True) as store:
        store.keep(kept("ana"))
        store.keep(kept("bo", "grader_fault"))
        store.keep(kept("cy", conditions="others"))
        assert store.graded("c") == {("ana", "d")}


def test_a_transaction_that_fails_leaves_the_class_as_it_was(tmp_path: Path) -> None:
    with open_store(tmp_path, new=True) as store:
        store.put_class([HandedIn("ana", "c", "d")], [Seat("ana", "ana")])
        with pytest.raises(TypeError), store.transaction():
            store.put_class([], None)  # type: ignore[arg-type]
        assert [each.submission for each in store.handed_in()] == ["ana"]
        assert store.seats() == [Seat("ana", "ana")]


def test_forgotten_bytes_are_in_no_file(tmp_path: Path) -> None:
    with open_store(tmp_path, new=True) as store:
        for name in ("secretive-ana", "bo"):
            store.keep(kept(name))
            store.override(Override(name, "", Fraction(1), "why", "who", "now"))
            store.publish([Published(name, name, "{}", "now")], [{"submission": {"id": name}}])
        store.put_class([HandedIn(n, "c", "d") for n in ("secretive-ana", "bo")],
                        [Seat(n, n, f"{n} name") for n in ("secretive-ana", "bo")])  # fmt: skip
        assert any(b"secretive" in path.read_bytes() for path in tmp_path.iterdir())
        with store.transaction():
            store.forget("secretive-ana", "secretive-ana", alone=True)
        store.wipe()
        assert [each.submission for each in store.handed_in()] == ["bo"]
        assert [path.name for path in tmp_path.iterdir() if b"secretive" in path.read_bytes()] == []
    assert [path.name for path in tmp_path.iterdir() if b"secretive" in path.read_bytes()] == []
