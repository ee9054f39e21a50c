"""Values survive the wall unchanged; hostile bytes give a ProtocolError and nothing else."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.rpc.frames import FrameReader, numbered, pack
from grader.rpc.values import Encoder, Opaque, ProtocolError


def across(value: object) -> Any:
    encoder = Encoder()
    reader = FrameReader(1 << 24)
    reader.feed(numbered(1, pack({"reply": encoder.encode(value)}, encoder)))
    frame = reader.next()
    assert frame is not None and reader.next() is None
    return frame.decoder().decode(frame.header["reply"])


@pytest.mark.parametrize(
    "dtype",
    [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.uint8, torch.bool],
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3, 4)])
def test_a_tensor_keeps_dtype_shape_and_bits(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    sent = (torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape) * 1.7 - 3).to(dtype)
    got = across(sent)
    assert got.dtype == dtype and got.shape == sent.shape and bool((got == sent).all())


def test_views_and_negative_zero_and_nan_arrive_as_they_are() -> None:
    sent = torch.tensor([[0.0, -0.0], [math.nan, math.inf]]).t()
    got = across(sent)
    assert got.view(torch.int32).tolist() == sent.contiguous().view(torch.int32).tolist()


@pytest.mark.parametrize(
    "value",
    [None, True, False, 7, -(10**30), 0.1, -0.0, math.inf, "文字", (1, [2.5, "x"], {"k": None}), [], (), {}],
)
def test_plain_python_values_come_back_equal_and_of_their_type(value: object) -> None:
    got = across(value)
    assert got == value and type(got) is type(value)


def test_nan_is_still_nan() -> None:
    assert math.isnan(across(math.nan))


def test_numpy_arrays_and_scalars_keep_their_kind() -> None:
    got = across((np.arange(6, dtype=">f4").reshape(2, 3), np.float64(0.25), np.array(True)))
    assert got[0].dtype == np.float32 and got[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert isinstance(got[1], np.float64) and got[1] == 0.25 and got[2].dtype == bool


def test_numbers_of_other_kinds_come_back_as_floats() -> None:
    got = across((Fraction(1, 4), Decimal("2.5"), np.longdouble(0.5), np.ones(2, dtype=np.longdouble)))
    assert got[:3] == (0.25, 2.5, 0.5) and type(got[0]) is float
    assert got[3].dtype == np.float64 and got[3].tolist() == [1.0, 1.0]


class LazyThing:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray[Any, Any]:
        raise AssertionError("nobody may ask a lazy object for its array")


class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args: object, **kwargs: object) -> object:
        raise AssertionError("a subclass may not run code while it is encoded")


def test_a_tensor_subclass_crosses_as_plain_numbers_without_running_its_code() -> None:
    got = across(torch.ones(2).as_subclass(Loud))
    assert type(got) is torch.Tensor and got.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "thing",
    [LazyThing(), torch.ones(2, device="meta"), torch.eye(2).to_sparse(), torch.ones(1, dtype=torch.complex64),
     np.array([object()]), object, Fraction(10**400), Decimal("sNaN")],
)  # fmt: skip
def test_what_has_no_plain_form_is_opaque(thing: object) -> None:
    assert isinstance(across(thing), Opaque)


def test_an_endless_or_deep_value_is_cut_short() -> None:
    deep: list[Any] = []
    deep.append(deep)
    assert "nested too deeply" in str(across(deep))
    assert "far too long" in str(across([[1] * 50] * 2000))


def outcome(data: bytes) -> str:
    """How a reader with small caps takes these bytes; any exception but a ``ProtocolError`` passes through."""
    reader = FrameReader(1 << 16, header_cap=1 << 16)
    reader.feed(data)
    try:
        frame = reader.next()
        if frame is None:
            return "incomplete"
        frame.decoder().decode(frame.header.get("reply"))
    except ProtocolError:
        return "refused"
    return "value"


@settings(max_examples=120, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_refused_or_incomplete(data: bytes) -> None:
    assert outcome(data) in ("refused", "incomplete")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_mutated_frame_is_a_value_or_refused_or_incomplete(data: st.DataObject) -> None:
    encoder = Encoder()
    tree = encoder.encode((torch.ones(2, 3), {"a": [1.5, np.ones(2)]}))
    good = bytearray(numbered(1, pack({"reply": tree}, encoder)))
    assert outcome(bytes(good)) == "value"
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    assert outcome(bytes(good)) in ("value", "refused", "incomplete")


json_trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["t", "l", "d", "T", "A", "N", "f", "i", "h", "o", "g", "k"]), inner, max_size=3
        )
    ),
    max_leaves=20,
)
heads = st.lists(
    st.fixed_dictionaries(
        {"dtype": st.sampled_from(["float64", "bool", "what"]), "shape": st.lists(st.integers(-2, 4), max_size=9)}
    )
    | st.integers(),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(tree=json_trees, heads=heads, payload=st.binary(max_size=64))
def test_any_json_tree_is_a_value_or_refused(tree: object, heads: object, payload: bytes) -> None:
    text = json.dumps({"reply": tree, "buffers": heads}).encode()
    assert outcome(struct.pack("<III", 1, len(text), len(payload)) + text + payload) in ("value", "refused")


def test_a_frame_over_its_cap_is_refused_before_it_is_read() -> None:
    reader = FrameReader(payload_cap=100)
    reader.feed(struct.pack("<III", 1, 10, 101))
    with pytest.raises(ProtocolError, match="over its size limit"):
        reader.next()
