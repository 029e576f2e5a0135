"""The regulariser R(T) of Huang et al. 2025, term by term, for explicit matrices.

The list of terms is restated, not quoted; the last one is that of the authors' code, which trains
with its practical form (:func:`lengthwise.training.positional.positional_penalty`). Norms of K^T Q
and V are spectral; for A, B and U the Frobenius norm is taken, which bounds the spectral one.
"""

from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float

from lengthwise.theory.limit.transformer import LimitTransformer
from lengthwise.theory.limit.translation import to_finite

FLOAT32_BITS = 24
Matrices = tuple[tuple[Float[np.ndarray, "d d"], ...], ...]


@dataclass(frozen=True)
class Explicit:
    """A transformer as the theory writes it: products of matrices, per layer and head.

    ``kq[l][h]`` is K^T Q with the key on the left, ``v[l][h]`` maps a state to what is added.
    """

    embedding: Float[np.ndarray, "s d"]
    positions: Float[np.ndarray, "n d"]
    kq: Matrices
    v: Matrices
    a: tuple[Float[np.ndarray, "m d"], ...]
    b: tuple[Float[np.ndarray, " m"], ...]
    out: tuple[Float[np.ndarray, "d m"], ...]
    unembedding: Float[np.ndarray, "o d"]
    bits: int


@dataclass(frozen=True)
class Regulariser:
    """The terms of R(T); ``total`` adds them up."""

    layers_and_heads: float
    bits: float
    rank_v: float
    norm_kq: float
    norm_v: float
    norm_a: float
    norm_b_matrix: float
    norm_unembedding: float
    norm_positions: float
    norm_embedding: float
    norm_bias: float
    positional: float
    """Sum over layers, heads and j of (p_1^T K^T Q p_j)^2: term 6."""

    @property
    def total(self) -> float:
        """R(T)."""
        return float(sum(asdict(self).values()))


def regulariser(model: Explicit) -> Regulariser:
    """Return R of an explicit model, term by term.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> from lengthwise.theory.limit import compile_program
        >>> regulariser(explicit(compile_program(load("contains-ab")), 16)).positional
        9.0
    """
    kq = [matrix for layer in model.kq for matrix in layer]
    small_kq = [_trimmed(matrix) for matrix in kq]
    v = [_trimmed(matrix) for layer in model.v for matrix in layer]
    return Regulariser(
        layers_and_heads=len(model.kq) + max((len(layer) for layer in model.kq), default=0),
        bits=model.bits,
        rank_v=_largest(np.linalg.matrix_rank(m) for m in v),
        norm_kq=_largest(np.linalg.norm(m, 2) for m in small_kq),
        norm_v=_largest(np.linalg.norm(m, 2) for m in v),
        norm_a=_largest(map(np.linalg.norm, model.a)),
        norm_b_matrix=_largest(map(np.linalg.norm, model.out)),
        norm_unembedding=float(np.linalg.norm(model.unembedding)),
        norm_positions=float(np.linalg.norm(model.positions, axis=1).max(initial=0)),
        norm_embedding=float(np.linalg.norm(model.embedding, axis=1).max(initial=0)),
        norm_bias=_largest(map(np.linalg.norm, model.b)),
        positional=_positional(model.positions, kq),
    )


def _trimmed(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix without its rows and columns of zeros: same rank and spectral norm."""
    small = matrix[matrix.any(axis=1)][:, matrix.any(axis=0)]
    return small if small.size else np.zeros((1, 1))


def _largest(values: object) -> float:
    return float(max(values, default=0.0))  # type: ignore[call-overload]


def _positional(positions: np.ndarray, kq: list[np.ndarray]) -> float:
    """Term 6; row 1 of the table is the first position, row 0 the last."""
    first = positions[1 % len(positions)]
    return float(sum(((positions @ (first @ matrix)) ** 2).sum() for matrix in kq))


def explicit(model: LimitTransformer, context: int | None = None) -> Explicit:
    """Return the matrices of a limit transformer's finite model, or of a finite model itself."""
    if context is not None:
        model = to_finite(model, context)
    matrices = [model.embedding, model.positions, model.unembedding]
    for layer in model.layers:
        matrices += [layer.a, layer.b, layer.out]
        matrices += [m for head in layer.heads for m in (head.kq, head.v)]
    return Explicit(
        embedding=model.embedding,
        positions=model.positions,
        kq=tuple(tuple(head.kq for head in layer.heads) for layer in model.layers),
        v=tuple(tuple(head.v for head in layer.heads) for layer in model.layers),
        a=tuple(layer.a for layer in model.layers),
        b=tuple(layer.b for layer in model.layers),
        out=tuple(layer.out for layer in model.layers),
        unembedding=model.unembedding,
        bits=max(model.bits, _fractional_bits(matrices)),
    )


def _fractional_bits(matrices: list[np.ndarray]) -> int:
    values = np.concatenate([matrix.ravel() for matrix in matrices])
    bits = 0
    while bits < FLOAT32_BITS and (values * 2**bits % 1).any():
        bits += 1
    return bits
