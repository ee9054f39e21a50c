"""What a student may see before and after the deadline, and how often: pushes are no oracle."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.catalog import load_course
from grader.commands.ci_feedback import Rules, Shown, settle
from grader.errors import CourseError, UsageError

BEFORE, AFTER = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC)
TERM = (
    "deadline: 2026-03-02T00:00:00+08:00\ngrace: 10 min\nper_day: 10%\nextensions: {ana: 2026-03-05T00:00:00+08:00}\n"
)


@pytest.fixture
def shown(course_root: Path, edit, tmp_path: Path):
    edit("assignments/course.yaml", "after_release: full}", "after_release: full, hidden_runs_per_day: 2}")
    course = load_course(course_root)
    (tmp_path / "term.yaml").write_text(TERM)
    rules = Rules(term=tmp_path / "term.yaml", ledger=tmp_path / "ledger.json")

    def ask(head: str, now: datetime = BEFORE, student: str = "wei", **more: object) -> Shown:
        found = settle(replace(course, **more.pop("course", {})), replace(rules, **more), student, head, now)  # type: ignore[arg-type]
        found.note_run()
        return found

    return ask


def test_the_runs_of_a_day_are_counted_by_student_and_commit(shown):
    assert [shown(head).level for head in ("a", "b", "c")] == ["criteria", "criteria", "public"]
    assert shown("b").level == "criteria"  # the same commit again tells nothing new
    assert shown("c", student="ana").level == "criteria"
    assert shown("d", datetime(2026, 3, 1, 15, 59, tzinfo=UTC)).level == "public"
    # The day is the deadline's own: midnight in its zone.
    assert shown("d", datetime(2026, 3, 1, 16, 1, tzinfo=UTC)).level == "criteria"


def test_a_run_that_is_not_shown_is_not_counted_and_says_why(shown, tmp_path: Path):
    for head in ("a", "b"):
        shown(head)
    before = (tmp_path / "ledger.json").read_text()
    (note,) = shown("c").notes
    assert "2 of today's 2" in note.en and "2" in note.zh
    assert (tmp_path / "ledger.json").read_text() == before


def test_after_the_last_deadline_all_may_be_seen_as_often_as_one_likes(shown):
    extended = datetime(2026, 3, 3, tzinfo=UTC)  # past the deadline of all but one
    assert shown("a", extended).level == "criteria"
    for head in ("b", "c", "d"):
        assert shown(head, AFTER).level == "full"


def test_a_course_that_limits_runs_needs_to_know_where_they_are_counted(shown, tmp_path: Path):
    with pytest.raises(UsageError, match="--ledger FILE"):
        shown("a", ledger=None)
    assert shown("a", ledger=None, course={"before_deadline": "public"}).level == "public"
    assert shown("a", ledger=None, course={"hidden_runs_per_day": 0}).level == "criteria"
    for text in ("{", "[]", '{"schema": "x"}', '{"schema": "grader.runs/1", "runs": [{"day": "1"}]}'):
        (tmp_path / "ledger.json").write_text(text)
        with pytest.raises(UsageError, match="no ledger"):
            shown("a")


def test_old_runs_are_forgotten(shown, tmp_path: Path):
    shown("a", datetime(2026, 2, 1, tzinfo=UTC))
    shown("b")
    runs = json.loads((tmp_path / "ledger.json").read_text())["runs"]
    assert [run["head"] for run in runs] == ["b"]


def test_the_time_of_the_push_is_the_servers(shown):
    late = shown("a", handed_in="2026-03-03T12:00:00+08:00").late
    assert late is not None and late.handed_in("wei", "wei").when == "2026-03-03T12:00:00+08:00"
    with pytest.raises(UsageError, match="is no time"):
        shown("a", handed_in="yesterday")
    with pytest.raises(UsageError, match="--term"):
        shown("a", term=None, handed_in="2026-03-03T12:00:00+08:00")


def test_the_limit_is_a_whole_number(course_root: Path, edit):
    edit("assignments/course.yaml", "after_release: full}", "after_release: full, hidden_runs_per_day: many}")
    with pytest.raises(CourseError, match="hidden_runs_per_day"):
        load_course(course_root)
