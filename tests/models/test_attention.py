"""Attention in parts and by plain products against torch's fused way."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.models import attention
from lengthwise.models.attention import LONG, PART, attend

sizes = st.integers(1, 6)


def draw(seed, *shapes):
    make = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=make) for shape in shapes]


@given(rows=sizes, heads=sizes, queries=sizes, keys=sizes, head=sizes, seed=st.integers(0, 2**20),
       shared=st.tuples(st.booleans(), st.booleans()))  # fmt: skip
def test_a_learned_bias_has_values_and_gradients_as_torchs(
    rows, heads, queries, keys, head, seed, shared
):
    shape = [1 if one else n for one, n in zip(shared, (rows, heads), strict=True)]
    given = draw(
        seed,
        (rows, heads, queries, head),
        (rows, heads, keys, head),
        (rows, heads, keys, head),
        (*shape, queries, keys),
        (rows, queries, heads, head),
    )
    hidden = torch.arange(keys) > torch.arange(queries)[:, None]
    found = []
    for function in (attend, F.scaled_dot_product_attention):
        *leaves, along = [x.clone().requires_grad_() for x in given]
        q, k, v, bias = leaves
        out = function(q, k, v, bias.masked_fill(hidden, -torch.inf), scale=0.7)
        (out.transpose(1, 2) * along).sum().backward()
        found.append([out, *(leaf.grad for leaf in leaves)])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [PART + 1, 2 * PART, 150, LONG - 1, LONG + 3])
@pytest.mark.parametrize("kind", ["causal", "truth values", "logits", "for each row"])
@torch.no_grad()
def test_parts_equal_the_whole(length, kind):
    q, k, v = draw(length, *[(2, 3, length, 8)] * 3)
    visible = torch.ones(length, length, dtype=torch.bool).tril()
    logits = torch.randn(2, 1, length, length).masked_fill(~visible, -torch.inf)
    mask = {"truth values": visible, "logits": logits[:1], "for each row": logits}.get(kind)
    got = attend(q, k, v, mask, 0.3)
    wanted = F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None, scale=0.3)
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


def test_each_way_is_taken_where_it_serves(monkeypatch):
    taken = []
    for name in ("_in_parts", "_Plain"):
        monkeypatch.setattr(attention, name, Note(name, getattr(attention, name), taken))

    def ways(length=PART + 1, dtype=torch.float32, biased=False, learned=False, **options):
        taken.clear()
        q, k, v = (x.to(dtype) for x in draw(0, *[(1, 1, length, 4)] * 3))
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        bias = torch.zeros(length, length, dtype=dtype).masked_fill(hidden, -torch.inf)
        mask = bias[None, None].requires_grad_(learned) if biased or learned else None
        attend(q, k, v, mask, 1.0, **options)
        return taken

    assert ways(learned=True) == ["_Plain"]
    assert ways(learned=True, dropout=0.1) == []
    assert ways(learned=True, dtype=torch.float64) == []
    assert ways() == []  # gradients may be wanted
    with torch.no_grad():
        assert ways() == ["_in_parts"]
        assert ways(PART) == []
        assert ways(LONG) == []
        assert ways(LONG, biased=True) == ["_in_parts"]
        assert ways(causal=False) == []
        assert ways(dtype=torch.float64) == []


class Note:
    """Write down that something is used, and use it."""

    def __init__(self, name, used, taken):
        self.name, self.used, self.taken = name, used, taken

    def __call__(self, *given):
        self.taken.append(self.name)
        return self.used(*given)

    def apply(self, *given):
        self.taken.append(self.name)
        return self.used.apply(*given)
