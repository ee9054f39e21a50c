"""``%check`` in a real kernel: one notebook is run from top to bottom, then its outputs are read."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.notebooks.kinds import IMPORTS, SCORES, WEIGHTS, WHOLE

ROOT = Path(__file__).resolve().parents[2]
WRONG = SCORES.replace(" / math.sqrt(q.shape[-1])", "")
BROKEN = WEIGHTS.replace("    if mask is None:", "    broken = scores.no_such_thing\n    if mask is None:")
CELLS = {
    "path": f"import sys\nsys.path.insert(0, {str(ROOT)!r})",
    "imports": IMPORTS + "\nfrom grader import check",
    "too_early": "check()",
    "unscaled": WRONG,
    "magic": "%load_ext grader\n%check attention",
    "broken": BROKEN,
    "magic_of_a_function": "%check attention_weights zh",
    "mended": f"{SCORES}\n\n{WEIGHTS}\n\n{WHOLE}",
    "settings": "torch.set_default_dtype(torch.float64)\ntorch.manual_seed(3)\nbefore = torch.random.get_rng_state()",
    "right": "check('attention')",
    "as_before": "assert torch.get_default_dtype() is torch.float64\n"
    "assert torch.equal(before, torch.random.get_rng_state())",
    "of_a_function": "check(attention_scores)",
    "misnamed": "check('atention')",
    "in_text": "print(check('attention', lang='zh'))",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What each cell showed. The notebook lies saved in the folder, but for what was mended since."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "assignments").symlink_to(ROOT / "assignments")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    saved = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (WRONG, WEIGHTS, WHOLE)])
    nbformat.write(saved, folder / "attention.ipynb")
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries between us and the kernel
        client.execute()
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))


def shown(outputs: dict[str, list[Any]], cell: str) -> dict[str, str]:
    """The one rich output of a cell."""
    (result,) = outputs[cell]
    assert result.output_type == "execute_result"
    return dict(result.data)


def test_a_wrong_function_is_told_with_its_note_and_the_first_hint(outputs: dict[str, list[Any]]) -> None:
    for form, text in shown(outputs, "magic").items():
        assert form in ("text/plain", "text/html")
        assert "3 of 7 public checks passed" in text or "2 of 7 public checks passed" in text
        assert "the largest score is 4, expected 2.83" in text
        assert "A dot product of D random terms" in text
        assert "scaled_dot_product_attention was not found" in text


def test_the_first_wrong_entry_and_the_line_that_raised_are_named(outputs: dict[str, list[Any]]) -> None:
    text = shown(outputs, "magic_of_a_function")["text/plain"]
    assert "attention_weights 抛出了 AttributeError" in text
    assert "`broken = scores.no_such_thing`:2" in text
    assert "scaled_dot_product_attention" not in text


def test_a_right_notebook_passes_and_says_what_was_not_looked_at(outputs: dict[str, list[Any]]) -> None:
    text = shown(outputs, "right")["text/plain"]
    assert "7 of 7 public checks passed" in text
    assert "Public checks touch 7 of 12 criteria" in text
    assert "softmax_stable" in text


def test_a_function_is_checked_alone(outputs: dict[str, list[Any]]) -> None:
    text = shown(outputs, "of_a_function")["text/plain"]
    assert "3 of 3 public checks passed" in text
    assert "attention_weights" not in text


def test_what_differs_from_the_saved_file_is_warned_of(outputs: dict[str, list[Any]]) -> None:
    text = shown(outputs, "right")["text/plain"]
    assert "attention_scores: what runs here is not what attention.ipynb holds" in text
    assert re.search(r"Fingerprint of attention.ipynb: [0-9a-f]{4}-[0-9a-f]{4}", text)
    assert "what runs here" not in shown(outputs, "magic")["text/plain"]


def test_nothing_a_page_would_run_or_load_stands_in_the_html(outputs: dict[str, list[Any]]) -> None:
    for cell in ("magic", "right", "magic_of_a_function"):
        html = shown(outputs, cell)["text/html"]
        assert not re.search(r"<(script|style|link|img|iframe)|javascript:|\son\w+=|https?://", html, re.IGNORECASE)
        assert "background" not in html  # the page's own stays: dark on dark, light on light
        assert not re.search(r"[^-]color:(?!inherit|#)", html)


def test_what_cannot_be_checked_is_said_not_raised(outputs: dict[str, list[Any]]) -> None:
    assert "no function of any assignment is defined here yet" in outputs["too_early"][0].text
    assert "'atention' is neither an assignment nor a function of one" in outputs["misnamed"][0].text
    assert "公开检查通过 7 / 7 项" in outputs["in_text"][0].text
