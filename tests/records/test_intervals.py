"""Intervals against slow references, and their coverage on simulated seeds and instances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.records.intervals import mean_interval, over_seeds, student, wilson


def tail(value: float, freedom: int) -> float:
    """Integrate the density of Student's t from 0 by the trapezium rule: the slow reference."""
    scale = math.gamma((freedom + 1) / 2) / math.sqrt(freedom * math.pi) / math.gamma(freedom / 2)
    x = np.linspace(0, value, 20_001)
    y = scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    return 0.5 + float(np.trapezoid(y, x))


@pytest.mark.parametrize("freedom", range(1, 31))
def test_the_points_of_students_t_leave_two_and_a_half_percent(freedom):
    assert tail(student(freedom), freedom) == pytest.approx(0.975, abs=2e-5)


def test_many_degrees_of_freedom_are_not_narrower_than_the_truth():
    assert student(1000) == student(30) > 1.959964


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_mean_is_inside_and_its_interval_is_the_textbook_formula(values):
    low, high = mean_interval(values)
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))
    assert low == pytest.approx(mean - student(len(values) - 1) * spread, abs=1e-9)
    assert low - 1e-12 <= mean <= high + 1e-12


counts = st.integers(1, 200).flatmap(lambda tried: st.tuples(st.integers(0, tried), st.just(tried)))


@given(st.lists(counts, min_size=1, max_size=8))
def test_it_is_never_narrower_than_instances_or_seeds_alone(seeds):
    low, high = over_seeds(seeds)
    right, tried = (sum(part) for part in zip(*seeds, strict=True))
    instances = wilson(right, tried)
    assert 0 <= low <= instances[0] <= right / tried <= instances[1] <= high <= 1
    if len(seeds) > 1:
        spread = mean_interval([a / b for a, b in seeds])
        assert low <= max(0.0, spread[0])
        assert high >= min(1.0, spread[1])
    else:
        assert (low, high) == instances


def test_nothing_tried_says_nothing():
    assert over_seeds([]) == over_seeds([(0, 0)]) == (0.0, 1.0)


def coverage(mean: float, spread: float, seeds: int, instances: int, rounds: int = 4000) -> float:
    """How often the interval has the true mean, for seeds whose accuracies are beta-distributed."""
    rng = np.random.default_rng(0)
    accuracy = rng.beta(mean * spread, (1 - mean) * spread, (rounds, seeds))
    right = rng.binomial(instances, accuracy)
    found = [over_seeds([(int(r), instances) for r in row]) for row in right]
    return sum(low <= mean <= high for low, high in found) / rounds


@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize(("spread", "least"), [(4.0, 0.89), (20.0, 0.93), (1000.0, 0.97)])
@pytest.mark.parametrize("mean", [0.3, 0.5, 0.8])
def test_the_true_accuracy_is_covered_as_the_module_says(mean, spread, least, seeds):
    """Spread 4: seeds differ by 20 points in standard deviation; 20: by 10; 1000: hardly."""
    assert coverage(mean, spread, seeds, instances=100) >= least


def test_rare_seeds_that_differ_are_missed_as_the_module_says():
    """Nine seeds in ten at 1, one at 0: five often agree, and then their interval is too narrow."""
    rng = np.random.default_rng(0)
    right = np.where(rng.random((4000, 5)) < 0.9, 100, 0)
    found = [over_seeds([(int(r), 100) for r in row]) for row in right]
    covered = sum(low <= 0.9 <= high for low, high in found) / len(found)
    assert covered == pytest.approx(1 - 0.9**5, abs=0.03)
