"""The benchmark measures what it says, at a size that takes no time."""

import pytest

from lengthwise.bench.machinery import listing, overhead, two_workers


def test_listing_many_runs():
    figure = listing(2, runs=30)
    assert figure.name == "listing 30 runs (s)"
    assert figure.value > 0


@pytest.mark.slow
def test_workers():
    assert overhead(1, runs=2).unit == "s"
    assert two_workers(1, steps=2).ratio > 0
