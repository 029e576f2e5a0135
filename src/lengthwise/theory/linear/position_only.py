"""Position-only linear attention: weights that depend on positions and nothing else.

For an input ``x_1 .. x_n`` the output at the last position is ``sum_i A[i, n] x_i`` with one
upper-triangular matrix A: key ``i``, query ``n``. So column n is the function for scale n, and
data of scales up to N0 reveal exactly the leading N0 x N0 block. Chen, Liang and Lin (2025, arXiv
2510.04130), Definition 2; the name is the paper's, the formula our reconstruction from the same
group's earlier work (Chen et al. 2024, arXiv 2410.08898), where the variant with advice stands.
"""

import numpy as np
import numpy.typing as npt

from lengthwise.core.errors import InputError

FloatArray = npt.NDArray[np.float64]


def triangular(matrix: npt.ArrayLike, name: str = "matrix") -> FloatArray:
    """Return ``matrix`` as floats, refusing what is not square, finite and upper triangular.

    Example:
        >>> triangular([[1, 2], [0, 3]]).tolist()
        [[1.0, 2.0], [0.0, 3.0]]
    """
    try:
        values = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: entries must be real numbers.") from None
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not len(values):
        raise InputError(f"{name}: shape {values.shape}; a square matrix is needed.")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0] + 1
        raise InputError(f"{name}: entry ({row}, {column}) is not a finite number.")
    below = np.argwhere(np.tril(values, -1) != 0)
    if len(below):
        row, column = below[0] + 1
        raise InputError(
            f"{name}: entry ({row}, {column}) below the diagonal is "
            f"{values[row - 1, column - 1]:g}; an upper-triangular matrix is needed "
            "(row = key, column = query, counted from 1)."
        )
    return values


def cells(scale: int) -> int:
    """Return D(n) = n(n + 1)/2, the number of free entries of an upper-triangular matrix.

    Example:
        >>> cells(20) - cells(5)
        195
    """
    return scale * (scale + 1) // 2
