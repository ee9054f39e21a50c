from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from grader.lifeless import hollow_sources, lifeless_sources, wrapped_sources

STUB = '''
import torch
from torch import nn

SIZE = 3

def scores(q, k):
    """Docstring."""
    raise NotImplementedError("TODO")

def triangle(t):
    raise NotImplementedError("TODO")

def answers():
    raise NotImplementedError("TODO")

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        raise NotImplementedError("TODO")

    def forward(self, x, extra=None):
        raise NotImplementedError("TODO")

class Deeper(Layer):
    def __init__(self, width):
        raise NotImplementedError("TODO")
'''
SOLUTION = """
import math
import numpy as np
import torch
from torch import nn

FACTOR = 2.0

def scores(q, k):
    return FACTOR * q @ k.mT

def triangle(t):
    return torch.ones(t, t, dtype=torch.bool).tril()

def answers():
    return {"row": [1.0, 2.0], "whole": np.array([3.0])}

def shadowed(scores, triangle=1):
    return [scores for scores in range(scores)] + [triangle]

class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        if width % 2:
            raise ValueError("odd")
        self.proj = nn.Linear(width, width)

    def scores(self, x):
        return scores(x, x)

    def forward(self, x, extra=None):
        return self.proj(x), self.scores(x)

class Deeper(Layer):
    def __init__(self, width):
        super().__init__(width)
"""
HOLLOW = dict(hollow_sources(STUB))
WRAPPED = dict(wrapped_sources(STUB, SOLUTION))
Q, K = torch.randn(2, 4, 6), torch.randn(2, 5, 6)


def loaded(source):
    names = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), names)
    return names


@pytest.mark.parametrize("name", [name for name in HOLLOW if name != "stub_with_a_touch"])
def test_a_hollow_variant_returns_at_once_whatever_it_is_given(name):
    module = loaded(HOLLOW[name])
    given = module["scores"](Q, K)
    assert given is None or isinstance(given, torch.Tensor | tuple | str | float | bool)
    assert module["answers"]() in (None, 0.0, True, (None, None), "nothing")
    layer = module["Layer"](4)
    assert isinstance(layer, torch.nn.Module)
    assert not isinstance(layer(Q), torch.nn.Module)


def test_a_touched_stub_still_does_what_the_stub_does():
    touched = loaded(HOLLOW["stub_with_a_touch"])
    with pytest.raises(NotImplementedError):
        touched["scores"](Q, K)
    assert HOLLOW["stub_with_a_touch"].count("touched = True") == 6


def test_hollow_variants_give_back_each_argument():
    assert loaded(HOLLOW["returns_first_argument"])["scores"](Q, K) is Q
    assert loaded(HOLLOW["returns_second_argument"])["scores"](Q, K) is K
    assert loaded(HOLLOW["returns_second_argument"])["triangle"](3) == 3
    assert loaded(HOLLOW["returns_all_arguments"])["scores"](Q, K) == (Q, K)


@pytest.mark.parametrize("name", WRAPPED)
def test_a_wrapped_variant_has_the_right_shapes_and_types_and_no_right_value(name):
    module, right = loaded(WRAPPED[name]), loaded(SOLUTION)
    got, want = module["scores"](Q, K), right["scores"](Q, K)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    assert not torch.allclose(got, want, atol=1e-2)
    mask = module["triangle"](5)
    assert (mask.shape, mask.dtype) == ((5, 5), torch.bool)
    assert not torch.equal(mask, right["triangle"](5))
    told = module["answers"]()
    assert [type(entry) for entry in told["row"]] == [float, float]
    assert told["row"] != [1.0, 2.0]
    assert isinstance(told["whole"], np.ndarray)


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("cls", ["Layer", "Deeper"])
def test_a_wrapped_class_keeps_its_parameters_and_loses_its_answers(name, cls):
    module, right = loaded(WRAPPED[name]), loaded(SOLUTION)
    torch.manual_seed(0)
    layer, want = module[cls](6), right[cls](6)
    assert list(layer.state_dict()) == ["proj.weight", "proj.bias"]
    layer.load_state_dict(want.state_dict())
    got, expected = layer(Q), want(Q)
    assert isinstance(got, tuple)
    assert [g.shape for g in got] == [e.shape for e in expected]
    assert not any(torch.allclose(g, e, atol=1e-2) for g, e in zip(got, expected, strict=True))


@pytest.mark.parametrize("name", WRAPPED)
def test_a_wrapped_variant_never_raises_where_the_solution_does(name):
    module = loaded(WRAPPED[name])
    assert module["scores"](Q, "nonsense") is None
    assert isinstance(module["Layer"](5), torch.nn.Module)


def test_the_variants_are_what_their_names_say():
    answers = {name: loaded(source)["scores"](Q, K) for name, source in WRAPPED.items()}
    assert not answers["zeros"].any()
    assert (answers["ones"] == 1).all()
    assert torch.allclose(answers["uniform"], torch.full((2, 4, 5), 1 / 5))
    assert answers["nan"].isnan().all()
    assert torch.equal(answers["first_input"].flatten(), Q.flatten()[:40])
    assert torch.allclose(answers["constant_weights"].sum(-1), torch.ones(2, 4))
    assert math.isfinite(answers["noise"].sum())


def test_a_variant_with_gradient_stays_attached_to_its_inputs():
    q = Q.clone().requires_grad_()
    for name in ("zeros_with_gradient", "ones_with_gradient", "uniform_with_gradient", "constant_with_gradient"):
        assert loaded(WRAPPED[name])["scores"](q, K).requires_grad, name


def test_the_deaf_variant_gives_one_answer_for_all_inputs_of_a_shape():
    deaf = loaded(WRAPPED["deaf"])
    first = deaf["scores"](Q, K)
    assert torch.equal(first, deaf["scores"](torch.randn_like(Q), torch.randn_like(K)))
    assert first.std() > 0.1
    layer = deaf["Layer"](6)
    assert torch.equal(layer(Q)[0], layer(torch.randn_like(Q))[0])


def test_a_parameter_or_method_of_the_same_name_is_left_alone():
    private = loaded(WRAPPED["zeros"])
    assert private["_living_shadowed"](2) == [0, 1, 1]
    assert private["_living_Layer"](6).scores(Q).shape == (2, 4, 4)


def test_all_variants_have_names_of_their_own():
    names = [name for name, _ in lifeless_sources(STUB, SOLUTION)]
    assert len(set(names)) == len(names) == len(HOLLOW) + len(WRAPPED)
