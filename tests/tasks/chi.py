"""A chi-square test without a table: the Wilson-Hilferty normal approximation."""

import numpy as np


def surprise(counts, expected) -> float:
    """Return how many standard deviations the chi-square statistic lies above its mean."""
    counts, expected = np.asarray(counts, dtype=float), np.asarray(expected, dtype=float)
    expected = expected * counts.sum() / expected.sum()
    assert expected.min() >= 5, "too few expected counts for the test"
    freedom = len(counts) - 1
    ratio = (((counts - expected) ** 2 / expected).sum() / freedom) ** (1 / 3)
    return float((ratio - (1 - 2 / (9 * freedom))) / np.sqrt(2 / (9 * freedom)))


def is_uniform(values, possible) -> bool:
    """Tell whether values look like independent uniform draws among ``possible``."""
    possible = list(possible)
    found, counts = np.unique(np.asarray(values), return_counts=True)
    assert set(found.tolist()) <= set(possible)
    table = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return surprise([table.get(v, 0) for v in possible], np.ones(len(possible))) < 4.5
