"""Linear representation complexity (LRC): how many distinct weights a target needs.

Name and role ("decides when position embeddings enable length generalization") are from Chen, Liang
and Lin (2025, arXiv 2510.04130), Definition 3; the formula is our reconstruction.
"""

import numpy as np
import numpy.typing as npt

from lengthwise.theory.linear.partitions import TOLERANCE, Partition, ideal
from lengthwise.theory.linear.position_only import FloatArray


def lrc(matrix: FloatArray, tolerance: float = TOLERANCE) -> int:
    """Return LRC(A): the number of distinct entries on and above the diagonal.

    Example:
        >>> lrc(np.triu(np.ones((4, 4))))
        1
    """
    return _distinct(matrix[np.triu_indices(len(matrix))], tolerance)


def lrc_nonzero(matrix: FloatArray, tolerance: float = TOLERANCE) -> int:
    """Return LRC_0(A): distinct non-zero entries, for untrained classes that default to 0.

    Example:
        >>> lrc_nonzero(np.eye(4))
        1
    """
    entries = matrix[np.triu_indices(len(matrix))]
    return _distinct(entries[np.abs(entries) > tolerance], tolerance)


def _distinct(entries: FloatArray, tolerance: float) -> int:
    return int(len(entries) > 0) + int((np.diff(np.sort(entries)) > tolerance).sum())


def lrc_by_scale(
    matrix: FloatArray, *, nonzero: bool = False, tolerance: float = TOLERANCE
) -> npt.NDArray[np.int64]:
    """Return LRC (or LRC_0) of the leading blocks of size 1, 2, ..., N; it never decreases.

    Which entries count as equal is decided on the whole matrix.

    Example:
        >>> from lengthwise.theory.linear.demonstrations import target
        >>> lrc_by_scale(target("decay", 5)).tolist()
        [1, 2, 3, 4, 5]
    """
    partition = ideal(matrix, tolerance)
    if not nonzero:
        return classes_by_scale(partition)
    above = np.triu_indices(len(matrix))
    zero = np.unique(partition[above][np.abs(matrix[above]) <= tolerance])
    return classes_by_scale(np.where(np.isin(partition, zero), -1, partition))


def classes_by_scale(partition: Partition) -> npt.NDArray[np.int64]:
    """Return LRC_phi(1..N): how many classes of a relation are met up to each scale.

    Cells labelled -1 are not counted.

    Example:
        >>> from lengthwise.theory.linear.partitions import relative
        >>> classes_by_scale(relative(4)).tolist()
        [1, 2, 3, 4]
    """
    above = np.triu_indices(len(partition))
    labels, column = partition[above], above[1]
    first = np.full(labels.max(initial=-1) + 2, len(partition))
    np.minimum.at(first, labels, column)  # -1 falls on the last, spare entry
    return np.cumsum(np.bincount(first[:-1], minlength=len(partition) + 1)[: len(partition)])
