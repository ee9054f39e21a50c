"""The graded notebook as a page: what a student wrote does nothing, and each reader sees no more than their form holds."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.document import for_student, to_document
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.submission import Definition, Place, Remark
from grader.reports.notebook import render
from tests.reports.samples import graded, result

OURS = {"html", "head", "meta", "title", "style", "body", "main", "header", "section", "div", "span", "meter", "small",
        "b", "i", "em"}  # fmt: skip
THEIRS = {"p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "a",
          "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}  # fmt: skip
HOSTILE = """\
# A title <script>alert(1)</script>
![cat](https://leak.example/cat.png) ![x](attachment:a.png) ![d](data:image/svg+xml;base64,PHN2Zz4=)
[js](javascript:alert(1)) [JS]( JaVaScRiPt:alert(1)) [data](data:text/html,x) [vb](vbscript:x) [r][ref] [file](file:///etc/passwd)
<javascript:alert(3)> <https://fine.example>

[ref]: javascript:alert(2)

<img src=x onerror=alert(1)><iframe src="https://leak.example"></iframe><svg onload=alert(1)>
<style>*{display:none}</style><base href="https://leak.example"><form action="https://leak.example"><input autofocus>
<div class="mark holds">forged</div><a href="javascript:alert(1)" onclick=alert(1)>x</a><!-- -->
</div></section></main></pre></style><meta http-equiv=refresh content="0;url=https://leak.example">

```html
</code></pre><script>alert(4)</script>
```
```mermaid
graph TD; A-->B
```
| a | b |
|---|---|
| <b>1</b> | ![p](//leak.example/p.png) |

$$x</script><script>alert(5)</script>$$ \\begin{a}<script>\\end{a} &lt;script&gt;
"""


class Seen(HTMLParser):
    """Every element with its attributes, and whether a student's part is open when it comes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def inert(page: str) -> None:
    for tag, attributes in Seen(page).elements:
        assert tag in OURS | THEIRS, tag
        assert not any(
            name.startswith("on") or name in ("src", "srcset", "action", "background") for name in attributes
        )
        if tag == "meta":
            continue
        for name, value in attributes.items():
            assert name != "style" or value == "flex:1"
            if name == "href":
                assert value is not None
                assert value.startswith(("https://", "http://", "mailto:", "#")), value
    assert page.count("http-equiv") == page.count("http-equiv=refresh") + 1


def shown(*cells: tuple[int, str, str], **more: object) -> str:
    return render(to_document(graded(**more), title="Attention"), cells, lang="en")


@pytest.mark.parametrize("kind", ["markdown", "code", "raw", "heading", '"><script>alert(1)</script>'])
def test_a_hostile_cell_of_any_kind_does_nothing(kind: str) -> None:
    page = shown((1, kind, HOSTILE))
    inert(page)
    assert "<script" not in page
    assert page.count("<img") == page.count("<iframe") == page.count("<svg") == 0


def test_markdown_is_read_pictures_are_described_and_plain_links_stay() -> None:
    page = shown((1, "markdown", HOSTILE + "\n- **bold**\n"))
    assert "<strong>bold</strong>" in page
    assert "[picture: cat]" in page
    assert 'href="https://fine.example"' in page
    assert "leak.example/cat.png" not in page
    assert "data:" not in page.replace("[data](data:", "")


@given(st.text(alphabet="[](){}<>!*_`~$\\|-+#&;:/ \n\tahjs\"'=.1\u202e\x1b\ud800", max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_text_is_inert_as_markdown_and_as_code(text: str) -> None:
    page = shown((1, "markdown", text), (2, "code", text))
    inert(page)
    assert page.encode()


def test_long_and_nested_text_is_shown_as_it_was_typed() -> None:
    nested, long, many = "[" * 500 + "](x)", "word " * 5000, "**b** " * 1200
    page = shown((1, "markdown", nested), (2, "markdown", long), *((n, "markdown", many) for n in range(3, 12)))
    assert nested in page
    assert page.count("</strong>") < 9 * 1200
    inert(page)


FOUND = (
    Definition("attention_scores", "present", Place("attention.ipynb", 1, 2)),
    Definition("attention_weights", "stub", Place("attention.ipynb", 1, 3)),
    Definition("scaled_dot_product_attention", "present", Place("attention.ipynb", 1, 4)),
)
CELLS = ((1, "markdown", "# x"), (2, "code", "def attention_scores(q, k): ..."), (3, "code", "stub"), (4, "code", "z"))


def test_marks_stand_at_the_cells_that_define_graded_functions() -> None:
    tests = (
        result("scale", 0, Outcome.FAILED),
        result("scale", 1),
        result("weighted_values", 0, function="scaled_dot_product_attention"),
        result("weighted_values", 1, Outcome.BLOCKED, function="scaled_dot_product_attention", blocked_by="scale"),
    )
    page = shown(*CELLS, definitions=FOUND, tests=tests)
    cells = page.split('id="cell-')
    assert "attention_scores: 1 of 2 checks on it hold" in cells[2]
    assert "<code>scale</code>" in cells[2]
    assert "attention_weights: not written yet" in cells[3]
    assert "scaled_dot_product_attention: every check on it holds" in cells[4]
    assert 'class="mark' not in cells[1]


def test_a_remark_stands_at_its_cell() -> None:
    said = Remark(Text("`%time` was left out", "略去 `%time`"), Place("attention.ipynb", 1, 3))
    page = shown(*CELLS, remarks=(said,))
    assert "`%time` was left out" in page.split('id="cell-')[3]


@pytest.mark.parametrize(("feedback", "told"), [("public", False), ("criteria", True), ("full", True)])
def test_a_student_s_page_says_no_more_than_the_student_s_form(feedback: str, told: bool) -> None:
    secret = Text("the value was 0.123456", "值为 0.123456")
    tests = (
        result("scale", 0, Outcome.FAILED, note=secret, detail="hidden input 0.987654", visibility="hidden"),
        result("scale", 1, visibility="public"),
    )
    staff = to_document(graded(definitions=FOUND, tests=tests), title="Attention")
    page = render(for_student(staff, feedback=feedback), CELLS, lang="zh")
    assert "0.987654" not in page
    assert ("0.123456" in page) is (feedback == "full")
    assert ("attention_scores：相关检查通过 1 / 2 项" in page) is told
    assert str(staff["seed"]) not in page
    assert "0.987654" in render(staff, CELLS, lang="zh")
