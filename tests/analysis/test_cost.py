"""Costs by length: what is measured, without asserting speed."""

import pytest

from lengthwise.analysis import cost
from lengthwise.analysis.cost import Size, cost_by_length, peak_memory
from lengthwise.core.errors import InputError

SMALL = Size(layers=1, heads=2, width=16)


def test_every_encoding_is_measured_at_every_length(monkeypatch):
    monkeypatch.setattr(cost, "peak_memory", lambda name, lengths, size: dict.fromkeys(lengths, 5))
    found = cost_by_length(["rope", "t5"], [32, 8], size=SMALL, rounds=1)
    assert [(each.encoding, each.length) for each in found] == [
        ("rope", 8), ("t5", 8), ("rope", 32), ("t5", 32),
    ]  # fmt: skip
    assert all(each.forward > 0 and each.step > 0 and each.memory == 5 for each in found)


def test_memory_of_a_bias_is_seen():
    """A bias is one float for each head and pair of positions: 8 MB at length 1024."""
    found = peak_memory("t5", [64, 1024], SMALL)
    assert found[1024] > found[64] + 7


@pytest.mark.slow
def test_nope_needs_no_memory_for_a_bias():
    assert peak_memory("t5", [1024], SMALL)[1024] > peak_memory("nope", [1024], SMALL)[1024] + 7


@pytest.mark.parametrize(
    ("encodings", "lengths", "message"),
    [
        ([], [4], "name at least one"),
        (["nope"], [], "name at least one"),
        (["nope"], [0], "at least 1"),
        (["nop"], [4], "Did you mean 'nope'"),
    ],
)
def test_mistakes(encodings, lengths, message):
    with pytest.raises(InputError, match=message):
        cost_by_length(encodings, lengths)
