"""Position encodings as partitions of position pairs: cells of one class share one weight.

A relation ``phi(i, j)`` on cells ``i <= j`` ties the matrix: ``A[i, j] = p[phi(i, j)]``. It is
stored as a square integer table of classes ``0 .. K-1``, with -1 below the diagonal. (Our reading
of position relation functions in Chen, Liang and Lin 2025, arXiv 2510.04130.)
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from lengthwise.theory.linear.position_only import FloatArray

Partition = npt.NDArray[np.int64]

TOLERANCE = 1e-9
"""Entries closer than this are one value (exact data; use 1e-6 for learnt matrices)."""


def from_relation(
    relation: Callable[[npt.NDArray, npt.NDArray], npt.ArrayLike], n: int
) -> Partition:
    """Return the partition of a vectorised ``relation(i, j)``, keys ``i`` and queries from 1.

    Example:
        >>> from_relation(lambda i, j: j - i, 3).tolist()
        [[0, 1, 2], [-1, 0, 1], [-1, -1, 0]]
    """
    key, query = np.meshgrid(np.arange(1, n + 1), np.arange(1, n + 1), indexing="ij")
    values = np.broadcast_to(np.asarray(relation(key, query)), (n, n))
    return _labelled(values)


def _labelled(values: npt.NDArray) -> Partition:
    """Number the distinct values of the upper triangle from 0 in increasing order."""
    above = np.triu_indices(len(values))
    table = np.full(values.shape, -1, dtype=np.int64)
    table[above] = np.unique(values[above], return_inverse=True)[1]
    return table


def absolute(n: int) -> Partition:
    """Return the partition into single cells: every pair of positions has its own weight."""
    return from_relation(lambda i, j: i * n + j, n)


def relative(n: int) -> Partition:
    """Return the partition by distance ``j - i``."""
    return from_relation(lambda i, j: j - i, n)


def constant(n: int) -> Partition:
    """Return the partition into one class: no encoding."""
    return from_relation(lambda i, j: 0 * i, n)


def ideal(target: FloatArray, tolerance: float = TOLERANCE) -> Partition:
    """Return the partition by value of ``target``: the coarsest one that can represent it.

    Example:
        >>> ideal(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
        [[1, 0], [-1, 1]]
    """
    above = np.triu_indices(len(target))
    order = np.sort(target[above])
    starts = order[np.concatenate([[True], np.diff(order) > tolerance])]
    return _labelled(np.searchsorted(starts, target + tolerance / 2, side="right"))


def rotary_basis(n: int, frequencies: npt.ArrayLike) -> FloatArray:
    """Return the matrices ``cos(w (j - i))`` and ``sin(w (j - i))`` that a rotary head can mix.

    Not a partition but a basis ``(2m, n, n)``, accepted wherever a partition is (our choice).

    Example:
        >>> rotary_basis(2, [0.5]).shape
        (2, 2, 2)
    """
    distance = np.arange(n)[None, :] - np.arange(n)[:, None]
    angles = np.asarray(frequencies, dtype=np.float64)[:, None, None] * distance
    return np.triu(np.concatenate([np.cos(angles), np.sin(angles)]))


def basis_of(encoding: Partition | FloatArray) -> FloatArray:
    """Return the indicator matrices ``(K, N, N)`` of a partition; a basis is returned as it is.

    Example:
        >>> basis_of(relative(2)).tolist()
        [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]
    """
    if encoding.ndim == 3:
        return np.asarray(encoding, dtype=np.float64)
    classes = np.arange(encoding.max() + 1)
    return (encoding[None] == classes[:, None, None]).astype(np.float64)


ENCODINGS: Mapping[str, Callable[[FloatArray], Partition | FloatArray]] = {
    "ape": lambda target: absolute(len(target)),
    "rpe": lambda target: relative(len(target)),
    "nope": lambda target: constant(len(target)),
    "rope": lambda target: rotary_basis(len(target), 10_000.0 ** -np.arange(0, 1, 0.25)),
    "ideal": ideal,
}
"""Encodings by name, each built for a target (only ``ideal`` looks at its values)."""


def set_partitions(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every partition of ``size`` cells as class labels in order of first use.

    Example:
        >>> list(set_partitions(3))
        [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if size == 0:
        yield ()
        return
    for labels in set_partitions(size - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)
