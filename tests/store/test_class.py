"""A class over its whole life: graded, interrupted, changed, marked by hand, published, forgotten."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.document import without_durations
from tests.store.conftest import ROOT, Class

YAML = "assignments/doubling/assignment.yaml"


def change(class_: Class, name: str, old: str, new: str) -> None:
    path = class_.course / name
    text = path.read_text(encoding="utf-8")
    assert old in text or not old
    path.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")


class TestRunningAgain:
    def test_only_what_is_new_or_changed_is_run(self, class_: Class) -> None:
        assert class_.batch().code == 0
        assert class_.ran() == ["ana", "bo", "cy"]
        table = (class_.out / "grades.csv").read_bytes()
        assert class_.batch().code == 0
        assert class_.ran() == []
        assert (class_.out / "grades.csv").read_bytes() == table
        class_.hands_in("bo")
        class_.hands_in("di")
        class_.batch()
        assert class_.ran() == ["bo", "di"]
        assert class_.scores() == {"ana": "2.5", "bo": "2.5", "cy": "0.5", "di": "2.5"}

    def test_a_report_that_was_lost_is_written_again_and_one_that_left_goes(self, class_: Class) -> None:
        class_.batch()
        lost = class_.out / "reports" / "bo" / "report.md"
        text = lost.read_text()
        lost.unlink()
        for file in (class_.drop / "cy").iterdir():
            file.unlink()
        (class_.drop / "cy").rmdir()
        class_.ran()
        class_.batch()
        assert lost.read_text() == text
        assert sorted(path.name for path in (class_.out / "reports").iterdir()) == ["ana", "bo"]
        assert class_.ran() == []

    @pytest.mark.parametrize(
        ("old", "new", "scores"),
        [("marks: 2", "marks: 4", {"ana": "4.5", "bo": "2.5", "cy": "0.5"}),
         ("marks: 2", "marks: 2\n    all_or_nothing: true", {"ana": "2.5", "bo": "0.5", "cy": "0.5"}),
         ("Every entry is doubled", "Twice", {"ana": "2.5", "bo": "1.5", "cy": "0.5"})],
    )  # fmt: skip
    def test_a_changed_rubric_or_text_runs_no_code(
        self, class_: Class, old: str, new: str, scores: dict[str, str]
    ) -> None:
        class_.batch()
        class_.ran()
        change(class_, YAML, old, new)
        class_.batch()
        assert class_.ran() == []
        assert class_.scores() == scores
        report = json.loads((class_.out / "reports" / "bo" / "report.json").read_text())
        assert report["score"] == float(scores["bo"])
        assert ("Twice" in [c["title"] for c in report["criteria"]]) == (new == "Twice")

    def test_a_changed_check_runs_everybody_and_a_comment_in_it_nobody(self, class_: Class) -> None:
        class_.batch()
        class_.ran()
        change(class_, "reference/doubling/checks.py", "", "# a comment\n")
        class_.batch()
        assert class_.ran() == []
        change(class_, "reference/doubling/checks.py", "", "LIMIT = 3\n")
        class_.batch()
        assert class_.ran() == ["ana", "bo", "cy"]

    def test_another_seed_or_assignment_never_mixes_with_what_is_there(self, class_: Class) -> None:
        first = class_.batch("--seed", 5)
        again = class_.batch()
        told = [line for line in (first.err + again.err).splitlines() if line.startswith("seed sha256")]
        assert len(told) == 2 and len(set(told)) == 1
        table = (class_.out / "grades.csv").read_bytes()
        refused = class_.batch("--seed", 6)
        assert refused.code == 2 and "another seed" in refused.err
        assert (class_.out / "grades.csv").read_bytes() == table

    def test_a_hand_in_that_cannot_be_read_is_asked_about_and_counts_for_nothing(self, class_: Class) -> None:
        (class_.drop / "ed").mkdir()
        (class_.drop / "ed" / "doubling.py").write_bytes(b"")
        assert class_.batch().code == 1
        assert class_.table()["ed"]["status"] == "not_gradable"
        class_.ran()
        assert class_.batch().code == 1
        assert class_.ran() == []


class TestKilled:
    def state(self, out: Path) -> dict[str, object]:
        reports = sorted(out.glob("reports/*/report.json"))
        state: dict[str, object] = {
            str(path.relative_to(out)): without_durations(json.loads(path.read_text())) for path in reports
        }
        return {**state, "grades": (out / "grades.csv").read_bytes()}

    @pytest.mark.parametrize("moment", [1, 3, 6])
    def test_killed_and_run_again_it_ends_as_if_undisturbed(self, class_: Class, moment: int) -> None:
        for number in range(4):
            class_.hands_in(f"s{number}", takes=0.05)
        undisturbed = class_.out.with_name("undisturbed")
        class_.batch("--seed", 5, out=undisturbed)
        class_.ran()
        command = [sys.executable, "-m", "tests.store.plain_class", "--course", str(class_.course), "--lang", "en",
                   "batch", str(class_.drop), "-a", "doubling", "-o", str(class_.out), "--jobs", "1", "--seed", "5"]  # fmt: skip
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              start_new_session=True) as process:  # fmt: skip
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith(f"graded {moment} "):
                    break
            os.killpg(process.pid, signal.SIGKILL)
        before = class_.ran()
        assert class_.batch().code == 0
        assert len(class_.ran()) <= 7 - moment  # at most the one in hand was begun twice
        assert len(before) >= moment
        assert self.state(class_.out) == self.state(undisturbed)


class TestInterrupted:
    @pytest.fixture
    def interrupted(self, class_: Class) -> Callable[[int], tuple[int, str]]:
        """A run that gets Ctrl-C after so many submissions: its exit code, and what it told."""
        command = [sys.executable, "-m", "tests.store.plain_class", "--course", str(class_.course), "--lang", "en",
                   "batch", str(class_.drop), "-a", "doubling", "-o", str(class_.out), "--jobs", "1", "--seed", "5"]  # fmt: skip

        def run(moment: int) -> tuple[int, str]:
            with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                  start_new_session=True) as process:  # fmt: skip
                assert process.stderr is not None
                told = ""
                for line in process.stderr:
                    told += line
                    if line.startswith(f"graded {moment} "):
                        os.killpg(process.pid, signal.SIGINT)
            return process.returncode, told

        return run

    def test_what_is_done_is_in_the_tables_and_a_second_run_goes_on(
        self, class_: Class, interrupted: Callable[[int], tuple[int, str]]
    ) -> None:
        for number in range(4):
            class_.hands_in(f"s{number}", takes=0.3)
        undisturbed = class_.out.with_name("undisturbed")
        class_.batch("--seed", 5, out=undisturbed)
        class_.ran()
        code, told = interrupted(4)
        assert code == 130 and "Traceback" not in told, told
        assert "4 are in" in told and "3 wait for the same command" in told
        assert len(class_.scores()) == 4
        assert (class_.out / "index.html").is_file() and len(list((class_.out / "reports").iterdir())) == 4
        before = class_.ran()
        assert class_.batch().code == 0
        assert len(class_.ran()) == 3 and len(before) in (4, 5)
        assert (class_.out / "grades.csv").read_bytes() == (undisturbed / "grades.csv").read_bytes()

    def test_tables_by_old_checks_are_never_mixed_with_new_marks(
        self, class_: Class, interrupted: Callable[[int], tuple[int, str]]
    ) -> None:
        class_.batch("--seed", 5)
        table = (class_.out / "grades.csv").read_bytes()
        for number in range(4):
            class_.hands_in(f"s{number}", takes=0.3)
        change(class_, "reference/doubling/checks.py", "", "LIMIT = 3\n")
        code, told = interrupted(2)
        assert code == 130 and "stay as they were" in told
        assert (class_.out / "grades.csv").read_bytes() == table


class TestMarkedByHand:
    def test_a_persons_mark_stands_beside_the_machines_and_survives_regrades(self, class_: Class) -> None:
        class_.batch()
        done = class_.run("override", class_.out, "bo", "--criterion", "values=1.75", "--why", "read it", "--who", "TA",
                          "--comment", "Well argued.")  # fmt: skip
        assert done.code == 0
        assert "bo: 2.25 / 2.5 (the checks gave 1.5)" in done.out
        assert class_.scores() == {"ana": "2.5", "bo": "2.25", "cy": "0.5"}
        assert class_.table()["bo"]["values"] == "1.75"
        assert "Well argued." in (class_.out / "reports" / "bo" / "report.md").read_text()
        change(class_, "reference/doubling/checks.py", "", "LIMIT = 3\n")
        class_.run("regrade", class_.out)
        assert class_.scores()["bo"] == "2.25"
        class_.run("override", class_.out, "bo", "--score", "0.25", "--why", "no")
        assert class_.scores()["bo"] == "0.25"
        class_.run("override", class_.out, "bo", "--clear", "--why", "a mistake")
        assert class_.scores()["bo"] == "1.5"
        assert "A person" not in (class_.out / "reports" / "bo" / "report.md").read_text()

    def test_what_could_not_be_graded_can_be_marked(self, class_: Class) -> None:
        (class_.drop / "ed").mkdir()
        (class_.drop / "ed" / "doubling.py").write_bytes(b"")
        class_.batch()
        class_.run("override", class_.out, "ed", "--score", "2", "--why", "shown to me on paper")
        assert (class_.table()["ed"]["status"], class_.scores()["ed"]) == ("graded", "2")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [(("nobody", "--score", "1", "--why", "x"), "no student 'nobody'"),
         (("bo", "--score", "3", "--why", "x"), "from 0 to 2.5"),
         (("bo", "--score", "nan", "--why", "x"), "no number"),
         (("bo", "--criterion", "valves=1", "--why", "x"), "did you mean 'values'"),
         (("bo", "--why", "x"), "nothing to change"),
         (("bo", "--score", "1", "--why", " "), "--why")],
    )  # fmt: skip
    def test_what_makes_no_sense_is_refused(self, class_: Class, arguments: tuple[str, ...], said: str) -> None:
        class_.batch()
        refused = class_.run("override", class_.out, *arguments)
        assert refused.code == 2
        assert said in refused.err
        assert class_.scores()["bo"] == "1.5"


class TestPublished:
    @pytest.fixture
    def published(self, class_: Class) -> Class:
        class_.batch()
        assert "published 3 more, 3 in all" in class_.run("publish", class_.out).out
        class_.ran()
        return class_

    def test_nothing_but_a_regrade_moves_a_published_mark(self, published: Class) -> None:
        change(published, YAML, "marks: 2", "marks: 4")
        change(published, "reference/doubling/checks.py", "", "LIMIT = 3\n")
        published.hands_in("bo")
        published.hands_in("di")
        published.batch()
        assert published.ran() == ["di"]
        assert published.scores() == {"ana": "2.5", "bo": "1.5", "cy": "0.5", "di": "4.5"}
        published.run("override", published.out, "cy", "--score", "1", "--why", "x")
        assert published.scores()["cy"] == "0.5"
        moved = published.run("regrade", published.out)
        assert published.ran() == ["ana", "bo", "cy"]  # the new one was graded with the new checks already
        assert published.scores() == {"ana": "4.5", "bo": "4.5", "cy": "1", "di": "4.5"}
        assert "bo: 1.5 / 2.5 -> 4.5 / 4.5 (+3)" in moved.out
        assert "values: 1 -> 4: checks.py::test_values[1] failed -> passed" in moved.out
        assert published.run("publish", published.out).out.startswith("published 1 more, 4 in all")

    def test_a_published_mark_falls_only_where_that_is_allowed(self, published: Class) -> None:
        table = (published.out / "grades.csv").read_bytes()
        report = published.out / "reports" / "ana" / "report.json"
        told = report.read_bytes()
        published.hands_in("ana", values=["failed", "failed"])
        refused = published.run("regrade", published.out)
        assert refused.code == 1
        assert "ana: 2.5 / 2.5 -> 0.5 / 2.5 (-2)" in refused.out
        assert "--allow-lower" in refused.err
        assert (published.out / "grades.csv").read_bytes() == table
        assert report.read_bytes() == told
        published.batch()
        assert published.scores()["ana"] == "2.5"
        assert published.run("regrade", published.out, "--allow-lower").code == 0
        assert published.scores()["ana"] == "0.5"

    def test_practice_is_never_published(self, class_: Class) -> None:
        class_.batch("--practice")
        refused = class_.run("publish", class_.out)
        assert refused.code == 2 and "practice" in refused.err

    def test_a_regrade_says_where_the_class_should_be(self, published: Class) -> None:
        published.drop.rename(published.drop.with_name("moved"))
        refused = published.run("regrade", published.out)
        assert refused.code == 2 and "--drop" in refused.err
        assert published.run("regrade", published.out, "--drop", published.drop.with_name("moved")).code == 0


def test_diff_tells_who_stands_differently_and_why(class_: Class) -> None:
    other = class_.out.with_name("other")
    class_.batch("--seed", 5)
    assert class_.run("diff", class_.out, class_.out).code == 0
    class_.hands_in("cy", values=["passed", "failed"])
    class_.batch("--seed", 5, out=other)
    told = class_.run("diff", class_.out, other)
    assert told.code == 1
    assert told.out.splitlines() == [
        "cy: 0.5 / 2.5 -> 1.5 / 2.5 (+1)", "  values: 0 -> 1: checks.py::test_values[0] failed -> passed", "1 moved"
    ]  # fmt: skip


class TestParts:
    def test_the_parts_of_a_class_merge_into_what_one_run_gives(self, class_: Class) -> None:
        (class_.course.parent / "roster.csv").write_text("student_id,name\nana,Ana A\nbo,\ncy,\nzed,Zed Z\nyan,\n")
        more = ("--seed", 5, "--roster", class_.course.parent / "roster.csv")
        parts = [class_.out.with_name(f"part{n}") for n in (1, 2)]
        for number, part in enumerate(parts, 1):
            class_.batch(*more, "--shard", f"{number}/2", out=part)
        assert class_.ran() == ["ana", "bo", "cy"]
        class_.batch(*more)
        class_.ran()
        merged = class_.out.with_name("merged")
        assert class_.run("merge", merged, *parts).code == 0
        assert (merged / "grades.csv").read_bytes() == (class_.out / "grades.csv").read_bytes()
        assert sorted(p.name for p in (merged / "reports").iterdir()) == ["ana", "bo", "cy"]
        assert class_.batch(*more, out=merged).code == 0
        assert class_.ran() == []

    def test_what_does_not_belong_together_is_refused(self, class_: Class) -> None:
        first, second = class_.out.with_name("1"), class_.out.with_name("2")
        class_.batch("--seed", 5, "--shard", "1/3", out=first)
        class_.batch("--seed", 6, "--shard", "2/3", out=second)
        for parts, said in (((first, second), "another seed"), ((first, first), "another part"), ((first,), "not all")):
            merged = class_.out.with_name("merged" + said[:3])
            refused = class_.run("merge", merged, *parts)
            assert refused.code == 2 and said in refused.err
            assert not (merged / "grades.csv").exists()
        for shard, said in (("3/2", "i/n"), ("x", "i/n"), ("1/2", "--seed")):
            refused = class_.batch("--shard", shard)
            assert refused.code == 2 and said in refused.err


class TestGone:
    @pytest.fixture
    def holds(self, class_: Class) -> Callable[[str], list[str]]:
        """The files below OUT in which the bytes of a word stand."""
        return lambda word: sorted(
            str(path.relative_to(class_.out))
            for path in class_.out.rglob("*")
            if word in str(path) or (path.is_file() and word.encode() in path.read_bytes())
        )

    def test_forgotten_is_forgotten_everywhere(self, class_: Class, holds: Callable[[str], list[str]]) -> None:
        class_.hands_in("zoelle-77", values=["passed", "failed"])
        (class_.course.parent / "roster.csv").write_text(
            "student_id,name,email\nana,,\nbo,,\ncy,,\nzoelle-77,Zoe Quux,quux@example.org\n"
        )
        class_.batch("--roster", class_.course.parent / "roster.csv")
        class_.run("override", class_.out, "zoelle-77", "--score", "1", "--why", "Quuxish", "--comment", "Quuxly")
        class_.run("publish", class_.out)
        assert holds("zoelle-77") and holds("Quux")
        done = class_.run("forget", class_.out, "zoelle-77")
        assert done.code == 0, done.err
        assert holds("zoelle-77") == holds("Quux") == holds("quux@") == []
        assert class_.scores() == {"ana": "2.5", "bo": "1.5", "cy": "0.5"}
        assert class_.run("forget", class_.out, "zoelle-77").code == 2

    def test_a_file_of_somebody_elses_making_is_pointed_at(self, class_: Class) -> None:
        class_.hands_in("zoelle-77")
        class_.batch()
        (class_.out / "mine.txt").write_text("zoelle-77 was late\n")
        done = class_.run("forget", class_.out, "zoelle-77")
        assert done.code == 1 and "mine.txt" in done.err

    def test_purge_takes_those_graded_before_a_day(self, class_: Class) -> None:
        class_.batch()
        assert class_.run("purge", class_.out, "--before", "2020-01-01").out == "nobody to remove\n"
        assert class_.scores().keys() == {"ana", "bo", "cy"}
        assert class_.run("purge", class_.out, "--before", "soon").code == 2
        assert class_.run("purge", class_.out, "--before", "2999-01-01").code == 0
        assert class_.scores() == {}
        assert list((class_.out / "reports").iterdir()) == []

    def test_pseudonyms_name_nobody_outside_the_private_map(
        self, class_: Class, holds: Callable[[str], list[str]]
    ) -> None:
        class_.hands_in("zoelle-77")
        class_.batch("--pseudonyms")
        folders = [path.name for path in (class_.out / "reports").iterdir()]
        assert len(folders) == 4
        assert [name for name in holds("zoelle-77") if name.startswith("reports")] == []
        private = class_.out / "private" / "pseudonyms.csv"
        assert "zoelle-77" in private.read_text() and all(name in private.read_text() for name in folders)
        assert private.stat().st_mode & 0o077 == 0
        class_.run("forget", class_.out, "zoelle-77")
        assert holds("zoelle-77") == []
