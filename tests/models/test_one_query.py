"""Compiled attention of one query against a softmax written out."""

import ctypes
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.models import generation
from lengthwise.models.generation import generate
from lengthwise.models.one_query import attend_once
from tests.models.test_decoder import decoder

sizes = st.integers(1, 9)


@given(sizes, sizes, sizes, sizes, st.integers(0, 5), st.integers(0, 2**20), st.data())
def test_it_is_a_softmax_over_the_keys_up_to_the_index(rows, heads, used, head, spare, seed, data):
    make = torch.Generator().manual_seed(seed)
    store = torch.randn(2, rows, heads, used + spare, head, generator=make)
    k, v = store[:, :, :, :used].unbind(0)
    q = torch.randn(rows, 1, heads, head, generator=make).transpose(1, 2)  # strided, as in a block
    index = torch.randint(0, used, (rows, 1), generator=make)
    bias = None
    if data.draw(st.booleans(), "biased"):
        shape = (data.draw(st.sampled_from((1, rows))), heads, 1, used)
        bias = torch.randn(shape, generator=make)
        bias[torch.rand(shape, generator=make) < 0.3] = -torch.inf
        bias[..., 0] = 0  # something is always visible
    got = attend_once(q, k, v, bias, index, 0.3)
    logits = 0.3 * torch.einsum("bhqe,bhue->bhqu", q, k) + (0 if bias is None else bias)
    for row, last in enumerate(index.flatten().tolist()):
        seen = logits[row, ..., : last + 1].softmax(-1)
        wanted = seen @ v[row, :, : last + 1]
        torch.testing.assert_close(got[row], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_workers_shares_the_heads(threads):
    before = torch.get_num_threads()
    k, v = torch.randn(2, 3, 2, 40, 8).unbind(0)
    q, index = torch.randn(3, 2, 1, 8), torch.full((3, 1), 39)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    try:
        torch.set_num_threads(threads)
        got = attend_once(q, k, v, None, index, 8**-0.5)
    finally:
        torch.set_num_threads(before)
    torch.testing.assert_close(got, wanted)


@pytest.fixture
def always(monkeypatch):
    """Compile attention however little there is to read."""
    monkeypatch.setattr(generation, "MANY", 1)


@pytest.mark.parametrize("changes", [{}, {"scale_logits": False}, {"attention_scale": "log-n"}])
def test_generation_is_the_same_with_it(always, changes):
    model = decoder(pe="rope", layers=3, init="t5", **changes)
    prompts, sizes = torch.randint(0, 11, (4, 8)), torch.tensor([8, 3, 1, 5])
    assert generation._compiled_attention(model, 4) is attend_once
    got = generate(model, prompts, sizes, steps=20)
    for row, size in enumerate(sizes.tolist()):
        text = prompts[row : row + 1, :size]
        for _ in range(20):
            text = torch.cat([text, model(text)[:, -1:].argmax(dim=-1)], dim=1)
        assert torch.equal(got[row], text[0, size:])


def test_it_is_left_out_where_it_does_not_serve(always):
    model = decoder()
    assert generation._compiled_attention(model, 4) is attend_once
    with torch.autocast("cpu", torch.bfloat16):
        assert generation._compiled_attention(model, 4) is None
    assert generation._compiled_attention(decoder().train(), 4) is None  # may drop weights
    assert generation._compiled_attention(decoder().double(), 4) is None


def test_few_queries_are_left_to_torch():
    assert generation._compiled_attention(decoder(), 1) is None


@pytest.mark.parametrize("missing", ["numba", "OpenMP", "all symbols"])
def test_generation_goes_on_without(always, monkeypatch, missing):
    model = decoder(init="t5")
    prompts, sizes = torch.randint(0, 11, (3, 4)), torch.full((3,), 4)
    wanted = generate(model, prompts, sizes, steps=20)
    monkeypatch.delitem(sys.modules, "lengthwise.models.one_query")
    if missing == "numba":
        monkeypatch.setitem(sys.modules, "numba", None)
    elif missing == "OpenMP":
        monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    else:
        monkeypatch.setattr(ctypes, "CDLL", Mock(side_effect=TypeError))  # as on Windows
    assert generation._compiled_attention(model, 3) is None
    assert torch.equal(generate(model, prompts, sizes, steps=20), wanted)
