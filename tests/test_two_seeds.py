"""What a student sees of a hidden failure comes from the public seed alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.desk import Desk
from grader.document import for_student, to_document
from grader.model.course import PUBLIC_SEED
from grader.model.submission import Job
from grader.reports import RENDERERS, render

TALKATIVE = """
import torch, numpy as np
seen = []

def attention_scores(q, k):
    seen.append(float(q.flatten()[0]))
    print("INPUT", [f"{x:.12f}" for x in seen])
    raise ValueError(str([f"{x:.12f}" for x in seen]))

def attention_weights(scores, mask=None):
    name = "E" + str(abs(float(scores.flatten()[0]))).replace(".", "_")
    raise type(name, (Exception,), {})(name)

def scaled_dot_product_attention(q, k, v, mask=None):
    import os
    print("INPUT", f"{float(q.flatten()[0]):.12f}")
    os._exit(int(abs(float(q.flatten()[0]) * 50)) % 200)
"""
HIDDEN_SEED = 31415926535


def graded(desk: Desk, path: Path, seed: int) -> dict[str, object]:
    return to_document(desk.report(Job(str(path), "attention", seed)))


def numbers(text: str) -> set[str]:
    return set(re.findall(r"-?\d\.\d{9,}", text))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_hidden_input_reaches_the_student_s_form(desk: Desk, tmp_path: Path, lang: str) -> None:
    path = tmp_path / "attention.py"
    path.write_text(TALKATIVE, encoding="utf-8")
    staff = graded(desk, path, HIDDEN_SEED)
    hidden = numbers(json.dumps(staff["output"]) + json.dumps([t["detail"] for t in staff["tests"]]))  # type: ignore[attr-defined]
    public = numbers(json.dumps(graded(desk, path, PUBLIC_SEED)))
    hidden -= public  # inputs that a check writes out itself are the same on every seed
    assert len(hidden) > 5, "the submission should have printed its hidden inputs"
    student = for_student(staff)
    texts = [json.dumps(student), *(render(form, student, lang=lang) for form in RENDERERS)]
    for text in texts:
        assert not hidden & numbers(text)
        assert str(HIDDEN_SEED) not in text
        assert numbers(text) <= public


def test_the_student_s_notes_do_not_depend_on_the_hidden_seed(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "attention.py"
    path.write_text(TALKATIVE, encoding="utf-8")
    one, two = (for_student(graded(desk, path, seed)) for seed in (HIDDEN_SEED, HIDDEN_SEED + 1))
    assert [t["note"] for t in one["tests"]] == [t["note"] for t in two["tests"]]
    assert any("ValueError" in (t["note"] or "") for t in one["tests"])
