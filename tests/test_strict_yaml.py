from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import CourseError
from grader.strict_yaml import Position, load


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-31", "2026-01-31"),
        (".inf", ".inf"),
        ("1" * 40, "1" * 40),
        ("'1'", "1"),
        ('"true"', "true"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-17", -17),
        ("0.25", 0.25),
        ("1e3", 1000.0),
        ("你好", "你好"),
    ],
)
def test_a_plain_scalar_is_read_without_surprises(text, value):
    read = load(f"a: {text}\n".encode(), "x.yaml").data["a"]
    assert read == value
    assert type(read) is type(value)


def test_a_block_of_text_stays_text():
    assert load(b"a: |\n  12\n", "x.yaml").data == {"a": "12\n"}


def test_keys_are_always_text():
    assert load(b"1: a\nno: b\n", "x.yaml").data == {"1": "a", "no": "b"}


def test_an_empty_file_holds_nothing():
    assert load(b"", "x.yaml").data is None


def test_a_byte_order_mark_is_no_character():
    assert load(b"\xef\xbb\xbfa: 1\n", "x.yaml").data == {"a": 1}


def test_every_key_and_value_has_its_position():
    read = load("标题: {en: a}\nlist:\n  - x\n  - key: y\n".encode(), "x.yaml")
    assert read.keys["标题",] == Position(1, 1)
    assert read.values["标题", "en"] == Position(1, 10)
    assert read.keys["list", 1, "key"] == Position(4, 5)
    assert read.values["list", 1, "key"] == Position(4, 10)


def test_a_path_that_is_not_there_has_the_position_of_what_should_hold_it():
    read = load(b"a:\n  b: 1\n", "x.yaml")
    assert read.position(("a", "c", 3)) == Position(2, 3)
    assert read.position(("a", "b"), key=True) == Position(2, 3)
    assert read.position(("a", "b")) == Position(2, 6)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"a: &x 1\n", "x.yaml:1:4: anchors"),
        (b"b: *x\n", "x.yaml:1:4: aliases"),
        (b"a: !!python/object/apply:os.system [ls]\n", "x.yaml:1:4: tags"),
        (b"a: !local 1\n", "x.yaml:1:4: tags"),
        (b"<<: {a: 1}\n", "x.yaml:1:1: merge keys"),
        (b"? [1, 2]\n: 3\n", "x.yaml:1:3: a key has to be plain text"),
        (b"a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document"),
        (b"a: b: c\n", "x.yaml:1:5: mapping values are not allowed"),
        (b"a:\n\tb: 1\n", "x.yaml:2:1: "),
        (b"a: [1,\n", "x.yaml:2:1: "),
        (b"[" * 100, "x.yaml:1:22: nested deeper than 20 levels"),
        (b"a: 1\nb: x\xff\n", "x.yaml:2:5: not UTF-8"),
        ("你好: \x07\n".encode(), "x.yaml:1:5: a character that YAML does not allow"),
        (b"a: " + b"x" * (1 << 20), "x.yaml:1:1: the file is larger than 512 KiB"),
    ],
)
def test_what_is_not_used_here_is_refused_with_its_place(source, problem):
    with pytest.raises(CourseError) as caught:
        load(source, "x.yaml")
    assert caught.value.problems[0].startswith(problem)


def test_a_merge_key_in_quotes_is_an_ordinary_key():
    assert load(b"'<<': 1\n", "x.yaml").data == {"<<": 1}


def test_all_duplicate_keys_are_named_at_once():
    with pytest.raises(CourseError) as caught:
        load(b"a: 1\nb: {c: 1, c: 2}\na: 2\n", "x.yaml")
    assert caught.value.problems == [
        "x.yaml:2:11: the key 'c' stands here twice; first at line 2",
        "x.yaml:3:1: the key 'a' stands here twice; first at line 1",
    ]


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused(source):
    problems = []
    try:
        read = load(source, "x.yaml")
    except CourseError as refused:
        problems = refused.problems or ["no reason given"]
    else:
        assert () in read.values or read.data is None
    assert all(problem.startswith("x.yaml:") for problem in problems)
