"""The page of a class, its groups, and the few lines at the end of a batch."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

from tests.store.conftest import Class


class Links(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


def test_every_report_is_reached_from_the_page_in_the_order_of_students(class_: Class) -> None:
    (class_.drop / "ed").mkdir()
    (class_.drop / "ed" / "doubling.py").write_bytes(b"")
    told = class_.batch()
    page = (class_.out / "index.html").read_text(encoding="utf-8")
    links = Links(page[page.rindex("<table") :]).found
    assert links == [
        f"reports/{who}/{file}" for who in ("ana", "bo", "cy", "ed") for file in ("staff.html", "report.html")
    ]
    assert all((class_.out / link).is_file() for link in links)
    assert "1 need a person: ed" in told.out and str(class_.out / "index.html") in told.out


def test_what_nobody_holds_is_said_at_the_end(class_: Class) -> None:
    for student in ("ana", "bo"):
        class_.hands_in(student, values=["failed", "failed"])
    told = class_.batch()
    assert "Nobody holds: values" in told.out
    facts = json.loads((class_.out / "triage.json").read_text(encoding="utf-8"))
    assert [item["telling"] for item in facts["criteria"]] == ["none", "all"]
    assert facts["failures"][0]["submissions"] == ["ana", "bo", "cy"]


def test_a_persons_mark_moves_the_page_and_takes_its_work_off_the_list(class_: Class) -> None:
    (class_.drop / "ed").mkdir()
    (class_.drop / "ed" / "doubling.py").write_bytes(b"")
    class_.batch()
    class_.run("override", class_.out, "ed", "--score", "2", "--why", "on paper")
    page = (class_.out / "index.html").read_text(encoding="utf-8")
    assert "Nothing: every submission has its mark." in page and "marked by a person" in page


def test_under_pseudonyms_the_page_names_nobody(class_: Class) -> None:
    class_.hands_in("zoelle-77", values=["failed", "failed"])
    class_.batch("--pseudonyms")
    for name in ("index.html", "triage.json"):
        assert "zoelle" not in (class_.out / name).read_text(encoding="utf-8")
    links = Links((class_.out / "index.html").read_text(encoding="utf-8")).found
    assert links and all((class_.out / Path(link)).is_file() for link in links)


def test_who_is_forgotten_leaves_the_late_policy_as_well(class_: Class) -> None:
    term = class_.course.parent / "term.yaml"
    term.write_text("deadline: 2026-03-01T23:59+08:00\nper_day: 10%\nextensions:\n  cy: 2 days\n  zoelle-77: 1 day\n")
    class_.hands_in("zoelle-77")
    class_.batch("--term", term)
    class_.run("publish", class_.out)
    done = class_.run("forget", class_.out, "zoelle-77")
    assert done.code == 0, done.err
    assert not any(b"zoelle" in path.read_bytes() for path in class_.out.rglob("*") if path.is_file())
    assert str(term) in done.out
    assert class_.batch("--term", term).err.count("nobody here is called") == 0
