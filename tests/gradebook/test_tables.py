"""Any sheet: read, changed in one cell, and everything else as it was; numbers as locales write them."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.gradebook.sheets.names import forms, unlike
from grader.gradebook.sheets.numbers import number
from grader.gradebook.sheets.table import read_table

CELLS = st.text(st.sampled_from("ab0.,;\"' \n张é=\t-"), max_size=6)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.lists(CELLS, min_size=3, max_size=3).filter(lambda cells: any(map(str.strip, cells))), min_size=1, max_size=5
    ),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    delimiter=st.sampled_from(",;\t"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]),
    ends=st.sampled_from(["\r\n", "\n"]),
    at=st.tuples(st.integers(0, 4), st.integers(0, 2)),
    new=CELLS,
)
def test_one_cell_changes_and_no_other_byte(rows, quoting, delimiter, encoding, ends, at, new):
    rows = [["张三", "two", "three"], *rows]  # so that the encoding shows
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=ends).writerows(rows)
    data = text.getvalue().encode(encoding)
    table = read_table(data, "x.csv")
    assert table.changed({}) == data
    row, column = at[0] % len(rows), at[1]
    changed = table.changed({(row, column): new})
    read = list(csv.reader(io.StringIO(changed.decode(encoding), newline=""), delimiter=delimiter, strict=True))
    assert read == [
        [new if (r, c) == (row, column) else cell for c, cell in enumerate(cells)] for r, cells in enumerate(rows)
    ]
    kept = table.changed({(row, column): new}, keep=[column])
    assert kept.decode(encoding).count(delimiter) <= sum(cell.count(delimiter) for cells in read for cell in cells)


@pytest.mark.parametrize(
    "text, value",
    [("7.5", "7.5"), ("7,5", "7.5"), ("1.234,50", "1234.5"), ("1,234.50", "1234.5"), ("1 234,5", "1234.5"), ("12", "12"),
     ("-0.25", "-0.25"), ("", None), ("-", None), ("A+", None), ("12%", None), ("1,234,567", "1234567"), ("  8 ", "8")],
)  # fmt: skip
def test_numbers_of_any_locale(text, value):
    assert number(text) == (None if value is None else Fraction(value))


@pytest.mark.parametrize(
    "one, other, same",
    [(("Ana Diaz",), ("Diaz, Ana",), True), (("三", "张"), ("张三",), True), (("diazana",), ("Diaz", "Ana"), True),
     (("ZOË",), ("Zoe\u0308",), True), (("王小李",), ("李小王",), False), (("",), ("",), False), (("😀",), ("😀",), False)],
)  # fmt: skip
def test_spellings_of_one_name(one, other, same):
    assert bool(forms(*one) & forms(*other)) == same


def test_names_that_cannot_be_one_persons():
    assert unlike("Ana Diaz", "Bo Li") and unlike("张三", "李四")
    assert not unlike("O'Neil, Jr.", "ONeil Jr") and not unlike("", "Bo Li") and not unlike("Ana", "Diaz Ana")
    assert not unlike("三 张", "张三") and not unlike("Zoë", "Zoe") and unlike("王小李", "李大王")
