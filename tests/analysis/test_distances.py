"""Attended distances against plain loops, and the published table's own arithmetic."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.analysis.attention import Attention, capture
from lengthwise.analysis.distances import BINS, CENTRES, Distances, attended_distances, reach
from lengthwise.tasks.batch import IGNORE, Batch
from tests.analysis.test_attention import make_batch
from tests.positions.cases import make_model


@pytest.mark.parametrize("text", ["nope", "alibi", "rope", "window:size=3,encoding=rope"])
def test_distances_equal_plain_loops(text):
    seen = capture(make_model(text), make_batch())
    found = attended_distances(seen)
    queries = [(b, t) for b in range(3) for t in range(seen.batch.size[b])]
    assert found.visible.tolist() == [t + 1 for _, t in queries]
    for layer in range(2):
        for head in range(2):
            for n, (b, t) in enumerate(queries):
                logits = seen.logits[layer, b, head, t, : t + 1].tolist()
                best = logits.index(max(logits))
                weights = torch.tensor(logits, dtype=torch.float64).softmax(0).tolist()
                mean = sum(w * (t - i) for i, w in enumerate(weights))
                assert found.attended[layer, head, n] == t - best
                assert found.expected[layer, head, n] == pytest.approx(mean, abs=1e-9)
                assert found.normalised[layer, head, n] == (t - best) / (t + 1)


def test_queries_are_chosen():
    seen = capture(make_model("nope"), make_batch())
    targets = np.full_like(seen.batch.tokens, IGNORE)
    targets[0, 4] = seen.batch.tokens[0, 5]
    batch = Batch(seen.batch.tokens, targets, seen.batch.length, seen.batch.size)
    chosen = Attention(batch, seen.logits)
    assert attended_distances(chosen, "asked").visible.tolist() == [5]
    assert attended_distances(chosen, "answer").visible.tolist() == [6]


def test_a_head_that_looks_at_the_first_token_is_far_and_at_itself_near():
    batch = make_batch()
    shape = (1, len(batch.size), 2, *[batch.tokens.shape[1]] * 2)
    logits = torch.zeros(shape)
    logits[:, :, 0, :, 0] = 5
    logits[:, :, 1] = 5 * torch.eye(shape[-1])
    hidden = torch.ones(shape[-2:]).triu(1).bool()
    found = attended_distances(Attention(batch, logits.masked_fill(hidden, -torch.inf)))
    itself = found.histograms()[0, 1]
    assert itself[0] == 1
    assert (found.attended[0, 0] == found.visible - 1).all()
    assert found.histogram() == pytest.approx(found.histograms().mean(axis=(0, 1)))


distances = st.integers(1, 400).flatmap(lambda v: st.tuples(st.integers(0, v - 1), st.just(v)))


@given(st.lists(distances, min_size=1, max_size=30))
def test_histogram_puts_each_distance_at_its_nearest_centre(pairs):
    attended = np.array([[[a for a, _ in pairs]]])
    visible = np.array([v for _, v in pairs])
    found = Distances(attended, attended.astype(float), visible).histogram()
    assert len(found) == BINS
    assert found.sum() == pytest.approx(1)
    slow = np.zeros(BINS)
    for a, v in pairs:
        gaps = [abs(a / v - centre) for centre in CENTRES]
        nearest = max(i for i, gap in enumerate(gaps) if gap <= min(gaps) + 1e-12)
        slow[nearest] += 1 / len(pairs)
    assert found == pytest.approx(slow)
    shares = reach(found)
    assert shares.near + shares.middle + shares.far == pytest.approx(1)


def test_the_published_shares_follow_from_the_published_histograms():
    """Kazemnejad et al. (2023), figure 7, read from the vector file: percent per bin."""
    published = {
        "40.7 15.0 3.3 2.1 2.1 2.1 1.9 1.5 1.2 0.9 0.8 0.8 0.8 0.9 1.0 1.1 1.4 2.5 6.0 7.0 7.0": (
            0.59, 0.19, 0.23,
        ),
        "64.6 17.5 3.3 1.8 1.4 1.3 1.1 1.0 0.9 0.8 0.7 0.6 0.5 0.5 0.5 0.5 0.4 0.5 1.2 0.7 0.2": (
            0.86, 0.12, 0.03,
        ),
    }  # fmt: skip
    for text, wanted in published.items():
        shares = reach([float(value) / 100 for value in text.split()])
        assert (shares.near, shares.middle, shares.far) == pytest.approx(wanted, abs=0.011)
