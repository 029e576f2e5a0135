"""Reading a trained model as a limit object: how periodic and how local are its positions?

For every head the direct positional products p_j^T K^T Q p_i are compared with what a limit
transformer allows: a function of the distance, that is periodic or vanishes far away. Products are
taken of the position table alone, without norms and biases, as in the practical regulariser.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.theory.limit.regulariser import explicit_decoder

LARGEST_PERIOD = 24
TAIL = 0.05


@dataclass(frozen=True)
class HeadReading:
    """How one head's positional products look, all residuals relative to their variance."""

    layer: int
    head: int
    size: float
    """Standard deviation of the logits over causal pairs."""
    shift_residual: float
    """Share of the variance that is not a function of the distance: 0 when shift-invariant."""
    period: int
    """The period that explains the distance profile best."""
    periodic_residual: float
    """Share of the profile's variance that is left with this period: 0 when PERIODIC."""
    radius: int
    """Distance beyond which less than 5% of the profile's energy lies."""
    local_residual: float
    """Share of the energy beyond an eighth of the context: 0 when LOCAL at that range."""


@dataclass(frozen=True)
class Reading:
    """All heads of a model, with their products, (key, query), for a figure."""

    subject: str
    heads: tuple[HeadReading, ...]
    products: tuple[tuple[Float[np.ndarray, "n n"], ...], ...]


def read_positions(model: Decoder, subject: str = "model") -> Reading:
    """Measure every head of a model with learned absolute positions.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.learned import LearnedAbsolute
        >>> model = Decoder(ModelConfig(width=8), 5, LearnedAbsolute(), context=32)
        >>> len(read_positions(model).heads)
        4
    """
    matrices = explicit_decoder(model)
    table = np.roll(matrices.positions, -1, axis=0)  # back to positions 0, 1, 2, ...
    if len(table) < 4 or not table.any():
        raise InputError(f"{subject}: there is no learned position table to read; train with ape.")
    products = tuple(tuple(table @ kq @ table.T for kq in layer) for layer in matrices.kq)
    heads = tuple(
        measure(found, layer, head)
        for layer, row in enumerate(products, start=1)
        for head, found in enumerate(row, start=1)
    )
    return Reading(subject, heads, products)


def measure(products: Float[np.ndarray, "n n"], layer: int = 1, head: int = 1) -> HeadReading:
    """Return how shift-invariant, periodic and local a matrix of products (key, query) is."""
    size = len(products)
    key, query = np.nonzero(np.tri(size, dtype=bool).T)
    values, distance = products[key, query], query - key
    counts = np.bincount(distance, minlength=size)
    profile = np.bincount(distance, weights=values, minlength=size) / counts
    variance = float(values.var())
    left = float(((values - profile[distance]) ** 2).mean())
    period, periodic = _best_period(profile, counts)
    radius, far = _locality(profile)
    return HeadReading(
        layer=layer,
        head=head,
        size=variance**0.5,
        shift_residual=left / variance if variance else 0.0,
        period=period,
        periodic_residual=periodic,
        radius=radius,
        local_residual=far,
    )


def _best_period(profile: np.ndarray, counts: np.ndarray) -> tuple[int, float]:
    """Return the shortest period within 1% of the best one, and what it leaves unexplained."""
    mean = np.average(profile, weights=counts)
    variance = float(np.average((profile - mean) ** 2, weights=counts))
    if not variance:
        return 1, 0.0
    left = []
    for period in range(1, min(LARGEST_PERIOD, len(profile) // 2) + 1):
        residue = np.arange(len(profile)) % period
        weight = np.bincount(residue, weights=counts)
        fitted = np.bincount(residue, weights=counts * profile) / weight
        left.append(float(np.average((profile - fitted[residue]) ** 2, weights=counts)) / variance)
    best = min(left)
    period = next(k for k, value in enumerate(left, start=1) if value <= best + 0.01)
    return period, left[period - 1]


def _locality(profile: np.ndarray) -> tuple[int, float]:
    """Return the radius that holds 95% of the energy above the far level, and the far share."""
    energy = (profile - np.median(profile[len(profile) // 2 :])) ** 2
    total = float(energy.sum())
    if not total:
        return 0, 0.0
    beyond = total - np.cumsum(energy)
    radius = int(np.argmax(beyond <= TAIL * total))
    return radius, max(0.0, float(beyond[len(profile) // 8] / total))
