"""Targets for position-only linear attention: the demonstrations, and matrices from a file."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lengthwise.core.errors import InputError, unknown
from lengthwise.theory.linear.position_only import FloatArray, triangular


def _grid(n: int) -> tuple[FloatArray, FloatArray]:
    key, query = np.meshgrid(np.arange(1.0, n + 1), np.arange(1.0, n + 1), indexing="ij")
    return key, query


def _banded(n: int) -> FloatArray:
    return np.eye(n) - 0.5 * np.eye(n, k=1)


def _sum(n: int) -> FloatArray:
    return np.ones((n, n))


def _select_first(n: int) -> FloatArray:
    return (_grid(n)[0] == 1).astype(float)


def _select_middle(n: int) -> FloatArray:
    key, query = _grid(n)
    return (key == np.ceil(query / 2)).astype(float)


def _mean(n: int) -> FloatArray:
    return 1 / _grid(n)[1]


def _decay(n: int) -> FloatArray:
    key, query = _grid(n)
    return 0.5 ** (query - key)


_TARGETS: Mapping[str, Callable[[int], FloatArray]] = {
    "banded": _banded,
    "sum": _sum,
    "select-first": _select_first,
    "select-middle": _select_middle,
    "mean": _mean,
    "decay": _decay,
}

TARGETS: tuple[str, ...] = (*_TARGETS, "uniform", "reuse")
"""Names of the built-in targets; the last two are random."""


def target(name: str, n: int, *, n0: int = 4, seed: int = 0) -> FloatArray:
    """Return the N x N target called ``name``, or the one in a ``.npy`` file.

    ``uniform`` draws every entry; ``reuse`` draws the leading ``n0`` block and fills the rest with
    values of that block.

    Example:
        >>> target("mean", 2).tolist()
        [[1.0, 0.5], [0.0, 0.5]]
    """
    if n < 1:
        raise InputError(f"scale {n}: it must be at least 1.")
    if name.endswith(".npy"):
        return load_target(name, n)
    if name in _TARGETS:
        return np.triu(_TARGETS[name](n))
    if name not in TARGETS:
        raise unknown("target", name, TARGETS)
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.uniform(-1, 1, (n, n)))
    if name == "reuse":
        block = matrix[:n0, :n0][np.triu_indices(min(n0, n))]
        drawn = np.triu(rng.choice(block, (n, n)))
        drawn[:n0, :n0] = matrix[:n0, :n0]
        return drawn
    return matrix


def load_target(path: str, n: int) -> FloatArray:
    """Read the leading N x N block of an upper-triangular matrix from a ``.npy`` file."""
    if not Path(path).is_file():
        raise InputError(f"target {path!r}: there is no such file.")
    try:
        matrix = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise InputError(f"target {path!r}: not a numeric .npy file.") from None
    matrix = triangular(matrix, f"target {path!r}")
    if len(matrix) < n:
        raise InputError(f"target {path!r}: {len(matrix)} rows; scale {n} was asked for.")
    return matrix[:n, :n]
