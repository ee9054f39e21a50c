"""The report as JUnit XML: one suite a rubric line with its points as properties, one case a test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from grader.model.outcome import Outcome, Status
from grader.reports.outline import Line, outline
from grader.reports.untrusted import one_line, printable
from grader.reports.words import OUTCOMES, STATUSES, marks, word

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHILD = {
    Outcome.FAILED: "failure",
    Outcome.MISSING: "failure",
    Outcome.NOT_ATTEMPTED: "failure",
    Outcome.BLOCKED: "skipped",
}


def render(document: Mapping[str, Any], *, lang: str) -> str:
    """A well-formed XML 1.0 document with a UTF-8 declaration."""
    root = Xml.Element("testsuites", name=_attribute(document["title"] or document["assignment"]))
    if document["status"] == Status.GRADED:
        suites = [_suite(document, line, lang) for line in outline(document, lang)]
    else:
        suites = [_not_graded(document, lang)]
    for suite in suites:
        root.append(suite)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    root.set("time", _time(document["duration_s"]))
    if "output" in document:
        _output(suites, document["output"])
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def render_all(documents: Iterable[Mapping[str, Any]], *, lang: str) -> str:
    """Several reports as one document: the suites of all, in order."""
    root = Xml.Element("testsuites")
    for document in documents:
        one = Xml.fromstring(render(document, lang=lang).encode())
        root.extend(one)
        for count in ("tests", "failures", "errors", "skipped"):
            root.set(count, str(int(root.get(count, "0")) + int(one.get(count, "0"))))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(document: Mapping[str, Any], line: Line, lang: str) -> Xml.Element:
    suite = Xml.Element("testsuite", name=_attribute(line.id))
    rubric = {"title": line.title}
    if line.points is not None and line.max_points is not None:
        rubric |= {"points": marks(line.points), "max_points": marks(line.max_points)}
    _properties(suite, document, rubric)
    seen: dict[str, int] = {}
    for test in line.tests:
        seen[test["title"]] = seen.get(test["title"], 0) + 1
        suite.append(_case(document, test, seen[test["title"]], lang))
    return _counted(suite, sum(test["duration_s"] for test in line.tests))


def _properties(suite: Xml.Element, document: Mapping[str, Any], more: Mapping[str, str]) -> None:
    facts = {
        **more,
        "submission": document["submission"]["id"],
        "status": document["status"],
        "isolation": document["isolation"]["level"],
    }
    if document["score"] is not None:
        facts |= {"score": marks(document["score"]), "max_score": marks(document["max_score"])}
    if "seed" in document:
        facts["seed"] = str(document["seed"])
    properties = Xml.SubElement(suite, "properties")
    for name, value in facts.items():
        Xml.SubElement(properties, "property", name=name, value=_attribute(value))


def _case(document: Mapping[str, Any], test: Mapping[str, Any], nth: int, lang: str) -> Xml.Element:
    name = test["title"] if nth == 1 else f"{test['title']} ({nth})"
    case = Xml.Element("testcase", classname=f"{document['assignment']}.{test['criterion']}")
    case.set("name", _attribute(test.get("id", name)))
    case.set("time", _time(test["duration_s"]))
    if test["place"]:
        case.set("file", _attribute(test["place"]["file"]))
        case.set("line", str(test["place"]["line"]))
    outcome = Outcome(test["outcome"])
    if outcome is not Outcome.PASSED:
        child = Xml.SubElement(case, _CHILD.get(outcome, "error"), type=str(outcome))
        message = test["note"] or _without_note(test, outcome, lang)
        child.set("message", _attribute(message))
        child.text = _content("\n\n".join(part for part in (test["note"], test.get("detail", "")) if part))
    return case


def _without_note(test: Mapping[str, Any], outcome: Outcome, lang: str) -> str:
    if outcome is Outcome.BLOCKED and test["blocked_by"]:
        return word("waits", lang, criterion=test["blocked_by"])
    return OUTCOMES[outcome].pick(lang)


def _not_graded(document: Mapping[str, Any], lang: str) -> Xml.Element:
    """One suite whose one case says why there are no marks."""
    suite = Xml.Element("testsuite", name=_attribute(document["assignment"]))
    _properties(suite, document, {})
    case = Xml.SubElement(suite, "testcase", classname=document["assignment"])
    case.set("name", _attribute(document["submission"]["id"] or document["status"]))
    waits = document["status"] == Status.NEEDS_MARKING
    child = Xml.SubElement(case, "skipped" if waits else "error", type=document["status"])
    child.set("message", STATUSES[document["status"]].pick(lang))
    child.text = _content(document["reason"] or "")
    return _counted(suite, document["duration_s"])


def _counted(suite: Xml.Element, seconds: float) -> Xml.Element:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for count, child in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(len(suite.findall(f"testcase/{child}"))))
    suite.set("time", _time(seconds))
    return suite


def _output(suites: list[Xml.Element], output: Mapping[str, Any]) -> None:
    for stream, name in (("stdout", "system-out"), ("stderr", "system-err")):
        if output[stream] and suites:
            Xml.SubElement(suites[-1], name).text = _content(output[stream])


def _attribute(text: str) -> str:
    return _ILLEGAL.sub("", one_line(text))


def _content(text: str) -> str:
    return _ILLEGAL.sub("", printable(text))


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"
