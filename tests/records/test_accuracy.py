"""Accuracy by length against sums over a plain list of instances."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.records.accuracy import AccuracyByLength, pool, pool_seeds, read_bins
from lengthwise.records.intervals import over_seeds, wilson

instances = st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=40)
"""Length and whether the answer was right."""


def counted(seen, low=1, high=12):
    lengths = sorted({n for n, _ in seen})
    return AccuracyByLength(
        low=low,
        high=high,
        correct={n: sum(right for m, right in seen if m == n) for n in lengths},
        total={n: sum(m == n for m, _ in seen) for n in lengths},
    )


@given(instances, st.integers(1, 12), st.integers(1, 12))
def test_a_part_counts_its_own_instances(seen, low, high):
    part = counted(seen).between(low, high)
    inside = [right for n, right in seen if low <= n <= high]
    assert part.counts == (sum(inside), len(inside))
    assert part.accuracy == sum(inside) / max(1, len(inside))
    assert part.interval == wilson(sum(inside), len(inside))
    assert part.lengths == sorted({n for n, _ in seen if low <= n <= high})


@given(st.lists(instances, max_size=4))
def test_pooling_counts_all_instances_together(runs):
    every = [one for seen in runs for one in seen]
    found = pool(counted(seen) for seen in runs)
    assert found.counts == (sum(right for _, right in every), len(every))
    assert (found.correct, found.total) == (counted(every).correct, counted(every).total)


@given(st.lists(st.tuples(instances, instances), min_size=1, max_size=3))
def test_seeds_are_pooled_bin_by_bin(runs):
    bins = [(counted(near, 1, 12), counted(far, 1, 12)) for near, far in runs]
    for k, found in enumerate(pool_seeds(bins)):
        parts = [run[k] for run in bins]
        assert found.counts == pool(parts).counts
        assert found.interval == over_seeds([part.counts for part in parts])
        lows = [part.between(3, 7).counts for part in parts]
        assert found.between(3, 7).interval == over_seeds(lows)


@given(instances)
def test_what_is_written_is_read(seen):
    """The form in which stores and studies keep it: four keys, lengths as JSON's strings."""
    found = counted(seen)
    plain = json.loads(json.dumps([found.model_dump()]))
    assert list(plain[0]) == ["low", "high", "correct", "total"]
    assert read_bins(plain) == (found,)


@pytest.mark.parametrize(
    ("bin_", "problem"),
    [
        ({"low": 1, "high": 2, "correct": {"1": 3}, "total": {"1": 2}}, "3 of 2 instances"),
        ({"low": 1, "high": 2, "correct": {"1": -1}, "total": {"1": 2}}, "-1 of 2 instances"),
        ({"low": 1, "high": 2, "correct": {"2": 1}, "total": {"1": 2}}, "1 of 0 instances"),
        ({"low": 1, "high": 2, "correct": {}}, "total: is missing"),
        ({"low": 1, "high": 2, "correct": {}, "total": {}, "seeds": 1}, "seeds"),
    ],
)
def test_impossible_counts_are_refused_by_name(bin_, problem):
    with pytest.raises(InputError, match=problem):
        read_bins([bin_])


@given(total=st.integers(1, 5000), data=st.data())
def test_wilson_solves_its_defining_equation(total, data):
    """Each end p solves |k/n - p| = z sqrt(p (1 - p) / n), unless it is cut at 0 or 1."""
    correct = data.draw(st.integers(0, total))
    z = 1.959964
    low, high = wilson(correct, total)
    assert 0 <= low <= correct / total <= high <= 1
    for end in (low, high):
        if 0 < end < 1:
            distance = abs(correct / total - end)
            assert distance == pytest.approx(z * (end * (1 - end) / total) ** 0.5, abs=1e-7)
