"""The product constraint that defines the hypothesis class (Huang et al. 2025, section 3.2).

Everything a transformer computes depends on its position vectors through products along paths
of value matrices. The constraint: a product with one position vector is the same for all positions,
a product with two depends on their difference only. In words: position may be *compared* inside
attention, but nothing else may read it. (Restated in our words, not quoted.)

Instead of listing all products of matrices, the position table and every other vector that is
written to the stream are carried through the layers together with their images under each value
matrix; images that vanish or repeat are dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.theory.limit.regulariser import Explicit

MOST_IMAGES = 5_000


@dataclass(frozen=True)
class Violation:
    """A product that breaks the constraint: where, of which kind, and by how much."""

    layer: int
    kind: str
    path: str
    deviation: float


@dataclass
class ProductReport:
    """Every violation found and how many products were looked at."""

    products: int = 0
    violations: list[Violation] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether the model is in the hypothesis class."""
        return not self.violations


@dataclass(frozen=True)
class _Image:
    """The image of the position table, or of other vectors, under one path of value matrices."""

    path: str
    rows: np.ndarray


def check_products(
    model: Explicit, *, tolerance: float = 1e-9, most: int = MOST_IMAGES
) -> ProductReport:
    """Check all path products of a model, refusing one with more than ``most`` of them in a layer.

    Example:
        >>> from lengthwise.crasp.library import load
        >>> from lengthwise.theory.limit import compile_program
        >>> from lengthwise.theory.limit.regulariser import explicit
        >>> program = load("aa")
        >>> [check_products(explicit(compile_program(program, periodic=form), 12)).holds
        ...  for form in ("constrained", "short")]
        [True, False]
    """
    report = ProductReport()
    positional = [_Image("p", model.positions)]
    others = [_Image("E", model.embedding)]
    for layer, heads in enumerate(zip(model.kq, model.v, strict=True), start=1):
        for head, kq in enumerate(heads[0], start=1):
            _attention(report, layer, head, kq, positional, others, tolerance)
        positional = _grown(positional, layer, heads[1], most)
        others = _grown(others, layer, heads[1], most)
        _single(report, layer, "MLP input", model.a[layer - 1], positional, tolerance)
        others.append(_Image(f"B{layer}", model.out[layer - 1].T))
    _single(report, len(model.kq), "output", model.unembedding, positional, tolerance)
    return report


def _grown(
    images: list[_Image], layer: int, values: Iterable[np.ndarray], most: int
) -> list[_Image]:
    """Add the images under each head's value matrix; leave out what vanishes or is there."""
    found = {image.rows.tobytes(): image for image in images}
    for image in images:
        for head, v in enumerate(values, start=1):
            rows = image.rows @ v.T
            if rows.any():
                found.setdefault(rows.tobytes(), _Image(f"V{layer}.{head} {image.path}", rows))
    if len(found) > most:
        raise InputError(
            f"the model has more than {most} different path products below layer "
            f"{layer + 1}; the product check is for smaller models."
        )
    return list(found.values())


def _attention(
    report: ProductReport,
    layer: int,
    head: int,
    kq: np.ndarray,
    positional: list[_Image],
    others: list[_Image],
    tolerance: float,
) -> None:
    """Products of two vectors around one head's K^T Q; the key stands on the left."""
    name = f"K{layer}.{head}Q"
    for image in positional:
        left, right = image.rows @ kq, kq @ image.rows.T
        for other in others:
            for shown, products in (
                (f"{image.path} {name} {other.path}", left @ other.rows.T),
                (f"{other.path} {name} {image.path}", (other.rows @ right).T),
            ):
                deviation = float(np.ptp(products, axis=0).max(initial=0))
                _note(report, layer, "one position", shown, deviation, tolerance)
        for other in positional:
            deviation = _unlike_toeplitz(left @ other.rows.T)
            shown = f"{image.path} {name} {other.path}"
            _note(report, layer, "two positions", shown, deviation, tolerance)


def _single(
    report: ProductReport,
    layer: int,
    what: str,
    readers: np.ndarray,
    positional: list[_Image],
    tolerance: float,
) -> None:
    for image in positional:
        deviation = float(np.ptp(image.rows @ readers.T, axis=0).max(initial=0))
        _note(report, layer, "one position", f"{what} {image.path}", deviation, tolerance)


def _note(
    report: ProductReport, layer: int, kind: str, path: str, deviation: float, tolerance: float
) -> None:
    report.products += 1
    if deviation > tolerance:
        report.violations.append(Violation(layer, kind, path, deviation))


def _unlike_toeplitz(products: np.ndarray) -> float:
    """Return how much values vary along a diagonal; row 0 holds the last position, so roll it."""
    matrix = np.roll(products, -1, axis=(0, 1))
    size = len(matrix)
    spread = [np.ptp(np.diagonal(matrix, k)) for k in range(1 - size, size)]
    return float(max(spread, default=0.0))
