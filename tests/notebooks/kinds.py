"""Damaged and odd notebooks as data: each is the same right solution, handed in the way somebody once did.

``Kind`` says what is handed in and what has to come of it. Right code loses nothing, whatever the notebook around it
looks like; what cannot be read is not graded, with a reason.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

IMPORTS = "import math\n\nimport torch"
SCORES = "def attention_scores(q, k):\n    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])"
WEIGHTS = """\
def attention_weights(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    shown = torch.softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min), dim=-1)
    return shown * (mask != 0)"""
WHOLE = """\
def scaled_dot_product_attention(q, k, v, mask=None):
    weights = attention_weights(attention_scores(q, k), mask)
    return weights @ v, weights"""
STUBS = [line.split("\n")[0] + '\n    raise NotImplementedError("TODO")' for line in (SCORES, WEIGHTS, WHOLE)]
RIGHT = (IMPORTS, SCORES, WEIGHTS, WHOLE)
CONTRACT = ("attention_scores", "attention_weights", "scaled_dot_product_attention")

Cell = str | dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One hand-in and its outcome. ``earns``: of the public checks (all, some, none); ``says``: words of remarks or of
    the reason; ``cells``: where definitions stand."""

    name: str
    data: bytes
    file: str = "attention.ipynb"
    status: str = "graded"
    earns: str = "all"
    says: Sequence[str] = ()
    flags: Sequence[str] = ()
    cells: dict[str, int] = field(default_factory=dict)
    silent: bool = False  # nothing at all is worth a remark


def code(source: Any, **rest: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, **rest}


def text(source: str, kind: str = "markdown") -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source}


def notebook(*cells: Cell, **rest: Any) -> bytes:
    made = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made, **rest}
    return json.dumps(whole, ensure_ascii=False).encode()


def around(*before: Cell, after: Sequence[Cell] = (), **rest: Any) -> bytes:
    """The right solution with cells before and behind it."""
    return notebook(*before, *RIGHT, *after, **rest)


def right(name: str, *before: Cell, after: Sequence[Cell] = (), **rest: Any) -> Kind:
    return Kind(name, around(*before, after=after), **rest)


def not_gradable(name: str, data: bytes, *says: str, file: str = "attention.ipynb") -> Kind:
    return Kind(name, data, file, "not_gradable", "none", says)


def old(version: int) -> bytes:
    """Formats 3 and 2: worksheets, ``input`` for a code cell's source, one prompt number."""
    cells = [{"cell_type": "heading", "level": 1, "source": ["Attention"]}] + [
        {"cell_type": "code", "language": "python", "input": source.splitlines(True), "outputs": [],
         "collapsed": False, "prompt_number": 3} for source in RIGHT
    ]  # fmt: skip
    whole = {"nbformat": version, "nbformat_minor": 0, "metadata": {"name": "x"}, "worksheets": [{"cells": cells}]}
    return json.dumps(whole).encode()


def python(*parts: str) -> bytes:
    return "\n\n".join(parts).encode()


NBGRADER = {"grade": False, "grade_id": "scores", "locked": False, "schema_version": 3, "solution": True, "task": False}
NBGRADER_TESTS = {"grade": True, "grade_id": "t", "locked": True, "schema_version": 3, "solution": False, "points": 9}
MARKED = (
    SCORES.replace("    return", "    # YOUR CODE HERE\n    ### BEGIN SOLUTION\n    return") + "\n    ### END SOLUTION"
)
OTTER = {"otter": {"OK_FORMAT": True, "assignment_name": "attention", "tests": {"q1": {"name": "q1", "suites": []}}}}
PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 400_000}, "metadata": {}}
TRACEBACK = {"output_type": "error", "ename": "E", "evalue": "def attention_scores(q, k): return 0", "traceback": ["x"]}
HALF = SCORES + "\n\nraise RuntimeError('half way')\n\n" + WEIGHTS
SCRIPT = "#!/usr/bin/env python\n# coding: utf-8\n\n# # Attention\n\n# In[1]:\n\n\n{}\n\n\n# In[ ]:\n\n\n{}\n"
SHELL = "get_ipython().system('pip install torch')\nget_ipython().run_line_magic('matplotlib', 'inline')\n" + IMPORTS
TIMED = "get_ipython().run_cell_magic('time', '', " + repr(WHOLE) + ")"
PLOT = "import matplotlib.pyplot as plt\nplt.figure(figsize=(3, 3))\nplt.imshow([[1]])\nplt.show()"
COLAB = "from google.colab import drive, files\ndrive.mount('/content/drive')\nuploaded = files.upload()"
ENDLESS = "import time\nwhile True:\n    time.sleep(60)"

MAGICS = [
    right("pip_in_front", "!pip install torch --quiet", says=["`!pip install torch"]),
    right("pip_in_the_middle", "x = 1\nif x:\n    !pip install \\\n        einops\ny = 2", says=["!pip install"]),
    right("percent_pip", "%pip install -q torch\nimport os", says=["`%pip install"]),
    right("matplotlib_inline_with_code_behind", "%matplotlib inline\nx = 1", says=["%matplotlib inline"]),
    Kind("time_above_a_def", notebook(IMPORTS, "%%time\n" + SCORES, "%%capture out\n" + WEIGHTS, WHOLE),
         says=["`%%time` is a notebook command; the code below it was kept"], cells={"attention_scores": 2}),
    Kind("time_behind_a_comment", notebook(IMPORTS, "# scores\n\n%%time\n" + SCORES, WEIGHTS, WHOLE), says=["%%time"]),
    right("assignment_from_a_shell", "files = !ls\nfor f in files:\n    print(f)\nnow = %time 3", says=["!ls"]),
    right("help_with_a_question_mark", "torch.softmax?\n?len\nstr.join??", says=["torch.softmax?"]),
    right("bash_cell", "%%bash\npip install torch && ls", says=["not plain Python"]),
    right("html_and_javascript_cells", "%%html\n<b>x</b>", "%%javascript\nalert(1)", says=["`%%javascript`"]),
    right("autoreload_and_environment", "%load_ext autoreload\n%autoreload 2\n%env A=1\n%cd ..", says=["%autoreload 2"]),
    Kind("writefile_of_the_assignment", notebook("%%writefile attention.py\n" + "\n\n".join(RIGHT)),
         says=["%%writefile"], cells={"attention_scores": 1}),
    Kind("writefile_of_a_helper", notebook("%%writefile shares.py\n" + IMPORTS + "\n" + WEIGHTS, IMPORTS, SCORES,
                                           "from shares import attention_weights", WHOLE), says=["writes another file"]),
    right("magic_indented_in_a_function", "def f():\n    %timeit 1\n    !ls\n    return 2\nf()", says=["%timeit"]),
    right("bare_pip", "pip install torch", says=["pip install torch"]),
    right("the_checking_cell", "%load_ext grader", after=["%check attention"], says=["%load_ext grader"]),
]  # fmt: skip

NOTEBOOK_WORLD = [
    right("google_colab", COLAB, "#@title Settings {run: 'auto'}\nn = 3 #@param {type: 'slider'}", says=["No module named"]),
    right("drive_mount_guarded", f"try:\n    {COLAB.splitlines()[0]}\nexcept ImportError:\n    pass", silent=True),
    right("keyboard_input", "n = int(input('n?'))\nprint(n)", says=["keyboard input", "NameError"]),
    right("display_and_widgets", "from IPython.display import HTML, display, clear_output\ndisplay(HTML('<b>x</b>'))\n"
          "clear_output()\ndisplay(3)", silent=True),
    right("shell_object", "get_ipython().run_line_magic('timeit', '1')\nprint(get_ipython())", silent=True),
    right("a_plot_without_a_display", PLOT, says=["matplotlib"]),
    right("await_at_the_top", "import asyncio\nawait asyncio.sleep(0)", says=["without an event loop"]),
    right("async_function_beside", "async def fetch():\n    return 1\nx = await fetch()", silent=False),
    right("endless_cell", ENDLESS, says=["never finished"]),
    right("exit_in_a_cell", "exit()", after=["quit()", "import os\nos._exit(0)"], says=["ended the whole process"]),
    right("breakpoint_and_debug", "breakpoint()\n%debug", says=["%debug"]),
    right("last_line_is_a_bare_value", after=["torch.ones(2)\n_\n__"], says=["name '_' is not defined"]),
    right("numbers_of_earlier_outputs", after=["Out[3]\nIn[1]\n_3"], says=["name 'Out' is not defined"]),
]  # fmt: skip

CELLS = [
    Kind("windows_line_ends", notebook(*(source.replace("\n", "\r\n") for source in RIGHT)), silent=True),
    Kind("old_mac_line_ends", notebook(*(source.replace("\n", "\r") for source in RIGHT)), silent=True),
    Kind("tabs", notebook(*(source.replace("    ", "\t") for source in RIGHT)), silent=True),
    right("cells_of_comments_alone", "# nothing", "", "   \n", "'''words'''", silent=True),
    Kind("indented_cells", notebook(*("    " + source.replace("\n", "\n    ") for source in RIGHT)), silent=True),
    Kind("pasted_prompts", notebook(IMPORTS, ">>> " + SCORES.replace("\n", "\n... "), WEIGHTS, WHOLE), silent=True),
    Kind("no_ids_no_metadata", notebook(*({"cell_type": "code", "source": source} for source in RIGHT)), silent=True),
    Kind("duplicate_ids", notebook(*(code(source, id="same") for source in RIGHT)), silent=True),
    Kind("source_as_lists", notebook(*(code(source.splitlines(True)) for source in RIGHT)), silent=True),
    right("source_missing_or_null", {"cell_type": "code"}, code(None), code([]), code(7), text(""), silent=True),
    right("a_cell_that_is_no_object", "x = 1", {"cell_type": None, "source": "nonsense("}, silent=True),
    right("counted_and_tagged_oddly", code("x = 1", execution_count="many", id=3), after=[code("y", metadata=[])],
          says=["NameError"]),
    right("huge_outputs", code("x = 1", outputs=[PICTURE, PICTURE, TRACEBACK]), silent=True),
    Kind("everything_in_one_cell", notebook("\n\n".join(RIGHT)), silent=True, cells={"attention_weights": 1}),
    Kind("cells_in_the_wrong_order", notebook(WHOLE, WEIGHTS, SCORES, IMPORTS), silent=True),
    Kind("annotated", notebook(IMPORTS, SCORES.replace("(q, k)", "(q: torch.Tensor, k: 'Tensor') -> \"Tensor\""),
                               WEIGHTS, WHOLE), silent=True),
    Kind("format_3", old(3), silent=True, cells={"attention_scores": 3}),
    Kind("format_2", old(2), silent=True),
    Kind("another_kernel", around(metadata={"kernelspec": {"name": "ir", "language": "R"}}), silent=True),
    Kind("code_of_another_language", notebook("x <- c(1, 2)\nf <- function(a) a", metadata={"kernelspec": {"name": "ir"}}),
         earns="none", says=["Python cannot read cell 1"]),
    Kind("code_in_markdown", notebook(IMPORTS, text("```python\n" + SCORES + "\n```"), WEIGHTS, WHOLE), earns="some",
         says=["`attention_scores` is written in a markdown cell"]),
    Kind("code_in_raw_cells", notebook(*(text(source, "raw") for source in RIGHT)), earns="none",
         says=["no code cells", "`attention_weights` is written in a raw cell"]),
    Kind("only_words", notebook(text("# Attention")), earns="none", says=["no code cells"]),
    Kind("no_cells_at_all", notebook(), earns="none", says=["no code cells"]),
]  # fmt: skip

VERSIONS = [
    right("several_versions", STUBS[0], SCORES.replace("math.sqrt", ""), silent=True, cells={"attention_scores": 4}),
    right("name_becomes_a_number", after=["attention_scores = 5\nattention_weights = torch.ones(2)"],
          flags=["name_rebound"], says=["later"]),
    right("stub_below_the_solution", after=STUBS, flags=["stub_after_solution"], cells={"attention_scores": 2}),
    Kind("failing_cell_with_a_definition_above", notebook(IMPORTS, HALF, WHOLE), says=["half way"],
         cells={"attention_scores": 2, "attention_weights": 2}),
    right("cell_with_a_syntax_error", "def broken(:\n    pass", says=["Nothing in this cell could be used"]),
    Kind("definition_in_a_broken_cell", notebook(IMPORTS, SCORES + "\nprint 'x'", WEIGHTS, WHOLE), earns="some",
         says=["Python cannot read cell 2, line 3"]),
    Kind("untouched", notebook(IMPORTS, *STUBS), earns="none", silent=True),
    Kind("nothing_but_scores", notebook(IMPORTS, SCORES, *STUBS[1:]), earns="some", silent=True),
]  # fmt: skip

FILES = [
    Kind("byte_order_mark", b"\xef\xbb\xbf" + around(), silent=True),
    Kind("utf_16", around(text("注意力")).decode().encode("utf-16"), flags=["encoding"], says=["UTF-16"]),
    Kind("gb18030", around(text("注意力机制"), "# 一行中文注释").decode().encode("gb18030"), flags=["encoding"],
         says=["GB18030"]),
    Kind("double_ending", around(), file="attention.ipynb.json", silent=True),
    Kind("text_ending", around(), file="attention.ipynb.txt", silent=True),
    Kind("notebook_called_py", around(), file="attention.py", flags=["file_kind"]),
    Kind("browser_copy", around(), file="attention (1).ipynb", silent=True),
    Kind("not_a_number", around(metadata={"x": float("nan"), "y": float("inf")}), silent=True),
    Kind("nan_in_a_cell", around(code("x = 1", execution_count=float("nan"))), silent=True),
    Kind("keys_twice", around().replace(b'"nbformat": 4', b'"nbformat": 4, "nbformat": 4', 1), flags=["notebook_form"]),
    Kind("colours_of_a_terminal", around(code("x = '\\u001b[31m'")), silent=True),
    not_gradable("comma_too_many", around()[:-2] + b",]}", "damaged or cut off", "save it"),
    not_gradable("cut_off", around()[:900], "damaged or cut off"),
    not_gradable("nothing_in_it", b"", "0 bytes"),
    not_gradable("blank", b"  \n\n", "damaged or cut off"),
    not_gradable("a_list", b"[1, 2]", "JSON is no notebook"),
    not_gradable("json_of_something_else", b'{"name": "attention"}', "has no cells"),
    not_gradable("a_web_page", b"<!DOCTYPE html>\n<html><body>attention.ipynb</body></html>", "it is a web page"),
    not_gradable("a_zip", b"PK\x03\x04" + bytes(200), "zip archive"),
    not_gradable("a_pdf", b"%PDF-1.7 ...", "a PDF"),
    not_gradable("python_called_ipynb", python(*RIGHT), "it is Python source"),
    not_gradable("git_merge", around().replace(b'"cells"', b'\n<<<<<<< HEAD\n"cells"'), "git merge"),
    not_gradable("a_word_document", around(), "neither a Python file nor a notebook", file="attention.docx"),
    not_gradable("pickled", b"\x80\x04\x95" + bytes(range(256)), "no text file"),
]  # fmt: skip

COURSES = [
    Kind("nbgrader", notebook(
        IMPORTS, code(MARKED, metadata={"nbgrader": NBGRADER}), WEIGHTS, WHOLE,
        code("assert attention_scores(torch.ones(1, 2), torch.ones(1, 2)).shape == (1, 1)\n"
             "### BEGIN HIDDEN TESTS\nassert False\n### END HIDDEN TESTS", metadata={"nbgrader": NBGRADER_TESTS}),
    ), says=["AssertionError"], cells={"attention_scores": 2}),
    Kind("nbgrader_written_below_the_placeholder", notebook(
        IMPORTS, SCORES.split("\n")[0] + "\n    # YOUR CODE HERE\n    raise NotImplementedError()\n\n" + SCORES,
        WEIGHTS, WHOLE), silent=True),
    Kind("otter", notebook(
        "# Initialize Otter\nimport otter\ngrader = otter.Notebook('attention.ipynb')", text("# BEGIN QUESTION\nname: q1", "raw"),
        *RIGHT, 'grader.check("q1")', "grader.export(run_tests=True)", metadata=OTTER), says=["No module named 'otter'"]),
    right("names_ours", "import grader", "from grader import check", after=["check(attention_scores)"]),
    Kind("jupytext_percent", python("# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---",
         "# %% [markdown]\n# # Attention", "# %%\n# %matplotlib inline\n" + IMPORTS, "# %%\n" + SCORES,
         '# %% [markdown]\n"""\nWords\n"""', "# %%\n# !pip install torch\n" + WEIGHTS, "# +\n" + WHOLE + "\n# -"),
         file="attention.py", silent=True),
    Kind("jupytext_light", python("# # Attention\n#\n# Words", "# +\n" + IMPORTS + "\n# -", SCORES, WEIGHTS, WHOLE),
         file="attention.py", silent=True),
    Kind("vs_code_cells", python("#%%\n" + IMPORTS, "#%%\n" + SCORES, "# %% weights\n" + WEIGHTS, "# In[ ]\n" + WHOLE),
         file="attention.py", silent=True),
    Kind("converted_script", python(SCRIPT.format(SHELL, SCORES), WEIGHTS, WHOLE), file="attention.py", silent=True),
    Kind("converted_script_with_a_cell_magic", python(SCRIPT.format(SHELL, SCORES), WEIGHTS, TIMED), file="attention.py", says=["%%time"]),
    Kind("script_with_magics_left_in", python("!pip install torch\n%matplotlib inline", *RIGHT), file="attention.py",
         flags=["does_not_import"], says=["`!pip install torch` is a notebook command"]),
    Kind("exported_cell_of_html", python(SHELL, "get_ipython().run_cell_magic('html', '', '<b>x</b>\\n')", *RIGHT),
         file="attention.py", says=["not plain Python"]),
    Kind("a_slip_is_no_magic", python(*RIGHT, "x = 1?"), file="attention.py", earns="none", says=["Python cannot read"]),
    Kind("the_one_file_check", notebook("from check import check", *RIGHT, "check('attention')"), silent=True),
]  # fmt: skip

FLOATS = "from jaxtyping import Float\nfrom torch import Tensor"
TYPED = SCORES.replace("(q, k)", '(q: Float[Tensor, "b t d"], k: Float[Tensor, "b s d"]) -> Float[Tensor, "b t s"]')
CUT = "# %% [markdown]\n# # Attention\n# %%\n%matplotlib inline\n{}\n#%% scores\n{}\n# %%\n!pip install x\n{}\n{}\n# %%\ntorch.softmax?\n"
COLAB_META = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU", "widgets": {"state": {}}}
CLASS = "import torch\n\nclass Head(torch.nn.Module):\n    def forward(self, q):\n        return q\n\nhead = Head()"
MODEL = "from dataclasses import dataclass\n\n@dataclass\nclass Config:\n    mask: Float[Tensor, '1'] = None\n    heads: int = 2"

HABITS = [
    Kind("types_of_an_absent_package", notebook(IMPORTS, FLOATS, TYPED, WEIGHTS, WHOLE),
         says=["No module named 'jaxtyping'", "`Float` could not be imported here"], cells={"attention_scores": 3}),
    Kind("types_that_are_never_evaluated", notebook("from __future__ import annotations\n" + IMPORTS, FLOATS, TYPED, WEIGHTS,
                                                    WHOLE), says=["No module named 'jaxtyping'"]),
    Kind("decorators_of_absent_packages", notebook(
        IMPORTS, "from beartype import beartype\nimport line_profiler as lp", "@beartype\n" + SCORES, "@lp.profile\n" + WEIGHTS, WHOLE), says=["`beartype` could not", "`lp` could not"]),
    right("dataclass_with_absent_types", FLOATS, MODEL, after=["assert Config().heads == 2"], says=["`Float` could not"]),
    Kind("a_base_class_of_an_absent_package", notebook(
        IMPORTS, "import lightning as L", "class Model(L.LightningModule):\n    pass", *RIGHT[1:]), says=["NameError"]),
    Kind("script_cut_into_cells", python(CUT.format(*RIGHT)), file="attention.py", flags=["does_not_import"],
         says=["torch.softmax?", "!pip install x"]),
    right("exported_by_colab", code(COLAB, metadata={"id": "aB3", "cellView": "form", "executionInfo": {"status": "ok"}}),
          "!nvidia-smi", "%cd /content/drive/MyDrive", says=["!nvidia-smi"]),
    Kind("metadata_of_colab", around("!git clone https://a.example/b", metadata=COLAB_META), says=["!git clone"]),
    right("a_card_that_is_not_here", "import torch\nassert torch.cuda.is_available(), 'no card'\nx = torch.ones(2).to('cuda')",
          says=["no card"]),
    right("only_when_run_as_a_program", after=["if __name__ == '__main__':\n    print(attention_scores(1, 2))\n    exit(3)"],
          silent=True),
    right("own_checks_that_fail", after=["assert attention_scores(torch.ones(1, 2), torch.ones(1, 2)).shape == (9,)"],
          says=["AssertionError"]),
    right("progress_bars", "from tqdm.notebook import tqdm, trange\nimport tqdm.auto as bars\nfor i in tqdm(range(3)):\n    pass\n"
          "with bars.tqdm(total=3) as bar:\n    bar.update(1)\nassert [i + 1 for i in trange(2, desc='x')] == [1, 2]\ntqdm.write('x')", silent=True),
    right("a_class_defined_twice", CLASS, CLASS.replace("return q", "return q + 1"), silent=True),
    right("enum_and_named_tuple", "from enum import Enum\nfrom typing import NamedTuple\n\nclass A(NamedTuple):\n    x: int\n\n"
          "class B(Enum):\n    C = 1\nA(1), B.C", silent=True),
    Kind("comments_in_gbk", python("# 缩放点积注意力", IMPORTS, SCORES.replace(":\n", ":\n    # 计算分数\n"), WEIGHTS, WHOLE)
         .decode().encode("gbk"), file="attention.py", flags=["encoding"]),
    Kind("comments_in_declared_gbk", python("# -*- coding: gbk -*-\n# 缩放点积注意力", *RIGHT).decode().encode("gbk"),
         file="attention.py", flags=["encoding"]),
    Kind("tabs_and_windows_line_ends", notebook(*(s.replace("    ", "\t").replace("\n", "\r\n") for s in RIGHT)), silent=True),
    right("code_in_a_raw_cell_beside", text(SCORES.replace("/", "*"), "raw"), silent=True),
    Kind("kernel_of_julia", around(metadata={"kernelspec": {"name": "julia-1.9", "language": "julia"}}), silent=True),
    Kind("appended_to_the_file", notebook("%%writefile -a attention.py\n" + IMPORTS + "\n" + SCORES,
                                          "%%file -a attention.py\n" + WEIGHTS + "\n\n" + WHOLE), says=["%%writefile -a"]),
    Kind("written_and_imported_again", notebook(
        IMPORTS, "%%writefile attention.py\n" + "\n\n".join(RIGHT), "from attention import *\n%run attention.py"),
        says=["%run attention.py"]),
    Kind("another_interpreter_s_cell", notebook(IMPORTS, SCORES, WEIGHTS, "%%python3\n" + WHOLE), earns="some", says=["%%python3"]),
    Kind("lines_without_their_ends", notebook(*(code(source.split("\n")) for source in RIGHT)), silent=True),
    Kind("kind_in_capitals", notebook(*({"cell_type": "Code", "source": source} for source in RIGHT)), silent=True),
    right("a_shell_that_is_configured", "from IPython.core.interactiveshell import InteractiveShell\n"
          "InteractiveShell.ast_node_interactivity = 'all'", says=["InteractiveShell"]),
    right("built_in_names_taken", "def print(*a):\n    raise ValueError\nlist = [1]\nsum = 0\nlen = None", silent=True),
    right("processes_and_downloads", "from multiprocessing import Pool\nwith Pool(2) as p:\n    p.map(abs, [1])",
          "import urllib.request\nurllib.request.urlretrieve('http://127.0.0.1:9/x', 'x')", says=["not permitted"]),
    right("signs_that_are_no_commands", 's = """\n%time\n!ls\n?x\n"""\ny = (10\n  %3)\nassert y == 1', silent=True),
    Kind("a_name_taken_away_at_the_end", around(after=["math = 5"]), earns="some"),
    Kind("signs_of_a_word_processor", notebook(IMPORTS, "print(“hello”)", *RIGHT[1:]), says=["invalid character"]),
    Kind("full_width_brackets", notebook(IMPORTS, SCORES.replace("(q, k):", "（q，k）："), WEIGHTS, WHOLE), earns="some",
         says=["invalid character '（'"]),
]  # fmt: skip

KINDS = (*MAGICS, *NOTEBOOK_WORLD, *CELLS, *VERSIONS, *FILES, *COURSES, *HABITS)
