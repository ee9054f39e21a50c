"""Text that a student may have written, on its way into a report."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.reports.untrusted import one_line, printable

COMMANDS = [
    "::error::x",
    "::add-mask::x",
    "::set-output name=a::b",
    "::stop-commands::t",
    "::group::g",
    "::warning file=a.py,line=1::w",
]


def commands_in(text: str, *, folded: bool = True) -> list[str]:
    """Lines that the runner of a CI service would obey, also where a terminal's width may fold them."""
    found = [line for line in text.split("\n") if line.lstrip().startswith("::")]
    found += re.findall(r"##\w*\[", text)
    return found + [c for c in COMMANDS if folded and c in text]


@pytest.mark.parametrize("text", [*COMMANDS, *("x\n   " + c for c in COMMANDS), *("x " + c for c in COMMANDS),
                                  "##[error]x", "a ##[set-env name=x]y", "##vso[task.setvariable variable=x]y",
                                  "##teamcity[buildStop]", "###[error]", "\u2028::error::x", "\r::error::x", "\t::debug::x"])  # fmt: skip
def test_no_line_is_a_command_to_a_ci_service(text: str) -> None:
    for shown in (printable(text), one_line(text), printable("ok\n" + text)):
        assert commands_in(shown) == []


@pytest.mark.parametrize("text", ["x[::-1]", "checks.py::test_scale[0]", "# heading", "C++ ##", "12:30", "std::x"])
def test_what_only_looks_like_one_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\x1b[2Jb", r"a\x1b[2Jb"), ("a\rb", r"a\x0db"), ("\u202egnp", r"\u202egnp"), ("a\u200bb", r"a\u200bb"),
     ("\x9b31m", r"\x9b31m"), ("\U000e0041", r"\U000e0041"), ("\x00", r"\x00"), ("\ud800", r"\ud800"), ("注 é", "注 é")],
)  # fmt: skip
def test_what_does_not_show_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["x" * 2_001, "x" * 10**6, "\t" * 1_000, "e" + "\u0301" * 5_000, "\r\n" * 3_000])
def test_a_cut_is_always_visible(text: str) -> None:
    shown = printable(text)
    assert re.search(r" \[\.\.\. \+\d+\]$", shown)
    assert len(shown) < 10_000


def test_what_fits_is_not_cut() -> None:
    assert printable("x" * 2_000) == "x" * 2_000


@given(st.text(max_size=400) | st.text(alphabet=":# \n\t[]eror-vso\x1b\u202e", max_size=200))
@settings(max_examples=300, deadline=None)
@example("#" * 100 + "[")
def test_any_text_shows_and_commands_nothing(text: str) -> None:
    for shown in (printable(text), one_line(text)):
        assert all(
            c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn") for c in shown
        )
        assert commands_in(shown) == []
        assert shown.encode() is not None
