"""Linear maps by oneDNN: the values and gradients of torch's own."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.models import linear_maps as room
from lengthwise.models.linear_maps import Linear, has_onednn, linear, multiply

pytestmark = pytest.mark.skipif(not has_onednn(), reason="this build of torch has no oneDNN")
sizes = st.integers(1, 40)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(room, "LARGE", 0)


def gradients(function, x, weight, bias, along):
    parts = [part.clone().requires_grad_() for part in (x, weight, bias) if part is not None]
    out = function(parts[0], parts[1], parts[2] if bias is not None else None)
    (out * along).sum().backward()
    return [out, *(part.grad for part in parts)]


@given(rows=sizes, width=sizes, height=sizes, biased=st.booleans(), seed=st.integers(0, 99))
def test_values_and_gradients(rows, width, height, biased, seed):
    draw = torch.Generator().manual_seed(seed)
    x, weight = (torch.randn(n, width, generator=draw) for n in (rows, height))
    bias = torch.randn(height, generator=draw) if biased else None
    along = torch.randn(rows, height, generator=draw)
    ours = gradients(linear, x, weight, bias, along)
    for mine, usual in zip(ours, gradients(F.linear, x, weight, bias, along), strict=True):
        torch.testing.assert_close(mine, usual, rtol=1e-4, atol=1e-4)


def test_it_is_taken_and_only_where_it_serves(monkeypatch):
    asked = []
    monkeypatch.setattr(room, "multiply", lambda *given: asked.append(1) or multiply(*given))
    layer, x = Linear(8, 6), torch.randn(5, 8)
    layer(x)
    assert len(asked) == 1
    layer(x[None])  # a third dimension
    linear(x.double(), layer.weight.double(), layer.bias.double())
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(x).dtype == torch.bfloat16
    monkeypatch.setattr(room, "LARGE", 5 * 48 + 1)
    layer(x)
    assert len(asked) == 1


@pytest.mark.parametrize("change", ["expanded", "transposed", "cut"])
def test_gradients_that_do_not_lie_row_by_row(change):
    x, weight = torch.randn(6, 8), torch.randn(6, 8)
    along = {
        "expanded": torch.randn(1).expand(6, 6),
        "transposed": torch.randn(6, 6).t(),
        "cut": torch.randn(6, 12)[:, ::2],
    }[change]
    got = []
    for function in (linear, F.linear):
        parts = x.clone().requires_grad_(), weight.clone().requires_grad_()
        function(*parts, None).backward(along)
        got.append([part.grad for part in parts])
    torch.testing.assert_close(got[0], got[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("frozen", [0, 1])
def test_what_needs_no_gradient_gets_none(frozen):
    parts = [torch.randn(4, 8), torch.randn(3, 8)]
    parts[1 - frozen].requires_grad_()
    linear(*parts, None).sum().backward()
    assert parts[frozen].grad is None
    assert parts[1 - frozen].grad is not None


def test_products_are_added():
    x, weight, bias, onto = (torch.randn(*s) for s in ((4, 8), (3, 8), (3,), (4, 3)))
    expected = onto + F.linear(x, weight, bias)
    kept = onto.clone()
    torch.testing.assert_close(multiply(x, weight, bias, onto), expected)
    assert torch.equal(onto, kept)
    layer = Linear(8, 3)
    torch.testing.assert_close(layer(x, onto), onto + layer(x))


ACTIVATIONS = [torch.nn.ReLU(), torch.nn.GELU(), torch.nn.GELU(approximate="tanh"), torch.nn.SiLU()]


@pytest.mark.parametrize("then", ACTIVATIONS, ids=str)
@pytest.mark.parametrize("biased", [True, False])
def test_sums_and_activations_in_the_same_call(then, biased, monkeypatch):
    monkeypatch.setattr(room, "FUSED", 5 * 6)
    asked = []
    monkeypatch.setattr(room, "multiply", lambda *given: asked.append(1) or multiply(*given))
    monkeypatch.setattr(room, "LARGE", 10**9)
    layer, x, onto = Linear(8, 6, bias=biased), torch.randn(5, 8), torch.randn(5, 6)
    usual = F.linear(x, layer.weight, layer.bias)
    with torch.inference_mode():
        torch.testing.assert_close(layer(x, then=then), then(usual))
        torch.testing.assert_close(layer(x, onto), onto + usual)
        assert len(asked) == 2
        torch.testing.assert_close(layer(x[:4], then=then), then(usual[:4]))  # too small
        torch.testing.assert_close(layer(x), usual)  # nothing to join
    torch.testing.assert_close(layer(x, then=then), then(usual))  # gradients are wanted
    assert len(asked) == 2
