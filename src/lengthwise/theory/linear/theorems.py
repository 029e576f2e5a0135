"""Theorems 1 and 2 on position-only linear attention, as counts and as exhaustive checks.

Chen, Liang and Lin (2025, arXiv 2510.04130). Known first-hand: that Theorem 1 bounds the concepts
on which a fixed algorithm generalizes, given what short data show, and that LRC decides when an
encoding can help. Both conclusions below are our reconstruction:

1. Given the leading block, the concepts that can be extrapolated have dimension 0 inside a set of
   dimension D(N) - D(N0), even if the best encoding may be picked for each concept.
2. Some encoding extrapolates a target if and only if its LRC does not grow from N0 to N: distinct
   values if untrained classes count as failures, distinct non-zero values if they stay at 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError
from lengthwise.theory.linear.lrc import lrc, lrc_nonzero
from lengthwise.theory.linear.partitions import TOLERANCE, set_partitions
from lengthwise.theory.linear.position_only import FloatArray, cells


@dataclass(frozen=True)
class Dimensions:
    """The dimensions in Theorem 1 (conclusions reconstructed)."""

    concepts: int
    concepts_given_block: int
    generalizing_given_block: int
    generalizing: int


def theorem1_dimensions(n0: int, n: int) -> Dimensions:
    """Return the dimensions of all concepts and of those on which generalization is possible.

    Example:
        >>> sizes = theorem1_dimensions(5, 20)
        >>> sizes.concepts, sizes.concepts_given_block, sizes.generalizing
        (210, 195, 15)
    """
    return Dimensions(cells(n), cells(n) - cells(n0), 0, cells(n0))


def generalizing_fraction(block: npt.ArrayLike, levels: int, n: int) -> float:
    """Return the share of the concepts with this block that some encoding extrapolates.

    Entries take the values ``0 .. levels - 1``. The value of every unseen cell must be one that the
    block shows, or 0, the value of an untrained class: ``(|S| / q) ** (D(N) - D(N0))``.

    Example:
        >>> generalizing_fraction([[1, 2], [0, 3]], levels=8, n=3)
        0.125
    """
    block = np.asarray(block)
    known = {0, *block[np.triu_indices(len(block))].tolist()}
    return (len(known) / levels) ** (cells(n) - cells(len(block)))


def count_generalizing(block: npt.ArrayLike, levels: int, n: int) -> tuple[int, int]:
    """Count by brute force the concepts with this block that some partition extrapolates.

    Returns the count and the number of concepts, to be compared with
    :func:`generalizing_fraction`.

    Example:
        >>> count_generalizing([[1, 2], [0, 3]], levels=8, n=3)
        (64, 512)
    """
    block = np.asarray(block)
    tails = _all_rows(levels, cells(n) - cells(len(block)))
    head = block.T[np.tril_indices(len(block))]
    rows = np.concatenate([np.broadcast_to(head, (len(tails), len(head))), tails], axis=1)
    return int(_some_partition(rows, len(head), init=0).sum()), len(rows)


def exhaustive_check(
    n0: int = 2, n: int = 3, levels: int = 4, *, init: float | None = 0
) -> tuple[int, int]:
    """Hold Theorem 2 against every target with entries ``0 .. levels - 1`` and every partition.

    Returns the number of targets on which "some partition fits the block and extends correctly"
    differs from "the complexity does not grow", and the number of targets. ``init`` is the value
    of untrained classes, ``None`` if they count as failures.

    Example:
        >>> exhaustive_check()
        (0, 4096)
    """
    if not 1 <= n0 < n:
        raise InputError(f"scales {n0} and {n}: need 1 <= n0 < n.")
    if init not in (None, 0):
        raise InputError(f"init is {init}: it must be 0 or None.")
    if cells(n) > 10 or levels ** cells(n) > 5_000_000:
        raise InputError(f"scale {n} with {levels} levels: too many cases for an exhaustive check.")
    rows = _all_rows(levels, cells(n))
    possible = _some_partition(rows, cells(n0), init=init)
    predicted = _distinct(rows, init) == _distinct(rows[:, : cells(n0)], init)
    return int((possible != predicted).sum()), len(rows)


def _all_rows(levels: int, width: int) -> npt.NDArray[np.int64]:
    """Return all rows of ``width`` values; cells run column by column, so blocks come first."""
    return np.stack(np.unravel_index(np.arange(levels**width), (levels,) * width), axis=1)


def _some_partition(
    rows: npt.NDArray[np.int64], seen: int, *, init: float | None
) -> npt.NDArray[np.bool_]:
    """Return for which rows some partition trained on the first ``seen`` cells is right on all."""
    possible = np.zeros(len(rows), dtype=bool)
    for labels in set_partitions(rows.shape[1]):
        possible |= _extends(rows, labels, seen, init)
    return possible


def _extends(
    rows: npt.NDArray[np.int64], labels: Sequence[int], seen: int, init: float | None
) -> npt.NDArray[np.bool_]:
    first = {label: labels.index(label) for label in labels}
    right = np.ones(len(rows), dtype=bool)
    for cell, label in enumerate(labels):
        if first[label] < seen:
            right &= rows[:, cell] == rows[:, first[label]]
        elif init is None:
            right[:] = False
        else:
            right &= rows[:, cell] == init
    return right


def _distinct(rows: npt.NDArray[np.int64], init: float | None) -> npt.NDArray[np.int64]:
    ordered = np.sort(rows, axis=1)
    count = 1 + (np.diff(ordered, axis=1) != 0).sum(axis=1)
    return count if init is None else count - (ordered == init).any(axis=1)


def some_encoding_generalizes(
    target: FloatArray, n0: int, *, strict: bool = False, tolerance: float = TOLERANCE
) -> bool:
    """Return Theorem 2's prediction: does the complexity stay the same from ``n0`` to N?

    Example:
        >>> from lengthwise.theory.linear.demonstrations import target
        >>> some_encoding_generalizes(target("select-middle", 10), 4)
        True
        >>> some_encoding_generalizes(target("mean", 10), 4)
        False
    """
    count = lrc if strict else lrc_nonzero
    return count(target, tolerance) == count(target[:n0, :n0], tolerance)
