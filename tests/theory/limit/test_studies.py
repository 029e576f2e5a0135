"""The inference procedure and the fitting of positional functions, at small sizes."""

import itertools

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.crasp import accepts
from lengthwise.crasp.candidates import SearchSpace
from lengthwise.crasp.targets import from_regex
from lengthwise.theory.limit.inference import infer
from lengthwise.theory.limit.positional_fit import FitSettings, coverage, fit_relation


def test_inference_by_training_length():
    target = from_regex("a*", "ab")
    inference = infer(target, 4, space=SearchSpace(periods=(), window=0), seconds=60)
    assert [item.train_length for item in inference.learned] == [1, 2, 3, 4]
    assert inference.first_right == 2
    assert len(inference.rows()) == 4
    right = [item.verified.agrees for item in inference.learned]
    assert right == [False, True, True, True]
    for item in inference.learned:
        words = [
            w for n in range(1, item.train_length + 1) for w in itertools.product("ab", repeat=n)
        ]
        expected = [set(word) <= {"a"} for word in words]
        assert accepts(item.program, words).tolist() == expected


def test_coverage_counts_windows():
    starts = np.array([2.0, 0.0, 1.0, 3.0])
    slow = np.zeros((7, 7))
    for first, count in enumerate(starts):
        for i in range(first, first + 4):
            for j in range(first, i + 1):
                slow[i, j] += count
    assert np.array_equal(coverage(starts, 4, 7).numpy(), slow)


def test_low_rank_extends_periodic_relations_and_a_wide_table_local_ones():
    """The ordering of the published table, at a fifth of its lengths."""
    settings = FitSettings(positions=40, window=10, steps=900, learning_rate=3e-3)
    found = {
        (relation, width): fit_relation(relation, width, settings).error[-1]
        for relation in ("mod3=0", "j=i-1")
        for width in (8, 96)
    }
    assert found["mod3=0", 8] < found["mod3=0", 96]
    assert found["j=i-1", 96] < found["j=i-1", 8]


def test_unknown_relations_and_impossible_sizes_are_refused():
    with pytest.raises(InputError, match="unknown relation"):
        fit_relation("mod7", 4)
    with pytest.raises(InputError, match="windows must fit"):
        fit_relation("prime", 4, FitSettings(positions=4, window=9))
