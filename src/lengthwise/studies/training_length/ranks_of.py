"""Rank correlation with ties, and its interval by drawing languages again."""

from collections.abc import Sequence

import numpy as np

DRAWS = 4_000


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Spearman's rank correlation; equal values share their ranks. None without order.

    Example:
        >>> rank_correlation([(1, 5), (2, 8), (3, float("inf"))])
        1.0
        >>> rank_correlation([(1, 5), (2, 5)]) is None
        True
    """
    one, two = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        return None
    return round(float(np.corrcoef(one, two)[0, 1]), 12)


def _ranks(values: Sequence[float]) -> np.ndarray:
    """Return the mean rank of each value among all."""
    found = np.array(values, dtype=float)
    below = (found[None, :] < found[:, None]).sum(axis=1)
    same = (found[None, :] == found[:, None]).sum(axis=1)
    return below + (same - 1) / 2


def rank_interval(pairs: Sequence[tuple[float, float]], seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of the rank correlation over languages drawn with replacement.

    A draw without any order counts as 0.

    Example:
        >>> low, high = rank_interval([(k, k) for k in range(10)])
        >>> low > 0.9, high
        (True, 1.0)
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(pairs), (DRAWS, len(pairs)))
    found = [rank_correlation([pairs[k] for k in row]) or 0.0 for row in rows]
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)
