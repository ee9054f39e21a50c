"""Forbidden library calls are found in the text, by whatever name; mentions and look-alikes are not."""

from __future__ import annotations

import ast

import pytest

from grader.worker.library_use import uses

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
SOFTMAX = "torch.softmax"


def found(source: str) -> list[tuple[str, int]]:
    return list(dict.fromkeys(uses([ast.parse(source)], [SDPA, MHA, SOFTMAX])))


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.nn.functional.scaled_dot_product_attention(q, k, v)",
        "import torch.nn.functional as F\nF.scaled_dot_product_attention(q, k, v)",
        "from torch.nn import functional as F\nF.scaled_dot_product_attention(q, k, v)",
        "from torch import nn\nnn.functional.scaled_dot_product_attention(q, k, v)",
        "from torch.nn.functional import scaled_dot_product_attention as mine\nmine(q, k, v)",
        "from torch.nn.functional import *\nscaled_dot_product_attention(q, k, v)",
        "from torch import *\nnn.functional.scaled_dot_product_attention(q, k, v)",
        "import torch\nG = torch.nn; H = G.functional\nH.scaled_dot_product_attention(q, k, v)",
        "import torch\n(a, b) = (torch.nn.functional, 5)\na.scaled_dot_product_attention(q, k, v)",
        "import torch\nif (F := torch.nn.functional):\n    F.scaled_dot_product_attention(q, k, v)",
        "import torch.nn.functional as F\ngetattr(F, 'scaled_dot_product_attention')(q, k, v)",
        "import torch.nn.functional as F\ngetattr(F, 'scaled_dot' + '_product' + '_attention')(q, k, v)",
        "import torch.nn.functional as F\ngetattr(F, '_'.join(['scaled', 'dot', 'product', 'attention']))(q, k, v)",
        "import torch.nn.functional as F\ngetattr(F, 'noitnetta_tcudorp_tod_delacs'[::-1])(q, k, v)",
        "import torch.nn.functional as F\ngetattr(F, f'scaled_dot_product_{\"attention\"}')(q, k, v)",
        "import torch.nn.functional as F\nvars(F)['scaled_dot_product_attention'](q, k, v)",
        "import torch.nn.functional as F\nF.__dict__['scaled_dot_product_attention'](q, k, v)",
        "import operator, torch\noperator.attrgetter('nn.functional.scaled_dot_product_attention')(torch)(q, k, v)",
        "import importlib\nimportlib.import_module('torch.nn.functional').scaled_dot_product_attention(q, k, v)",
        "__import__('torch').nn.functional.scaled_dot_product_attention(q, k, v)",
        "import sys\nsys.modules['torch.nn.functional'].scaled_dot_product_attention(q, k, v)",
        "import torch\ntorch._C._nn.scaled_dot_product_attention(q, k, v)",
        "import torch\ntorch.ops.aten.scaled_dot_product_attention(q, k, v)",
        "import torch\ntorch.ops.aten.scaled_dot_product_attention.default(q, k, v)",
    ],
)
def test_a_use_is_found_under_any_name(source: str) -> None:
    assert (SDPA, source.count("\n") + 1) in found(source)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from torch import nn\nclass Mine(nn.MultiheadAttention):\n    pass", MHA),
        ("from torch.nn.modules.activation import MultiheadAttention as A\nA(4, 2)", MHA),
        ("import torch\ntorch.special.softmax(x, -1)", SOFTMAX),
        ("import torch\ntorch.ops.aten._softmax(x, -1, False)", SOFTMAX),
    ],
)
def test_other_doors_to_the_same_thing(source: str, name: str) -> None:
    assert [use for use, _ in found(source)] == [name]


@pytest.mark.parametrize(
    "source",
    [
        '"""Never torch.nn.functional.scaled_dot_product_attention."""\n# F.scaled_dot_product_attention(q)',
        "from torch.nn.functional import scaled_dot_product_attention",
        "def scaled_dot_product_attention(q, k, v):\n    return q\nscaled_dot_product_attention(1, 2, 3)",
        "import mine as F\nF.scaled_dot_product_attention(q, k, v)",
        "self.softmax(x); x.softmax(-1); np.softmax(x)",
        "F.scaled_dot_product_attention(q, k, v)",
        "import torch.nn.functional as F\nF.scaled_dot_product_attention = None",
        "getattr(F, name)(q)",
    ],
)
def test_mentions_and_look_alikes_are_none(source: str) -> None:
    assert found(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "x" + ".a" * 900,
        "x" + "('a')" * 900,
        "x = " + "+".join(["'a'"] * 1500),
        "getattr(" * 80 + "x" + ", 'a')" * 80,
        "import torch\n" + "\n".join(f"a{n} = a{n - 1}" for n in range(1, 2000)),
        "x = " + "f'{" * 0 + "'a'" + "[::-1]" * 500,
        "\n".join("x" + ".a" * 90 for _ in range(500)),
    ],
    ids=range(7),
)
def test_text_made_to_keep_the_reader_busy_is_read(source: str) -> None:
    assert found(source) == []
