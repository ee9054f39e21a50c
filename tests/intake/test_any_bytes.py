"""Whatever is handed in: a submission or a reason, never another exception, always within bounds."""

from __future__ import annotations

import json
import struct
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.errors import NotGradable
from grader.intake import load, modules_of
from grader.intake.json_cut import TooDeep, TooMuch, cut
from grader.model.course import Assignment, Text
from grader.model.submission import Submission
from tests.intake.handins import REAL, assignment_in, notebook
from tests.intake.test_archives import packed

NAMES = st.sampled_from(["attention.py", "attention.ipynb", "a.zip", "mine.py"])
MANY = settings(max_examples=60, deadline=None)


@cache
def assignment() -> Assignment:
    return assignment_in(Path(tempfile.mkdtemp()) / "attention")


def staged(files: dict[str, bytes], pick: str = "") -> Submission | None:
    """What comes of a folder (or of one file of it): a submission, or None and a reason in both languages."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        reason: Text | None = None
        found: Submission | None
        try:
            found = load(Path(folder, pick), assignment())
        except NotGradable as refused:
            reason = refused.reason
            found = None
    if found is None:
        assert reason is not None and reason.en and reason.zh
        return None
    assert sum(len(chunk.source) for chunk in found.chunks) <= 1_000_000
    for text in (*(c.source for c in found.chunks), *modules_of(found).values(), found.main):
        assert text.encode() is not None and "\0" not in text
    return found


@given(NAMES, st.binary(max_size=400))
@MANY
def test_random_bytes(name: str, data: bytes) -> None:
    staged({name: data}, name)


@given(st.dictionaries(NAMES, st.binary(max_size=200), max_size=4))
@MANY
def test_random_folders(files: dict[str, bytes]) -> None:
    staged(files)


@given(st.text(max_size=200), st.sampled_from(["utf-8", "utf-16", "gb18030", "utf-8-sig"]))
@MANY
def test_random_text_comes_back_as_it_was(text: str, encoding: str) -> None:
    clean = text.encode("utf-8", "ignore").decode().replace("\r", "").replace("\0", "")
    found = staged(
        {"attention.py": b"# \xe6\xb3\xa8\n" * (encoding == "utf-8") + clean.encode(encoding)}, "attention.py"
    )
    if found is not None and found.kind == "python" and encoding != "gb18030":
        assert found.chunks[0].source.endswith(clean.removeprefix("\ufeff"))


PART = st.text(alphabet='abc/.\\:é张\x00\x1b\u202e"~', min_size=1, max_size=12)


@given(st.lists(st.tuples(PART, st.sampled_from([".py", ".ipynb", ".txt", "", "/"]), st.binary(max_size=60)), max_size=6),
       st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=6))  # fmt: skip
@MANY
def test_random_and_damaged_zips(members: list[tuple[str, str, bytes]], damage: list[tuple[int, int]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that stand twice
        raw = bytearray(packed(*((part.replace("\0", "z") + end, data) for part, end, data in members),
                               ("attention.py", REAL)))  # fmt: skip
    for at, value in damage:
        raw[at % len(raw)] = value
    staged({"a.zip": bytes(raw)}, "a.zip")


FIELDS = st.sampled_from([0, 1, 22, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF])


@given(st.lists(st.tuples(st.integers(0, 30), FIELDS), min_size=1, max_size=4), st.booleans())
@MANY
def test_zips_whose_headers_lie(lies: list[tuple[int, int]], at_the_end: bool) -> None:
    raw = bytearray(packed(("attention.py", REAL), ("b.py", "x = 1\n")))
    base = len(raw) - 22 if at_the_end else raw.index(b"PK\x01\x02") + 4
    for offset, value in lies:
        at = min(base + offset, len(raw) - 2)
        struct.pack_into("<H" if value <= 0xFFFF or at > len(raw) - 4 else "<I", raw, at,
                         value & 0xFFFF if at > len(raw) - 4 else value)  # fmt: skip
    staged({"a.zip": bytes(raw)}, "a.zip")


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["cells", "source", "cell_type", "outputs", "metadata", "worksheets", "input", "x"]), inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@given(JSON)
@MANY
def test_random_trees_of_json(tree: Any) -> None:
    staged({"attention.ipynb": json.dumps(tree).encode()}, "attention.ipynb")


@given(st.lists(st.fixed_dictionaries({"cell_type": st.sampled_from(["code", "markdown", "odd"]) | JSON, "source": JSON},
                                      optional={"outputs": JSON, "metadata": JSON}), max_size=4))  # fmt: skip
@example([{"cell_type": "code", "source": "x = '\0'"}, {"cell_type": "code", "source": ["\0", "\ud800"]}])
@MANY
def test_random_notebooks(cells: list[Any]) -> None:
    found = staged({"attention.ipynb": json.dumps({"cells": cells}).encode()}, "attention.ipynb")
    assert found is not None
    code = [(n, c) for n, c in enumerate(cells, 1) if c["cell_type"] == "code" and isinstance(c["source"], str)]
    shown = {chunk.place.cell for chunk in found.chunks}
    assert {n for n, c in code if c["source"].strip()} <= shown


@given(st.text(alphabet='{}[]",:\\ \n019.eoutpsmdaNl', max_size=60))
@MANY
def test_what_is_almost_json(text: str) -> None:
    staged({"attention.ipynb": text.encode()}, "attention.ipynb")


@given(JSON, st.booleans())
@MANY
def test_the_cut_takes_out_the_dropped_values_and_nothing_else(tree: Any, ascii_only: bool) -> None:
    raw = json.dumps(tree, ensure_ascii=ascii_only, indent=1).encode("utf-8", "surrogatepass")
    try:
        kept = json.loads(cut(raw))
    except (TooDeep, TooMuch):
        pytest.fail("a small tree is within all bounds")
    assert json.dumps(kept) == json.dumps(pruned(json.loads(raw)))


def pruned(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: None if k in ("outputs", "metadata", "attachments") else pruned(v) for k, v in tree.items()}
    return [pruned(v) for v in tree] if isinstance(tree, list) else tree


def test_the_strategies_reach_submissions_too() -> None:
    assert staged({"attention.ipynb": notebook(REAL).encode()}, "attention.ipynb") is not None
    assert staged({"a.zip": packed(("attention.py", REAL))}, "a.zip") is not None
