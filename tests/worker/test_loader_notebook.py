"""Loading a notebook: cells stand alone, and what only a notebook understands does no harm."""

from __future__ import annotations

import inspect

import pytest

from grader.worker.notebook_source import to_python
from tests.worker.loading import REAL, cells


def python(source: str, own_file: str = "attention.py") -> str:
    return to_python(source, own_file).source


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("%pip install torch\nx = 1", "pass\nx = 1"),
        ("!pip install 'torch\nx = 1", "pass\nx = 1"),
        ("!pip install a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
        ("files = !ls *.py\nx = 1", "files = []\nx = 1"),
        ("files = %sx ls\nx = 1", "files = None\nx = 1"),
        ("y = %time f(1)\nx = 1", "y = f(1)\nx = 1"),
        ("%time y = f(1)", "y = f(1)"),
        ("%timeit f(1)", "pass"),
        ("torch.softmax?\nx = 1", "pass\nx = 1"),
        ("?torch.softmax", "pass"),
        ("torch.softmax??  ", "pass"),
        ("x = torch.softmax?", "pass"),
        ("if True:\n    !ls\n    %cd ..\n    x = 1", "if True:\n    pass\n    pass\n    x = 1"),
        ("pip install torch\nx = 1", "pass\nx = 1"),
        ("  x = 1\n  if x:\n    y = 2", "x = 1\nif x:\n  y = 2"),
        (">>> x = 1\n>>> if x:\n...     y = 2", "x = 1\nif x:\n    y = 2"),
        ("%time y = f(1,\n  2)", "y = f(1,\n  2)"),
        ("%load_ext autoreload\n%autoreload 2\n\nimport torch", "pass\npass\n\nimport torch"),
    ],
)
def test_what_only_a_notebook_understands_becomes_python(source: str, wanted: str) -> None:
    assert python(source) == wanted


@pytest.mark.parametrize(
    "source",
    [
        "x = (a\n%b)",
        "x = a \\\n  %b",
        "s = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
        "x = a % b",
        "print('%d' % 3)",
        "assert a != b",
        "# why?\nx = 1",
        "x = 'why?'",
        "ls = 3\nls",
        "def f():\n    '''\n    %timeit f()\n    '''",
    ],
)
def test_python_is_left_alone(source: str) -> None:
    cell = to_python(source, "attention.py")
    assert (cell.source, cell.removed) == (source, ())


@pytest.mark.parametrize(
    "source",
    [
        "!ls\nx = (a\n%b)",
        "!ls\nx = a \\\n  %b",
        "!ls\ns = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
        "!ls\ns = 'it\\'s' # '''\ny = 1",
        "!ls\nx = f(  # an open (\n  '%d',\n  a)\n# why?",
    ],
)
def test_percent_and_question_marks_inside_python_stay_beside_real_magics(source: str) -> None:
    cell = to_python(source, "attention.py")
    assert cell.source == source.replace("!ls", "pass", 1)
    assert [removed.line for removed in cell.removed] == [1]


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1", "%%capture out", "%%prun", "# first\n%%time"])
def test_some_cell_magics_keep_their_body(magic: str) -> None:
    cell = to_python(f"{magic}\n\nx = 1", "attention.py")
    assert cell.source.strip() == "x = 1"
    assert cell.source.count("\n") == magic.count("\n") + 2
    assert [removed.how for removed in cell.removed] == ["body_kept"]


def test_magics_below_a_kept_cell_magic_are_seen_too() -> None:
    assert python("%%capture\n%%time\n!ls\nx = 1").strip() == "pass\nx = 1"


@pytest.mark.parametrize("magic", ["bash", "sh", "script python2", "html", "javascript", "latex", "perl", "R", "sql"])
def test_other_cells_are_no_python(magic: str) -> None:
    cell = to_python(f"%%{magic}\nx = 1\n", "attention.py")
    assert cell.source == "\n\n"
    assert [removed.how for removed in cell.removed] == ["body_left_out"]


@pytest.mark.parametrize("target", ["attention.py", "./attention.py", "'work/attention.py'", "-a attention.py"])
def test_a_written_copy_of_the_assignments_file_is_code(target: str) -> None:
    load = cells(f"%%writefile {target}\n{REAL}")
    assert load.state() == "present"
    assert (load.definition()["cell"], load.definition()["line"]) == (1, 2)
    assert load.remark_kinds == ["magic_removed"]


def test_another_written_module_can_be_imported() -> None:
    load = cells(f"%%writefile written.py\n{REAL}", "from written import scores")
    assert load["scores"](1, 2) == 3


def test_a_broken_cell_costs_only_itself() -> None:
    load = cells("x = 1", "def broken(:\n    pass", REAL)
    assert load.state() == "present"
    remark = load.remark("syntax_error")
    assert (remark["cell"], remark["line"]) == (2, 1)
    assert load.flag_kinds == []


def test_a_failing_cell_goes_on_with_its_next_statement() -> None:
    load = cells("import no_such_library_here\n" + REAL)
    assert load.state() == "present"
    assert load.remark("raised")["cell"] == 1
    assert load.flag_kinds == []


def test_lines_are_counted_within_cells() -> None:
    load = cells("x = 1\ny = 2", "\n\ndef scores(q, k):\n    return 1 / 0")
    assert load.announced == [(0, 1, 1), (1, 2, 1), (2, 3, 2)]
    assert (load.definition()["cell"], load.definition()["line"]) == (2, 3)
    with pytest.raises(ZeroDivisionError) as caught:
        load["scores"](0, 0)
    spot = load.result.place_of_error(caught.value.__traceback__)
    assert spot == {"file": "attention.ipynb", "line": 4, "cell": 2}


def test_source_of_functions_and_classes_in_cells_is_visible_beside_a_broken_cell() -> None:
    load = cells("x = 1\n", "def broken(:", "class Heads:\n    size = 3", REAL)
    assert inspect.getsource(load["scores"]) == REAL
    assert inspect.getsource(load["Heads"]).startswith("class Heads:\n    size = 3")


@pytest.mark.filterwarnings("ignore")  # torch calls its own script old
def test_scripted_modules_from_a_cell_with_magics_work() -> None:
    pytest.importorskip("torch")
    load = cells("%matplotlib inline\nimport torch", "%%time\n@torch.jit.script\ndef scores(q, k):\n    return q @ k\n")
    assert load.state() == "present"
    assert "raised" not in load.remark_kinds


def test_display_and_get_ipython_are_harmless() -> None:
    load = cells(
        "display(3)\nget_ipython().run_line_magic('matplotlib', 'inline')\n"
        "from IPython.display import clear_output, HTML\nclear_output(wait=True)\ndisplay(HTML('x'))\nimport IPython\nIPython.get_ipython().system('ls')"
    )
    assert load.remark_kinds == []
    assert "display" not in load.result.names


def test_await_at_the_top_runs_where_it_needs_no_event_loop() -> None:
    load = cells("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 4\nx = await f()", REAL)
    assert load["x"] == 4
    assert load.remark_kinds == ["magic_removed"]


def test_await_that_needs_an_event_loop_is_left_out() -> None:
    load = cells("import asyncio\nx = await asyncio.sleep(9)", REAL)
    assert load.state() == "present"
    assert "raised" in load.remark_kinds


def test_future_imports_hold_in_later_cells() -> None:
    load = cells("from __future__ import annotations", "def scores(q: Nowhere, k):\n    return 1")
    assert load.state() == "present"


def test_a_notebook_without_cells_defines_nothing() -> None:
    load = cells()
    assert load.state() == "missing"
    assert load.result.remarks == []


def test_statement_numbers_do_not_depend_on_what_runs() -> None:
    sources = ("!ls\nx = 1", "def broken(:", "1 / 0\ny = 2", REAL)
    first = cells(*sources)
    again = cells(*sources, skip={"2": "ends the process"})
    assert again.announced == [entry for entry in first.announced if entry[0] != 2]
    assert "ended the whole process" in again.remark("skipped")["text_en"]
