"""The JUnit report: legal XML that other tools read, points in the properties."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from grader.document import for_student, to_document
from grader.model.outcome import Outcome
from grader.reports.junit import render
from tests.reports.hostile import TEXTS, spoiled
from tests.reports.samples import graded, not_gradable, result


@pytest.fixture
def suites() -> dict[str, Any]:
    read = JUnitXml.fromstring(render(to_document(graded()), lang="en").encode())
    return {suite.name: suite for suite in read}


def test_a_suite_a_criterion_with_its_points(suites: dict[str, Any]) -> None:
    assert list(suites) == ["scale", "mask_blocks", "weighted_values"]
    facts = {prop.name: prop.value for prop in suites["mask_blocks"].properties()}
    assert facts["points"] == "2"
    assert facts["max_points"] == "3"
    assert facts["score"] == "17"
    assert facts["isolation"] == "practice"


def test_counts_are_those_of_the_cases() -> None:
    read = JUnitXml.fromstring(render(to_document(graded()), lang="en").encode())
    said = (read.tests, read.failures, read.errors, read.skipped)
    read.update_statistics()
    assert said == (8, 2, 1, 1) == (read.tests, read.failures, read.errors, read.skipped)


@pytest.mark.parametrize(
    ("outcome", "child"),
    [
        (Outcome.FAILED, Failure), (Outcome.MISSING, Failure), (Outcome.NOT_ATTEMPTED, Failure),
        (Outcome.RAISED, Error), (Outcome.TIMED_OUT, Error), (Outcome.OUT_OF_MEMORY, Error), (Outcome.DIED, Error),
        (Outcome.GRADER_FAULT, Error), (Outcome.BLOCKED, Skipped),
    ],
)  # fmt: skip
def test_each_outcome_has_its_child(outcome: Outcome, child: type) -> None:
    document = to_document(graded(tests=(result("scale", 0, outcome, blocked_by="mask_blocks"),)))
    case = next(iter(next(iter(JUnitXml.fromstring(render(document, lang="en").encode())))))
    (found,) = case.result
    assert type(found) is child
    assert found.type == str(outcome)
    assert found.message


def test_a_passed_case_has_no_child(suites: dict[str, Any]) -> None:
    assert next(iter(suites["mask_blocks"])).is_passed


def test_student_cases_go_by_title_and_are_told_apart() -> None:
    text = render(for_student(to_document(graded())), lang="en")
    names = [case.name for suite in JUnitXml.fromstring(text.encode()) for case in suite]
    assert names[:2] == ["Title of scale.", "Title of scale. (2)"]
    for secret in ("20261129", "checks.py", "hidden"):
        assert secret not in text


def test_staff_cases_go_by_id_and_carry_the_detail(suites: dict[str, Any]) -> None:
    case = next(iter(suites["scale"]))
    assert case.name == "checks.py::test_scale[0]"
    assert "hidden: estimate 3.0" in case.result[0].text


def test_not_gradable_is_one_error_with_the_reason() -> None:
    read = JUnitXml.fromstring(render(to_document(not_gradable()), lang="en").encode())
    (case,) = next(iter(read))
    assert isinstance(case.result[0], Error)
    assert "no Python file" in case.result[0].text


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_stays_legal_xml(name: str) -> None:
    document = spoiled(TEXTS[name])
    for form in (document, for_student(document)):
        text = render(form, lang="en")
        root = Xml.fromstring(text.encode())
        assert {child.tag for child in root.iter()} <= {
            "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped",
            "system-out", "system-err",
        }  # fmt: skip
        assert len(root.findall("testsuite/testcase")) == 4


@given(st.text(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_text_at_all_is_legal_xml(text: str) -> None:
    assert Xml.fromstring(render(spoiled(text), lang="en").encode()).tag == "testsuites"
