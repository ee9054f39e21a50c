"""Loading a file: every statement on its own, and nothing a student wrote ends the load."""

from __future__ import annotations

import inspect
import json
import linecache
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from tests.worker.loading import REAL, run


def test_definitions_above_and_below_a_failing_statement_count() -> None:
    load = run("def a():\n    return 1\n\n1 / 0\n\ndef scores(q, k):\n    return a()\n")
    assert load["scores"](0, 0) == 1
    assert load.state() == "present"
    remark = load.remark("raised")
    assert "ZeroDivisionError: division by zero" in remark["text_en"]
    assert (remark["file"], remark["line"], remark["cell"]) == ("attention.py", 4, None)


@pytest.mark.parametrize(
    "statement",
    ["raise SystemExit(0)", "raise KeyboardInterrupt", "raise GeneratorExit", "import sys; sys.exit()", "exit()",
     "class Odd(BaseException): pass\nraise Odd", "assert False, 'no'", "undefined_name", "raise MemoryError"],
)  # fmt: skip
def test_no_exception_ends_the_load(statement: str) -> None:
    load = run(f"{statement}\n{REAL}")
    assert load.state() == "present"
    assert load.remark_kinds == ["raised"]
    assert load.flag_kinds == ["does_not_import"]


def test_endless_recursion_at_the_top_is_left_out() -> None:
    load = run(f"def deep(n):\n    return deep(n + 1)\ndeep(0)\n{REAL}")
    assert load.state() == "present"
    assert "RecursionError" in load.remark("raised")["text_en"]


def test_the_deepest_own_line_of_an_error_is_named() -> None:
    load = run("def inner():\n    return [][0]\n\n\ninner()\n")
    remark = load.remark("raised")
    assert remark["line"] == 2
    assert "statement at line 5" in remark["text_en"]


def test_an_exception_that_cannot_be_told_is_still_reported() -> None:
    load = run(f"class Mute(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Mute\n{REAL}")
    assert "Mute" in load.remark("raised")["text_en"]
    assert load.state() == "present"


def test_an_exception_that_answers_no_question_is_still_reported() -> None:
    load = run(
        "class Wall(Exception):\n    def __getattribute__(self, name):\n        raise SystemExit\n"
        f"    __class__ = property(lambda self: 1 / 0)\nraise Wall('why')\n{REAL}"
    )
    assert (load.remark("raised")["line"], load.state()) == (5, "present")
    assert "Wall" in load.remark("raised")["text_en"]


def test_a_long_message_is_cut_and_lone_surrogates_can_travel() -> None:
    load = run("raise ValueError('\\ud800' + 'x' * 10_000)")
    text = load.remark("raised")["text_en"]
    assert len(text) < 600
    json.dumps(load.result.summary(), ensure_ascii=False).encode("utf-8")


def test_every_statement_is_announced_before_it_runs_with_its_line() -> None:
    load = run("x = 1\n\ny = 2\n1 / 0\nz = 3\n")
    assert load.announced == [(0, 1, None), (1, 3, None), (2, 4, None), (3, 5, None)]


def test_left_out_statements_keep_the_numbers_of_the_others() -> None:
    load = run(f"while True: pass\nx = 1\n{REAL}", skip={"0": "hangs"})
    assert [number for number, _, _ in load.announced] == [1, 2]
    assert "never finished" in load.remark("skipped")["text_en"]
    assert load.remark("skipped")["line"] == 1
    assert load.flag_kinds == ["does_not_import"]
    assert load.state() == "present"


def test_statements_can_be_left_out_by_number_alone() -> None:
    load = run("x = 1\ny = 2\n", skip={1})
    assert "x" in load
    assert "y" not in load
    assert load.remark_kinds == ["skipped"]


def test_the_main_guard_does_not_run() -> None:
    load = run(f"{REAL}\nname = __name__\nif __name__ == '__main__':\n    1 / 0\n")
    assert load["name"] == "attention"
    assert load.remark_kinds == []
    assert load.flag_kinds == []


def test_input_raises_a_clear_error_at_load_and_in_calls() -> None:
    load = run("n = input('n? ')\ndef scores(q, k):\n    return input()\n")
    assert load.remark_kinds == ["input"]
    assert load.remark("input")["line"] == 1
    with pytest.raises(EOFError, match="nobody to answer"):
        load["scores"](0, 0)


def test_a_forgotten_breakpoint_stops_nothing() -> None:
    load = run("def scores(q, k):\n    breakpoint()\n    return 7\n")
    assert load["scores"](0, 0) == 7


def test_argparse_at_the_top_sees_no_foreign_arguments() -> None:
    load = run("import argparse\nargs = argparse.ArgumentParser().parse_args()\n")
    assert load.remark_kinds == []


def test_a_syntax_error_is_shown_with_its_line_and_a_caret() -> None:
    load = run("x = 1\ndef scores(q, k)\n    return q\n")
    remark = load.remark("syntax_error")
    assert (remark["line"], load.state(), load.flag_kinds) == (2, "missing", ["does_not_import"])
    _, line, caret, _ = remark["text_en"].split("\n")
    assert line == "    def scores(q, k)"
    assert caret.index("^") == len(line)
    assert load.announced == []


def test_the_caret_lines_up_under_wide_characters() -> None:
    load = run("注意 = 1 2\n")
    _, line, caret, _ = load.remark("syntax_error")["text_zh"].split("\n")
    assert caret.startswith("    \u3000\u3000 ")
    assert line == "    注意 = 1 2"


@pytest.mark.parametrize(
    "source", ["return 5\n", "x = 1\nfrom __future__ import annotations\n", "await f()\n", "def f(a, a): pass\n"]
)
def test_what_python_refuses_to_compile_is_a_syntax_error_of_the_whole_file(source: str) -> None:
    load = run(f"{REAL}{source}")
    assert load.remark_kinds == ["syntax_error"]
    assert load.state() == "missing"


def test_null_bytes_and_surrogates_are_remarks() -> None:
    assert run("x = 1\0\n").remark_kinds in (["not_compiled"], ["syntax_error"])
    assert run("x = '\ud800'\n").remark_kinds == ["not_compiled"]


def test_a_statement_too_deep_for_the_compiler_costs_only_itself() -> None:
    deep = "x = " + "-" * 60_000 + "1\n"
    load = run(deep)
    assert load.remark_kinds == ["not_compiled"]
    sum_ = "y = " + "+".join(["1"] * 20_000) + "\n"
    load = run(f"{sum_}{REAL}")
    assert load.state() in ("present", "missing")
    assert load.remark_kinds in ([], ["not_compiled"])


def test_future_imports_hold_for_every_statement_of_the_file() -> None:
    load = run("from __future__ import annotations\n\ndef scores(q: Nowhere, k: Nowhere):\n    return 1\n")
    assert load["scores"].__annotations__ == {"q": "Nowhere", "k": "Nowhere"}


def test_our_own_future_imports_do_not_leak_in() -> None:
    assert run("def scores(q: int, k):\n    return 1\n")["scores"].__annotations__ == {"q": int}


def test_the_module_docstring_is_the_first_string_only() -> None:
    load = run('"""First."""\nx = 1\n"""Not this."""\n')
    assert load["__doc__"] == "First."


def test_source_is_visible_to_inspect_and_tracebacks() -> None:
    load = run("class Heads:\n    def go(self):\n        return 1 / 0\n\n" + REAL)
    assert inspect.getsource(load["scores"]) == REAL
    assert inspect.getsource(load["Heads"]).startswith("class Heads:")
    with pytest.raises(ZeroDivisionError) as caught:
        load["Heads"]().go()
    assert "return 1 / 0" in "".join(traceback.format_exception(caught.value))
    assert load.result.place_of_error(caught.value.__traceback__) == {"file": "attention.py", "line": 3, "cell": None}


def test_source_survives_a_cleared_line_cache() -> None:
    load = run(f"import linecache\nlinecache.clearcache()\n{REAL}")
    linecache.lazycache("attention.py", load.result.namespace)
    assert linecache.getline("attention.py", 3) == "def scores(q, k):\n"


def test_dataclasses_with_future_annotations_work() -> None:
    load = run(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass\nclass Shape:\n    kind: ClassVar[str] = 'x'\n    heads: int = 2\n"
    )
    assert load["Shape"]().heads == 2
    assert load.remark_kinds == []


@pytest.mark.filterwarnings("ignore")  # torch calls its own script old
def test_torch_scripted_functions_and_modules_count() -> None:
    pytest.importorskip("torch")
    load = run(
        "import torch\n@torch.jit.script\ndef scores(q, k):\n    return q @ k\n\n"
        "class Plain(torch.nn.Module):\n    def forward(self, x):\n        return 2 * x\n"
        "Heads = torch.jit.script(Plain())\n",
        names=("scores", "Heads"),
    )
    assert (load.state("scores"), load.definition("scores")["line"]) == ("present", 3)
    assert (load.state("Heads"), load.definition("Heads")["line"]) == ("present", 9)
    assert load.remark_kinds == []


def test_modules_beside_the_file_come_from_memory() -> None:
    load = run(
        "from helpers import scores, where\nimport parts.masks as masks\n",
        modules={
            "helpers": "from parts.masks import ONE\nwhere = __file__\ndef scores(q, k):\n    return ONE\n",
            "parts.masks": "ONE = 1\n",
            "parts": "",
        },
    )
    assert load["scores"](0, 0) == load["masks"].ONE == 1
    assert load["where"] == "helpers.py"
    assert (load.definition()["file"], load.definition()["line"]) == ("helpers.py", 3)
    assert inspect.getsource(load["scores"]).startswith("def scores")


def test_a_module_beside_may_import_the_file_itself() -> None:
    load = run("BASE = 5\nfrom helpers import scores\n", modules={"helpers": "import attention\n"
               "def scores(q, k):\n    return attention.BASE\n"})  # fmt: skip
    assert load["scores"](0, 0) == 5


def test_a_broken_module_beside_is_reported_where_it_is_imported() -> None:
    load = run(f"import helpers\n{REAL}", modules={"helpers": "def broken(:\n"})
    assert "SyntaxError" in load.remark("raised")["text_en"]
    assert load.remark("raised")["line"] == 1
    assert load.state() == "present"


def test_a_scaffold_import_that_is_not_installed_costs_only_itself() -> None:
    load = run(f"import no_such_library_here as plt\n{REAL}plt.show()\n")
    assert load.remark_kinds == ["raised", "raised"]
    assert load.flag_kinds == ["does_not_import"]
    assert "No module named" in load.result.flags[0]["detail"]


def test_remarks_are_bounded() -> None:
    load = run("undefined\n" * 1_000)
    assert len(load.result.remarks) == 100
    assert "901 more" in load.result.remarks[-1]["text_en"]


def test_names_put_the_students_own_before_imported_ones() -> None:
    load = run("from os import *\nimport math\ndef atention():\n    pass\nfor i in range(2):\n    width = i\n")
    assert load.result.names[:3] == ["atention", "i", "width"]
    assert len(load.result.names) == 200
    assert not any(name.startswith("__") for name in load.result.names)


def test_inner_names_and_signatures_are_told() -> None:
    load = run(
        "class Bag:\n    def __init__(self, width, *, deep=1):\n        pass\n    def scores(self, q):\n        pass\n"
        "def outer(a, /, b, c=1, *rest, d):\n    def hidden():\n        pass\n"
    )
    assert set(load.result.inner) == {"__init__", "scores", "hidden"}
    assert load.result.signatures == {"Bag": ["width", "deep"], "outer": ["a", "b", "c", "d"]}
    assert load.state() == "missing"


def test_hostile_names_in_the_namespace_do_not_matter() -> None:
    load = run(f"globals()['\\ud800'] = 1\nglobals()[5] = 2\nglobals()['a b'] = 3\n{REAL}")
    assert load.result.names == ["scores"]


def test_a_cleared_namespace_is_survived() -> None:
    load = run("x = 1\nglobals().clear()\ndef scores(q, k):\n    return 1\n")
    assert load.state() == "present"


def test_an_empty_file_defines_nothing() -> None:
    load = run("")
    assert load.state() == "missing"
    assert load.flag_kinds == []


def test_the_loader_needs_only_the_standard_library() -> None:
    code = (
        "import sys; from grader.worker import loader;"
        "print([m for m in ('torch', 'numpy', 'yaml', 'grader.model') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
