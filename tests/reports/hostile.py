"""What a student's text may try, everywhere a student's text can stand."""

from __future__ import annotations

from grader.document import Document, to_document
from grader.model.course import Text
from grader.model.outcome import Outcome
from grader.model.submission import Flag, Output, Place, Remark
from tests.reports.samples import SHA, graded, result

TEXTS = {
    "escape": "\x1b[2J\x1b]8;;http://x.example\x07click\x1b]8;;\x07 score 20/20",
    "c1": "\x9b31mred\x85next",
    "nul_and_bell": "a\x00b\x07c\x08d\x7f",
    "carriage_return": "Score 0\rScore 20 / 20",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "zero_width": "sc\u200bal\u200de\ufeff\u2060",
    "separators": "a\u2028b\u2029c",
    "surrogate": "\ud800\udfff\udc80",
    "tags": "\U000e0041\U000e007f\ufffe\uffff",
    "smear": "e" + "\u0301" * 400,
    "markup": "[bold red]x[/bold red] [link=http://x.example]y[/link] :smile:",
    "html": "<script>alert(1)</script><img src=x onerror=y> &lt;b&gt; </testcase>]]>",
    "link": "[a](http://x.example) ![b](http://x.example/i.png) https://x.example www.x.example me@x.example <http://y>",
    "mention": "@octocat #12 GH-3 owner/name#4 0123456789abcdef0123456789abcdef01234567 $x$",
    "backticks": "``` ` `` ```` ~~~ `",
    "fence": "one\n```\n# Not a heading\n<b>\n~~~\n````\n::error::no",
    "block": "# h\n> q\n- [ ] t\n1. n\n| a | b |\n|--|--|\n    code\n---",
    "long": "x" * 100_000,
    "chinese": "注意力：得分 ✓ 𝒬 é",
}


def spoiled(text: str, **more: object) -> Document:
    """A staff document with ``text`` in every place that a student can fill."""
    place = Place(text, 3, 2)
    submission = {"id": text, "students": [text], "fingerprint": "a1b2-c3d4", "files": [{"path": text, "sha256": SHA}]}
    facts: dict[str, object] = {
        "submission": submission,
        "tests": tuple(
            result("scale", i, outcome, note=Text(text), detail=text, place=place)
            for i, outcome in enumerate((Outcome.FAILED, Outcome.RAISED, Outcome.DIED, Outcome.GRADER_FAULT))
        ),
        "remarks": (Remark(Text(text), place),),
        "flags": (Flag("odd", text, place),),
        "output": Output(text, text, True),
        "diagnosis": (),
        "reason": text,
    }
    return to_document(graded(**(facts | more)))
