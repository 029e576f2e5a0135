"""Compiled loops against a softmax and products written out."""

import copy
import ctypes
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numba
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise import models
from lengthwise.models import few_rows, frozen, generation
from lengthwise.models.few_rows import FewRows, attend_once
from lengthwise.models.generation import generate
from tests.models.test_decoder import decoder
from tests.models.test_generation import by_full_passes

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
        bias[..., 0] = 0  # softmax needs something that is visible
    got = attend_once(q, k, v, bias, index, 0.3)
    logits = 0.3 * torch.einsum("bhqe,bhue->bhqu", q, k) + (0 if bias is None else bias)
    for row, last in enumerate(index.flatten().tolist()):
        seen = logits[row, ..., : last + 1].softmax(-1)
        wanted = seen @ v[row, :, : last + 1]
        torch.testing.assert_close(got[row], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_workers_shares_the_heads(threads, monkeypatch):
    monkeypatch.setattr(few_rows, "SHARE", 1)
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


@given(sizes, sizes, sizes, st.booleans(), st.booleans(), st.integers(0, 2**20))
def test_a_linear_map_of_few_rows(rows, width, outputs, biased, added, seed):
    make = torch.Generator().manual_seed(seed)
    weight = torch.randn(outputs, width, generator=make)
    bias = torch.randn(outputs, generator=make) if biased else None
    few = FewRows(weight, bias)
    for count in (rows, rows + 3):  # as many as were asked for first, or others
        x = torch.randn(count, 2 * width, generator=make)[:, ::2]
        onto = torch.randn(outputs, count, generator=make).T if added else None
        wanted = x @ weight.T + (0 if bias is None else bias) + (0 if onto is None else onto)
        torch.testing.assert_close(few(x, onto), wanted, rtol=1e-4, atol=1e-5)


def test_what_sees_nothing_reads_nothing():
    q, k, v = torch.randn(1, 1, 1, 4), *torch.randn(2, 1, 1, 3, 4).unbind(0)
    bias, index = torch.full((1, 1, 1, 3), -torch.inf), torch.tensor([[2]])
    assert torch.equal(attend_once(q, k, v, bias, index, 1.0), torch.zeros(1, 1, 1, 4))


def test_a_copy_has_addresses_of_its_own():
    first = FewRows(torch.randn(5, 3), torch.randn(5))
    second = copy.deepcopy(first)
    x = torch.randn(2, 3)
    wanted = first(x)
    first.weight.zero_()
    first(torch.randn(4, 3))
    assert torch.equal(second(x), wanted)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_workers_shares_the_weights(threads, monkeypatch):
    monkeypatch.setattr(few_rows, "SHARE", 1)
    before = torch.get_num_threads()
    x, weight = torch.randn(6, 8), torch.randn(7, 8)
    try:
        torch.set_num_threads(threads)
        got = FewRows(weight, None)(x)
    finally:
        torch.set_num_threads(before)
    torch.testing.assert_close(got, x @ weight.T)


@pytest.mark.parametrize("changes", [{}, {"scale_logits": False}, {"attention_scale": "log-n"}])
def test_generation_is_the_same_with_it(changes):
    model = decoder(pe="rope", layers=3, init="t5", **changes)
    prompts, sizes = torch.randint(0, 11, (4, 8)), torch.tensor([8, 3, 1, 5])
    got = generate(model, prompts, sizes, steps=20)
    assert torch.equal(got, by_full_passes(model, prompts, sizes, steps=20))


@pytest.mark.parametrize("missing", ["numba", "compiling", "OpenMP", "all symbols", "a place"])
def test_generation_goes_on_without(monkeypatch, missing):
    model = decoder(init="t5")
    prompts, sizes = torch.randint(0, 11, (3, 4)), torch.full((3,), 4)
    assert frozen.compiled() is few_rows
    wanted = generate(model, prompts, sizes, steps=20)
    anew = frozen.compiled.__wrapped__  # what was found before is forgotten
    monkeypatch.setattr(frozen, "compiled", anew)
    monkeypatch.setattr(generation, "compiled", anew)
    monkeypatch.delitem(sys.modules, "lengthwise.models.few_rows")
    monkeypatch.delattr(models, "few_rows")
    if missing == "numba":
        monkeypatch.setitem(sys.modules, "numba", None)
    elif missing == "compiling":
        monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    elif missing == "OpenMP":
        monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    elif missing == "all symbols":
        monkeypatch.setattr(ctypes, "CDLL", Mock(side_effect=TypeError))  # as on Windows
    else:
        monkeypatch.setattr(numba, "cfunc", Mock(side_effect=RuntimeError("no locator available")))
    assert frozen.compiled() is None
    assert torch.equal(generate(model, prompts, sizes, steps=20), wanted)
