"""The benchmark measures what it says, at a size that takes no time."""

import pytest

from lengthwise.bench.machinery import benchmark, listing


def test_the_listing_row_has_the_promised_fields():
    row = listing(runs=30, repeats=2)
    assert set(row) == {"name", "ours", "peer", "ratio", "spread"}
    assert row["ratio"] == row["ours"] / row["peer"] > 0


@pytest.mark.slow
def test_all_rows():
    rows = benchmark(repeats=1, listed=20, steps=2)
    assert len(rows) == 3
    assert all(row["ours"] > 0 for row in rows)
