"""A late policy: what its file may say, and how many days late a hand-in is where clocks are turned."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.errors import CourseError
from grader.late import HandedIn, Source, Term, lateness, term_from
from grader.late.written import written
from grader.scoring import LateRule, late_penalty, less

BERLIN = "zone: Europe/Berlin\nper_day: 10%\n"


def term(text: str) -> Term:
    return term_from(text.encode(), "term.yaml")


def days(policy: Term, when: str, student: str = "ana", source: Source = Source.LMS) -> int:
    return lateness(policy, student, HandedIn(source, when)).days


@pytest.mark.parametrize(
    ("came", "late"),
    [("2026-03-01T23:59:00+08:00", 0), ("2026-03-01T16:08:59Z", 0), ("2026-03-01T16:09:01Z", 1),
     ("2026-03-02 23:59:00", 1), ("2026-03-02 23:59:01", 2), ("2026-03-02 15:59:00 UTC", 1),
     ("2026-03-03 00:00:00 +0800", 2), ("2026-02-01 00:00", 0), ("", 0)],
)  # fmt: skip
def test_days_begin_at_the_deadline_once_the_grace_is_over(came: str, late: int) -> None:
    assert days(term("deadline: 2026-03-01T23:59:00+08:00\ngrace: 10 min\nper_day: 10%\n"), came) == late


@pytest.mark.parametrize(
    ("deadline", "came", "late"),
    [("2026-10-24 23:59", "2026-10-25T22:58:00Z", 1),  # the day has 25 hours
     ("2026-10-24 23:59", "2026-10-25T23:00:00Z", 2),
     ("2026-03-28 23:59", "2026-03-29T21:59:00Z", 1),  # and this one 23
     ("2026-03-28 23:59", "2026-03-29T22:00:00Z", 2),
     ("2026-10-25 02:30", "2026-10-25T01:30:00Z", 0),  # half past two is there twice: the later one is meant
     ("2026-10-25 02:30", "2026-10-25T01:31:00Z", 1),
     ("2026-10-25 02:15", "2026-10-25 02:30", 0),  # and of a hand-in that tells no zone, the earlier one
     ("2026-10-24 02:30", "2026-10-26T01:30:00Z", 2)],
)  # fmt: skip
def test_a_day_ends_when_the_clocks_show_the_same_again(deadline: str, came: str, late: int) -> None:
    assert days(term(f"{BERLIN}deadline: {deadline}\n"), came) == late


def test_an_extension_is_a_deadline_of_its_own() -> None:
    policy = term(f"{BERLIN}deadline: 2026-10-24 23:59\nextensions:\n  ana: 2 days\n  '007': 2026-10-30 12:00\n"
                  "  bo: 2 h\n")  # fmt: skip
    assert [days(policy, "2026-10-26 23:59", who) for who in ("ana", "007", "bo", "cy")] == [0, 0, 2, 2]
    assert days(policy, "2026-10-25 01:59", "bo") == 0
    assert "with an extension" in lateness(policy, "ana", HandedIn(Source.LMS, "2026-10-26 23:59")).note.en


def test_a_mark_without_a_time_counts_as_the_term_says_and_an_extension_asks_a_person() -> None:
    policy = term("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nlate_mark: 2 days\nextensions: {bo: 1 day}\n")
    assert (days(policy, "", source=Source.LATE_MARK), days(policy, "", "bo", Source.LATE_MARK)) == (2, 0)
    assert "please look" in lateness(policy, "bo", HandedIn(Source.LATE_MARK)).note.en
    assert days(policy, "", source=Source.NONE) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "term.yaml:1:1: a term is written as keys"),
     ("per_day: 10%\n", "deadline is missing"),
     ("deadline: 2026-03-01T23:59+08:00\n", "per_day is missing"),
     ("deadline: 2026-03-01\nper_day: 10%\n", "term.yaml:1:11: deadline: '2026-03-01' is no time"),
     ("deadline: 2026-03-01 23:59\nper_day: 10%\n", "add a line zone"),
     ("deadline: 2026-03-29 02:30\nzone: Europe/Berlin\nper_day: 10%\n", "skip 2026-03-29 02:30"),
     ("deadline: 2026-03-01T23:59+08:00\nzone: Asia/Shangai\nper_day: 10%\n", "did you mean Asia/Shanghai"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10\n", "term.yaml:2:10: per_day: '10' is no share"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\ncap: 120%\n", "term.yaml:3:6: cap: '120%' is no share"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\ngrace: 10\n", "term.yaml:3:8: grace: '10' is no length"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nof: all\n", "term.yaml:3:5: of: write maximum"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nextension: {}\n", "term.yaml:3:1: there is no key 'extension'"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nextensions:\n  ana: 2026-02-01T00:00Z\n",
      "term.yaml:4:8: extensions.ana: '2026-02-01T00:00Z' ends before"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nextensions:\n  ana: soon\n", "term.yaml:4:8: extensions.ana"),
     ("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nper_day: 20%\n", "stands here twice")],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(CourseError) as wrong:
        term(text)
    assert said in "\n".join(wrong.value.problems)


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(CourseError) as wrong:
        term("deadline: x\nper_day: y\ngrace: z\n")
    assert len(wrong.value.problems) == 3


@pytest.mark.parametrize(
    ("text", "iso"),
    [("Friday, 6 March 2026, 11:59 PM", "2026-03-06T23:59:00"), ("Friday, March 6, 2026, 12:05 AM", "2026-03-06T00:05:00"),
     ("2026年03月6日 星期五 23:59", "2026-03-06T23:59:00"), ("2026年3月6日 星期五 下午 11:59", "2026-03-06T23:59:00"),
     ("2015-02-02 15:58:23.948203 UTC", "2015-02-02T15:58:23.948203+00:00"),
     ("2026-03-06 23:59:12 -0800", "2026-03-06T23:59:12-08:00"), ("2026-03-06T23:59:12.5Z", "2026-03-06T23:59:12.500000+00:00"),
     ("6 Brumaire 2026, 10:00", None), ("31 February 2026, 10:00", None), ("2026-03-06", None), ("soon", None)],
)  # fmt: skip
def test_times_are_read_as_platforms_write_them(text: str, iso: str | None) -> None:
    found = written(text)
    assert (found.isoformat() if found else None) == iso


@pytest.mark.parametrize(
    ("rule", "late", "left"),
    [(LateRule(Fraction(1, 10)), 2, "13"), (LateRule(Fraction(1, 10), Fraction(3, 20)), 5, "14"),
     (LateRule(Fraction(1, 10), of_earned=True), 1, "15.3"), (LateRule(Fraction(1, 3)), 9, "0"),
     (LateRule(Fraction(1, 10)), 0, "17")],
)  # fmt: skip
def test_a_penalty_is_a_share_up_to_the_cap_and_never_more_than_was_earned(
    rule: LateRule, late: int, left: str
) -> None:
    assert less(Fraction(17), late_penalty(Fraction(17), Fraction(20), rule, late)) == Fraction(left)
