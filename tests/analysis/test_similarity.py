"""Divergences against plain loops, and the laws they obey."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.analysis.attention import Attention, capture
from lengthwise.analysis.similarity import (
    bias_effect,
    distance_table,
    jensen_shannon,
    similarity,
    swapped,
    symmetric,
)
from lengthwise.core.errors import InputError
from tests.analysis.test_attention import make_batch
from tests.positions.cases import make_model


def slow_kl(p, q):
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def slow_js(p, q):
    m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (slow_kl(p, m) + slow_kl(q, m)) / 2


def slow_swapped(p, q):
    m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (slow_kl(m, p) + slow_kl(m, q)) / 2


def slow_layer(first, second, divergence, pairs):
    """One sequence: the smallest mean over queries, over pairs of heads."""
    found = []
    for i in range(len(first)):
        for j in range(len(second)):
            if pairs(i, j):
                each = [
                    divergence(first[i][t][: t + 1], second[j][t][: t + 1])
                    for t in range(len(first[i]))
                ]
                found.append(sum(each) / len(each))
    return min(found)


@pytest.mark.parametrize(
    ("method", "divergence", "pairs"),
    [
        ("published", slow_swapped, lambda i, j: i < j),
        ("jensen-shannon", slow_js, lambda i, j: True),
    ],
)
def test_similarity_equals_plain_loops(method, divergence, pairs):
    heads = {"heads": 4, "width": 16}
    first = capture(make_model("alibi", **heads), make_batch())
    second = capture(make_model("nope", seed=5, **heads), make_batch())
    found = similarity(first, second, method)
    wanted = [
        [
            slow_layer(
                first.row(b)[layer].tolist(), second.row(b)[layer].tolist(), divergence, pairs
            )
            for b in range(3)
        ]
        for layer in range(2)
    ]
    assert found.rows == pytest.approx(np.array(wanted), rel=1e-9)
    assert found.layers == pytest.approx(np.mean(wanted, axis=1))
    assert found.mean == pytest.approx(np.mean(wanted))
    assert found.by_length() == pytest.approx(
        dict(zip([3, 4, 5], np.mean(wanted, axis=0).tolist(), strict=True))
    )
    for layer, (i, j) in enumerate(found.best_heads):
        assert pairs(i, j)
        assert found.heads[layer, i, j] == np.nanmin(found.heads[layer])
    assert np.isnan(found.heads).sum() == (0 if method == "jensen-shannon" else 2 * 10)


scores = st.lists(st.floats(-30, 30), min_size=1, max_size=6)


@given(st.data())
def test_divergences_obey_their_laws(data):
    one = data.draw(scores)
    other = data.draw(st.lists(st.floats(-30, 30), min_size=len(one), max_size=len(one)))
    p, q = (torch.tensor(x).double().log_softmax(-1) for x in (one, other))
    plain = [p.exp().tolist(), q.exp().tolist()]
    for fast, slow in ((jensen_shannon, slow_js), (swapped, slow_swapped)):
        assert fast(p, q).item() == pytest.approx(slow(*plain), rel=1e-6, abs=1e-9)
        assert fast(p, q).item() == pytest.approx(fast(q, p).item(), abs=1e-12)
        assert fast(p, p).item() == pytest.approx(0, abs=1e-15)
        assert fast(p, q).item() >= 0
    assert symmetric(p, q).item() == pytest.approx(
        slow_kl(*plain) + slow_kl(*plain[::-1]), rel=1e-6, abs=1e-9
    )
    assert jensen_shannon(p, q).item() <= math.log(2) + 1e-12
    if (p.exp() - q.exp()).abs().max() > 1e-3:
        assert jensen_shannon(p, q).item() > 1e-8  # by Pinsker, at least (1e-3)^2 / 8
        assert swapped(p, q).item() > 1e-8


def test_disjoint_distributions():
    p = torch.tensor([0.0, -torch.inf, -torch.inf])
    q = torch.tensor([-torch.inf, math.log(0.5), math.log(0.5)])
    assert jensen_shannon(p, q).item() == pytest.approx(math.log(2))
    assert swapped(p, q).item() == math.inf


def test_a_model_is_like_itself_but_not_by_the_published_pairs():
    seen = capture(make_model("nope", heads=4), make_batch())
    same = similarity(seen, seen)
    assert same.mean == pytest.approx(0, abs=1e-12)
    assert all(i == j for i, j in same.best_heads)
    assert similarity(seen, seen, "published").mean > 1e-3  # head i never meets itself


def test_jensen_shannon_is_symmetric_and_blind_to_the_order_of_heads():
    first = capture(make_model("nope", heads=4), make_batch())
    second = capture(make_model("rope", heads=4, seed=3), make_batch())
    turned = Attention(first.batch, first.logits.flip(2))
    assert similarity(first, second).mean == pytest.approx(similarity(second, first).mean)
    assert similarity(turned, second).mean == pytest.approx(similarity(first, second).mean)
    published = [similarity(seen, second, "published").mean for seen in (first, turned)]
    assert abs(published[0] - published[1]) > 1e-6


def test_only_chosen_queries_count():
    first = capture(make_model("nope"), make_batch())
    second = capture(make_model("nope", seed=3), make_batch())
    mask = np.zeros(first.batch.tokens.shape, dtype=bool)
    mask[:, 0] = True  # the first query sees one key only
    assert similarity(first, second, queries=mask).mean == pytest.approx(0, abs=1e-12)
    mask[2, 0] = False
    with pytest.raises(InputError, match="a sequence has none"):
        similarity(first, second, queries=mask)


def test_what_cannot_be_compared_is_refused():
    seen = capture(make_model("nope"), make_batch())
    fewer = Attention(seen.batch, seen.logits[:1])
    with pytest.raises(InputError, match="2 and 1 layers"):
        similarity(seen, fewer)
    shorter = capture(make_model("nope"), make_batch().rows(np.array([0, 1])))
    with pytest.raises(InputError, match="same sequences"):
        similarity(seen, shorter)
    one = Attention(seen.batch, seen.logits[:, :, :1])
    assert similarity(one, one).mean == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="at least 2 heads"):
        similarity(one, one, "published")
    with pytest.raises(InputError, match="Did you mean 'published'"):
        similarity(seen, seen, "publishd")


def test_distance_table_orders_by_the_first_reference():
    seen = {
        name: capture(make_model(text, seed=seed), make_batch())
        for name, text, seed in [("rope", "rope", 4), ("nope", "nope", 0), ("t5", "t5", 2)]
    }
    rows = distance_table(seen, ["nope", "t5"])
    assert rows[0]["model"] == "nope"
    assert rows[0]["nope"] is None
    assert rows[0]["t5"] == pytest.approx(similarity(seen["nope"], seen["t5"]).mean)
    assert rows[1]["nope"] < rows[2]["nope"]
    with pytest.raises(InputError, match="unknown model"):
        distance_table(seen, ["alibi"])


def test_bias_effect_equals_plain_loops():
    seen = capture(make_model("alibi"), make_batch())
    found = bias_effect(seen)
    size = seen.batch.size.tolist()
    for layer in range(2):
        for head in range(2):
            each = []
            for b in range(3):
                for t in range(size[b]):
                    after = seen.logits[layer, b, head, t, : t + 1].softmax(0).tolist()
                    before = seen.content[layer, b, head, t, : t + 1].softmax(0).tolist()
                    each.append(slow_kl(before, after) + slow_kl(after, before))
            assert found[layer, head] == pytest.approx(sum(each) / len(each), rel=1e-9)
    assert np.isinf(
        bias_effect(capture(make_model("window:size=3,encoding=alibi"), make_batch()))
    ).all()
    with pytest.raises(InputError, match="adds nothing"):
        bias_effect(capture(make_model("rope"), make_batch()))


def test_a_bias_of_zero_has_no_effect():
    model = make_model("t5")
    with torch.no_grad():
        model.encoding.table.weight.fill_(0.7)
    assert bias_effect(capture(model, make_batch())) == pytest.approx(0, abs=1e-12)
