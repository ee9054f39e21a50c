"""What lifeless submissions answer: source text that ``lifeless`` puts into the files it writes.

It runs where students' code runs, on whatever the solution returned, and is renamed there so that it hides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# What stands for a floating-point result t, given the floating-point tensors among the arguments
# as `inputs`.
ANSWERS: Final[Mapping[str, str]] = {
    "zeros": "torch.zeros_like(t)",
    "zeros_with_gradient": "t * 0",
    "ones": "torch.ones_like(t)",
    "ones_with_gradient": "t * 0 + 1",
    "uniform": "torch.full_like(t, 1 / last(t))",
    "uniform_with_gradient": "t * 0 + 1 / last(t)",
    "nan": "torch.full_like(t, math.nan)",
    "infinite": "torch.full_like(t, math.inf)",
    "noise": "torch.randn_like(t)",
    "noisy_weights": "torch.randn_like(t).softmax(-1) if t.ndim else torch.rand_like(t)",
    "constant": "constant(t)",
    "constant_with_gradient": "t * 0 + constant(t)",
    "constant_weights": "constant(t).softmax(-1) if t.ndim else constant(t)",
    "first_input": "fitted(inputs[0], t) if inputs else torch.zeros_like(t)",
    "last_input": "fitted(inputs[-1], t) if inputs else torch.zeros_like(t)",
    "input_average": "t * 0 + inputs[0].mean() if inputs else torch.zeros_like(t)",
}

ANSWERING = '''
import functools, math
import numpy as np
import torch

def last(t):
    return t.shape[-1] if t.ndim and t.shape[-1] else 1

def constant(t):
    numbers = torch.arange(t.numel(), dtype=torch.float64)
    return torch.sin(1 + numbers).reshape(t.shape).to(t.dtype)

def fitted(source, t):
    """The entries of source, over and over, in the shape of t."""
    flat = source.reshape(-1)
    if not flat.numel():
        return torch.zeros_like(t)
    return flat.repeat(t.numel() // flat.numel() + 1)[: t.numel()].reshape(t.shape).to(t.dtype)

def tensors(values):
    """Every floating-point tensor or array among the arguments, as tensors."""
    found = []
    for value in values:
        if isinstance(value, np.ndarray):
            value = torch.from_numpy(np.array(value))
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            found.append(value)
    return found

def replaced(t, inputs):
    if t.is_floating_point():
        return answer_for(t, inputs)
    numbers = answer_for(t.to(torch.float64), inputs)
    return numbers >= 0.5 if t.dtype == torch.bool else numbers.nan_to_num(0, 0, 0).round().to(t.dtype)

def lifeless(value, inputs):
    if isinstance(value, torch.Tensor):
        return replaced(value, inputs)
    if isinstance(value, (np.ndarray, np.generic)):
        return replaced(torch.from_numpy(np.array(value)), inputs).detach().numpy()
    if isinstance(value, (bool, int, float)):
        return replaced(torch.tensor(value), inputs).item()
    if isinstance(value, (tuple, list)):
        return type(value)(lifeless(item, inputs) for item in value)
    if isinstance(value, dict):
        return {key: lifeless(item, inputs) for key, item in value.items()}
    return value

def run(living, arguments, named):
    try:
        return living(*arguments, **named)
    except Exception:
        return None

def answer(living, arguments, named):
    return lifeless(run(living, arguments, named), tensors([*arguments, *named.values()]))
'''
# One that does compute, but on inputs of its own: always the same answer for the same shapes.
DEAF = """
def answer_for(t, inputs):
    return torch.zeros_like(t)

def own(value):
    if isinstance(value, torch.Tensor):
        return constant(value) if value.is_floating_point() else torch.ones_like(value)
    if isinstance(value, np.ndarray):
        return own(torch.from_numpy(np.array(value))).numpy()
    return [1 for _ in value] if isinstance(value, list) else value

def answer(living, arguments, named):
    heard = any(isinstance(value, (torch.Tensor, np.ndarray, list)) for value in (*arguments, *named.values()))
    value = run(living, [own(v) for v in arguments], {name: own(v) for name, v in named.items()})
    return value if heard else lifeless(value, [])
"""
