"""Training position-only linear attention on short inputs, and its error at every scale."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lengthwise.core.errors import InputError, unknown
from lengthwise.theory.linear.partitions import TOLERANCE, Partition, basis_of
from lengthwise.theory.linear.position_only import FloatArray

Inputs = Literal["gaussian", "signs"]
Trainer = Literal["closed", "gradient"]


@dataclass(frozen=True)
class LinearFit:
    """A trained matrix with its residual on training data and its largest error by scale.

    ``errors[n - 1]`` is the largest error of column n, that is, of the function for scale n.
    """

    matrix: FloatArray
    residual: float
    errors: FloatArray

    @property
    def error(self) -> float:
        """Return the largest entry error over all scales."""
        return float(self.errors.max())

    def generalizes(self, tolerance: float = TOLERANCE) -> bool:
        """Return whether the fit is right at every scale, to the tolerance that LRC uses too."""
        return self.error <= tolerance


def draw_inputs(
    scale: int, count: int, rng: np.random.Generator, inputs: Inputs = "gaussian"
) -> FloatArray:
    """Draw ``count`` inputs of one scale, Gaussian or, for the variant with advice, signs.

    A sign input of scale n has ``x_n = -1`` (the advice), so its other signs are drawn.

    Example:
        >>> draw_inputs(3, 2, np.random.default_rng(0), "signs")[:, -1].tolist()
        [-1.0, -1.0]
    """
    if inputs == "gaussian":
        return rng.standard_normal((count, scale))
    if inputs != "signs":
        raise unknown("inputs", inputs, ["gaussian", "signs"])
    signs = rng.choice([-1.0, 1.0], (count, scale))
    signs[:, -1] = -1
    return signs


def training_data(
    target: FloatArray,
    encoding: Partition | FloatArray,
    n0: int,
    rng: np.random.Generator,
    inputs: Inputs = "gaussian",
) -> tuple[FloatArray, FloatArray]:
    """Return features ``(rows, K)`` and labels of instances of every scale up to ``n0``.

    The feature of class k is the sum of the inputs in that class, ``sum_i U_k[i, n] x_i``.

    Example:
        >>> from lengthwise.theory.linear.demonstrations import target
        >>> from lengthwise.theory.linear.partitions import relative
        >>> rng = np.random.default_rng(0)
        >>> features, labels = training_data(target("sum", 5), relative(5), 2, rng)
        >>> features.shape, bool(np.allclose(features.sum(axis=1), labels))
        ((12, 2), True)
    """
    basis = basis_of(encoding[..., :n0, :n0])
    count = 3 * n0 if inputs == "gaussian" else 16 * n0
    features, labels = [], []
    for scale in range(1, n0 + 1):
        drawn = draw_inputs(scale, count, rng, inputs)
        features.append(drawn @ basis[:, :scale, scale - 1].T)
        labels.append(drawn @ target[:scale, scale - 1])
    return np.concatenate(features), np.concatenate(labels)


def _spread(weights: FloatArray, encoding: Partition | FloatArray) -> FloatArray:
    """Return the whole matrix; classes that training never saw are at 0."""
    if encoding.ndim == 3:
        return np.tensordot(weights, encoding, 1)
    table = encoding.astype(np.int64)
    whole = np.zeros(table.max() + 1)
    whole[: len(weights)] = weights
    return np.triu(whole[table])


def _seen_first(encoding: Partition) -> Partition:
    """Number classes anew so that those in the leading block come first."""
    above = np.triu_indices(len(encoding))
    labels = encoding[above]
    first = np.full(labels.max() + 1, len(encoding))
    np.minimum.at(first, labels, above[1])
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    table = np.full(encoding.shape, -1, dtype=np.int64)
    table[above] = rank[labels]
    return table


def train(
    target: FloatArray,
    encoding: Partition | FloatArray,
    n0: int,
    *,
    trainer: Trainer = "closed",
    inputs: Inputs = "gaussian",
    seed: int = 0,
) -> LinearFit:
    """Fit one weight per class on scales up to ``n0`` and measure it at every scale.

    ``closed`` is the minimum-norm least-squares solution; ``gradient`` is gradient descent from 0,
    which leaves the classes it never sees at 0 and tends to the same solution.

    Example:
        The decay target needs a new value at every scale; its error is 0.5 ** n0.

        >>> from lengthwise.theory.linear.demonstrations import target
        >>> from lengthwise.theory.linear.partitions import ideal
        >>> decay = target("decay", 10)
        >>> round(train(decay, ideal(decay), 4).error, 6)
        0.0625
    """
    if not 1 <= n0 <= len(target):
        raise InputError(f"training scale {n0}: need 1 <= n0 <= {len(target)}.")
    if encoding.ndim == 2:
        encoding = _seen_first(encoding.astype(np.int64))
    features, labels = training_data(target, encoding, n0, np.random.default_rng(seed), inputs)
    if trainer == "closed":
        weights = np.linalg.lstsq(features, labels, rcond=None)[0].astype(np.float64)
    elif trainer == "gradient":
        weights = gradient_descent(features, labels)
    else:
        raise unknown("trainer", trainer, ["closed", "gradient"])
    matrix = _spread(weights, encoding)
    errors = np.abs(np.triu(matrix - target)).max(axis=0)
    return LinearFit(matrix, float(np.abs(features @ weights - labels).max()), errors)


def gradient_descent(
    features: FloatArray, labels: FloatArray, *, steps: int = 20_000, tolerance: float = 1e-12
) -> FloatArray:
    """Minimise the squared error from 0 by plain gradient descent with the safe step ``1 / L``.

    Example:
        >>> gradient_descent(np.array([[2.0, 0.0]]), np.array([4.0])).round(6).tolist()
        [2.0, 0.0]
    """
    gram, moment = features.T @ features, features.T @ labels
    largest = np.linalg.eigvalsh(gram)[-1]
    weights = np.zeros(features.shape[1])
    for _ in range(steps if largest > 0 else 0):
        gradient = gram @ weights - moment
        if np.abs(gradient).max() < tolerance:
            break
        weights -= gradient / largest
    return weights
