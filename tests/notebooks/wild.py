"""More odd notebooks, as real tools and habits leave them; ``kinds`` says what a ``Kind`` is.

Each is again the right solution of the attention assignment, so that whatever is lost is the reading's fault.
"""

from __future__ import annotations

from tests.notebooks.kinds import IMPORTS, RIGHT, SCORES, WEIGHTS, WHOLE, Kind, notebook, right

ALL = "\n\n\n".join(RIGHT)

FILES_OF_CELLS = [
    Kind("written_and_run", notebook("%%writefile mine.py\n" + ALL, "%run mine.py"), says=["`%run mine.py` runs another"]),
    Kind("written_and_run_without_ending", notebook("%%writefile mine.py\n" + ALL, "%run -i mine")),
    Kind("written_in_two_parts", notebook("%%writefile mine.py\n" + IMPORTS, "%%writefile -a mine.py\n" + "\n\n".join(RIGHT[1:]),
                                          "from mine import *")),
    Kind("written_into_a_folder", notebook("!mkdir -p src", "%%writefile src/mine.py\n" + ALL, "from src.mine import *")),
    Kind("written_into_a_folder_on_the_path", notebook(
        "%%writefile src/mine.py\n" + ALL, "import sys\nsys.path.append('src')\nfrom mine import *")),
    right("run_of_a_file_that_is_not_here", "%run setup.py", says=["No module named 'setup'"]),
    Kind("a_folder_with_a_blank", notebook("%%writefile '/content/drive/My Drive/attention.py'\n" + ALL),
         cells={"attention_scores": 1}),
]  # fmt: skip

COMMANDS = [
    Kind("pylab", notebook("%pylab inline", "assert np.ones(3).sum() == 3\nimport math, torch", *RIGHT[1:]), silent=False,
         says=["the Python in it was kept"]),
    Kind("cell_magics_of_packages", notebook(IMPORTS, "%%memray_flamegraph --native\n" + SCORES, "%%ipytest -q\n" + WEIGHTS,
                                             WHOLE), says=["`%%ipytest -q` is a notebook command; the code below it"]),
    right("a_cell_for_another_interpreter", "%%python3\ndef attention_scores(q, k):\n    return 0",
          says=["not plain Python"]),
    right("shell_answers_put_anywhere", "c = {}\nc['files'] = !ls\nfound: list = !ls -a\nassert c == {'files': []}",
          says=["c['files'] = !ls"]),
]  # fmt: skip

STATEMENTS = [
    Kind("absent_package_in_a_list_of_imports", notebook("import matplotlib.pyplot as plt, math, torch", *RIGHT[1:]),
         says=["No module named 'matplotlib'"]),
    Kind("return_outside_a_function", notebook(ALL + "\n\nreturn"),
         says=["could not compile this (SyntaxError: 'return' outside function); it was left out"]),
    Kind("future_import_in_the_middle", notebook("x = 1\nfrom __future__ import annotations\n" + ALL), silent=True),
    Kind("mark_of_byte_order_in_every_cell", notebook(*("\ufeff" + source for source in RIGHT)), silent=True),
]  # fmt: skip

LIBRARY = "from torch.nn.functional import scaled_dot_product_attention\nq = torch.ones(2, 3)"

NAMES = [
    right("compared_with_the_library_afterwards", after=[LIBRARY, "scaled_dot_product_attention(q, q, q)"],
          flags=["name_rebound"], cells={"scaled_dot_product_attention": 4}),
    right("a_librarys_function_takes_the_name", after=["attention_scores = torch.matmul"], flags=["name_rebound"]),
]  # fmt: skip

SETTINGS = [
    right("gradients_off_for_good", "import torch\ntorch.set_grad_enabled(False)", says=["turns gradients off"]),
    right("a_default_device_that_is_not_here", "import torch\ntorch.set_default_device('cuda')", "x = torch.ones(3)",
          says=["makes a device that is not here the default"]),
    right("a_default_device_that_is_here", "import torch\ntorch.set_default_device('cpu')", silent=True),
    right("anomalies_looked_for", "import torch\ntorch.autograd.set_detect_anomaly(True)", silent=True),
]  # fmt: skip

EXIT = "import os\nos._exit(0)"
LAYER = "class Layer(nn.Module):\n    pass"
LATER = "class Weights(Layer):\n    pass"

RUNNING = [
    right("ends_the_process_again_and_again", *[EXIT] * 8, after=["print(torch.ones(2))"],
          says=["ended the whole process", "only imports and definitions were taken; 3 other statements"]),
    Kind("cells_run_from_the_bottom_up", notebook(LATER, LAYER, "@torch.jit.ignore\n" + WHOLE, WEIGHTS, SCORES,
                                                  "from torch import nn", IMPORTS),
         says=["`Weights` needs a name that only a cell below defines"], cells={"scaled_dot_product_attention": 3}),
]  # fmt: skip

WILD = (*FILES_OF_CELLS, *COMMANDS, *STATEMENTS, *NAMES, *SETTINGS, *RUNNING)
