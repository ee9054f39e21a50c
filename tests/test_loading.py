"""What a worker says of a load is hostile input: any tree of JSON comes to plain, bounded facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.catalog import load_course
from grader.loading import read_loaded, read_seen
from grader.model.course import Course

ROOT = Path(__file__).resolve().parent.parent
KEYS = ["definitions", "names", "inner", "signatures", "remarks", "flags", "uses", "sightings", "name", "state", "kind",
        "detail", "text_en", "text_zh", "file", "line", "cell", "bound_as", "attention_scores", "what", "count"]  # fmt: skip
WORDS = st.sampled_from([*KEYS, "present", "stub", "does_not_import", "syntax_error", "attention.py"]) | st.text(
    max_size=8
)
TREE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=30,
)
ANSWER = st.fixed_dictionaries({}, optional={key: TREE | st.lists(st.dictionaries(WORDS, TREE, max_size=5), max_size=4)
                                             for key in KEYS[:8]})  # fmt: skip


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT)


@given(ANSWER)
@settings(max_examples=40, deadline=None)
def test_any_answer_comes_to_facts(course: Course, answer: dict[str, Any]) -> None:
    assignment = course.assignments[1]
    loaded = read_loaded(json.loads(json.dumps(answer)), assignment, course)
    assert [d.name for d in loaded.definitions] == [f.name for f in assignment.functions]
    assert all(d.state in ("present", "missing", "stub", "not_callable") for d in loaded.definitions)
    assert all(len(flag.detail) <= 300 for flag in loaded.flags)


@given(st.dictionaries(WORDS, TREE, max_size=6))
@settings(max_examples=40, deadline=None)
def test_any_sighting_comes_to_bounded_facts(raw: dict[str, Any]) -> None:
    seen = read_seen(raw)
    assert len(seen.kind) <= 40 and len(seen.what) <= 160 and seen.count >= 1


def test_names_without_end_are_not_compared(course: Course) -> None:
    names = ["a" * 100_000 + str(n) for n in range(400)]
    loaded = read_loaded({"names": names, "inner": names}, course.assignments[1], course)
    assert all(d.state == "missing" for d in loaded.definitions)
