"""A class in groups, and what its criteria tell of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from grader.gradebook.items import Items, correlation
from grader.gradebook.standings import standings_of
from grader.gradebook.triage import Triage
from grader.reports.class_page import render


def document(name: str, points: dict[str, float], **more: Any) -> dict[str, Any]:
    criteria = [{"id": c, "title": f"Title {c}", "points": p, "max_points": 2.0, "hint": ""} for c, p in points.items()]
    return {
        "assignment": "doubling", "title": "Doubling", "lang": "en", "status": "graded", "score": sum(points.values()),
        "max_score": 2.0 * len(points), "reason": None, "isolation": {"level": "isolated", "walls": []},
        "submission": {"id": name, "students": [name]}, "criteria": criteria, "diagnosis": [], "flags": [],
        "tests": [{"criterion": c, "outcome": "passed" if p == 2 else "failed"} for c, p in points.items()],
    } | more  # fmt: skip


def triaged(*documents: dict[str, Any], pseudonyms: bool = False) -> Triage:
    names = {each["submission"]["id"]: f"f-{at}" for at, each in enumerate(documents)}
    triage = Triage(names, pseudonyms=pseudonyms)
    for each in documents:
        triage.add(each, standings_of(each, {}, accounts={}))
    return triage


def finding(*faults: str, text: str = "Softmax over queries. Look at dim.") -> list[dict[str, Any]]:
    return [{"faults": list(faults), "function": "f", "text": text}]


def test_students_of_one_mistake_stand_together_and_groups_count_each_member() -> None:
    pair = document("g", {"a": 0, "b": 2}, diagnosis=finding("queries"), submission={"id": "g", "students": ["x", "y"]})
    facts = triaged(pair, document("ana", {"a": 0, "b": 2}, diagnosis=finding("queries")),
                    document("bo", {"a": 2, "b": 0}, diagnosis=finding("p", "q", text="One. Two."))).document()  # fmt: skip
    assert facts["mistakes"] == [
        {"faults": ["queries"], "text": "Softmax over queries.", "students": 3, "submissions": ["g", "ana"]},
        {"faults": ["p", "q"], "text": "One. Two.", "students": 1, "submissions": ["bo"]},
    ]
    assert [(f["students"], f["criteria"]) for f in facts["failures"]] == [
        (3, [{"id": "a", "outcomes": ["failed"]}]), (1, [{"id": "b", "outcomes": ["failed"]}])
    ]  # fmt: skip


def test_a_mistake_found_in_two_functions_of_one_student_counts_one() -> None:
    facts = triaged(document("ana", {"a": 0}, diagnosis=finding("queries") + finding("queries"))).document()
    assert [(group["students"], group["submissions"]) for group in facts["mistakes"]] == [(1, ["ana"])]


def test_a_blocked_test_is_no_way_to_fail_where_another_says_more() -> None:
    tests = [{"criterion": "a", "outcome": "blocked"}, {"criterion": "a", "outcome": "raised"}]
    facts = triaged(document("ana", {"a": 0}, tests=tests), document("bo", {"a": 0}, tests=tests[:1])).document()
    assert [f["criteria"][0]["outcomes"] for f in facts["failures"]] == [["raised"], ["blocked"]]


def test_what_a_person_has_to_look_at_and_what_not() -> None:
    flag = {"detail": "x", "costs": 0.0}
    facts = triaged(
        document("odd", {"a": 2}, flags=[{"kind": "network", **flag}]),
        document("fine", {"a": 2}, flags=[{"kind": "several_attempts", **flag}]),
        document("broken", {}, status="not_gradable", score=None, reason="it is empty", max_score=2.0),
        document("gone", {}, status="missing", score=None, reason="nothing", max_score=2.0),
    ).document()
    assert [(q["submission"], q["why"][0]["kind"]) for q in facts["quarantine"]] == [
        ("broken", "not_gradable"), ("odd", "network")
    ]  # fmt: skip
    assert facts["statuses"] == {"graded": 2, "not_gradable": 1, "missing": 1}


def test_criteria_that_all_or_none_hold_are_named_and_a_good_one_parts_the_class() -> None:
    items = Items()
    for at in range(12):
        good = 2.0 * (at >= 6)
        items.add(document(str(at), {"easy": 2, "hard": 0, "parts": good, "rest": at / 6}))
    found = {item.id: item for item in items.items()}
    assert [found[name].telling for name in ("easy", "hard", "parts")] == ["all", "none", ""]
    assert found["parts"].share == 0.5 and (found["parts"].full, found["parts"].of) == (6, 12)
    assert found["easy"].discrimination is None
    against = Items()
    for at in range(12):
        against.add(document(str(at), {"odd": 2.0 * (at < 6), "rest": at / 6}))
    assert against.items()[0].telling == "weak" and (against.items()[0].discrimination or 0) < 0


def test_the_discrimination_is_the_point_biserial_correlation_with_the_other_marks() -> None:
    """Worked by hand: right ones 4 and 6 of the rest, wrong ones 0 and 2; population deviation sqrt(5)."""
    found = correlation([1, 1, 0, 0], [4, 6, 0, 2])
    assert found is not None
    assert found == pytest.approx((5 - 1) / 5**0.5 * 0.5)
    assert correlation([1, 1], [0, 2]) is None


def test_of_few_submissions_nothing_is_said() -> None:
    items = Items()
    for at in range(9):
        items.add(document(str(at), {"a": 2.0 * (at % 2), "b": at / 8}))
    assert [item.discrimination for item in items.items()] == [None, None]


@pytest.mark.parametrize(("score", "bar"), [(0, 0), (0.39, 0), (0.4, 1), (4, 9)])
def test_every_mark_stands_in_one_bar(score: float, bar: int) -> None:
    facts = triaged(document("ana", {"a": score / 2, "b": score / 2})).document()
    assert [at for at, each in enumerate(facts["scores"]["bins"]) if each["count"]] == [bar]


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "a\u202eb",
    "李雷",
    "../x",
]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_are_text_in_the_page_and_nothing_is_loaded_from_anywhere(lang: str) -> None:
    documents = [document(name, {"a": 0}, diagnosis=finding(name, text=name), title=name,
                          flags=[{"kind": "network", "detail": name, "costs": 0.0}]) for name in HOSTILE]  # fmt: skip
    triage = triaged(*documents)
    page = render(triage.document(), triage.rows(), lang=lang)
    assert not any(
        sign in page for sign in ("<script", "<img", "\u202e", "http:", "https:", "url(", "@import", "<link")
    )
    assert 'href="javascript' not in page and "../x/" not in page
    assert "default-src 'none'" in page and "prefers-color-scheme:dark" in page
    assert ("需要人工处理" in page) == (lang == "zh") and "李雷" in page
    assert page.index("f-0/staff.html") > 0


def test_under_pseudonyms_only_folders_are_named() -> None:
    triage = triaged(document("ana-secret", {"a": 0}, diagnosis=finding("p"), flags=[{"kind": "network", "detail": "x"}]),
                     document("bo-secret", {}, status="not_gradable", score=None, reason="empty"), pseudonyms=True)  # fmt: skip
    facts = triage.document()
    assert "secret" not in str(facts) + render(facts, triage.rows(), lang="en")
    assert facts["quarantine"][0]["submission"] == "f-0"


def test_an_empty_class_has_a_page_too() -> None:
    triage = Triage({})
    assert "Nobody is in the class yet." in render(triage.document(), triage.rows(), lang="en")
    assert Fraction(triage.document()["scores"]["count"]) == 0
