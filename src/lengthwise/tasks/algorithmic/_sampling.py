"""Vectorised draws that several tasks share."""

import numpy as np
from jaxtyping import Bool, Int


def random_subset(
    rng: np.random.Generator, lengths: Int[np.ndarray, "b"], sizes: Int[np.ndarray, "b"]
) -> Bool[np.ndarray, "b t"]:
    """Mark ``sizes[b]`` of the first ``lengths[b]`` positions, every subset equally likely."""
    width = int(lengths.max(initial=0))
    keys = rng.random((len(lengths), width), dtype=np.float32)
    keys[np.arange(width) >= lengths[:, None]] = 2.0  # behind every real key
    order = np.argsort(keys, axis=1, kind="stable")
    marked = np.empty_like(order, dtype=bool)
    np.put_along_axis(marked, order, np.arange(width) < sizes[:, None], axis=1)
    return marked


def unequal_split(rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Int[np.ndarray, "b"]:
    """Draw a number in ``0..length`` other than half the length, uniformly.

    The same distribution as drawing from ``0..length`` and drawing again on a tie.
    """
    even = lengths % 2 == 0
    split = rng.integers(0, lengths + 1 - even)
    return split + (even & (split >= lengths // 2))
