"""Reading a trained model's positions: how large, how periodic and how local, head by head.

Two things are measured for every head over pairs of positions as they occur in training:

* ``logits``: the true logits, meaned over inputs. How they vary with the key is what position does
  in this head by whatever way: direct products, values, MLPs.
* ``size`` and the rest: the direct products p_j^T M p_i with the norms folded into M
  (:mod:`.folding`), beside what a limit transformer allows (:mod:`.distance_fit`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Decoder
from lengthwise.theory.limit.distance_fit import DistanceFit, fit_distances
from lengthwise.theory.limit.folding import folded, norm_scales
from lengthwise.theory.limit.logits_inside import PlacedRows, look_inside


@dataclass(frozen=True)
class HeadReading:
    """How one head's positional logits look; residuals are shares of their variance over keys."""

    layer: int
    head: int
    logits: float
    """Standard deviation over keys of the true logits, meaned over inputs."""
    size: float
    """Standard deviation over keys of the direct products of position vectors."""
    shift_residual: float
    """Share of the products that is not a function of the distance: 0 when shift-invariant."""
    period: int
    """The period of what does not vanish far away; 1 for a constant."""
    radius: int
    """The distance beyond which nothing else is left; -1 without a local part."""
    residual: float
    """Share that no periodic and local function explains: 0 when PERIODIC and LOCAL."""


@dataclass(frozen=True)
class Reading:
    """All heads of a model, with their products, (key, query), for a figure."""

    subject: str
    heads: tuple[HeadReading, ...]
    products: tuple[tuple[Float[np.ndarray, "n n"], ...], ...]


def read_positions(model: Decoder, inputs: Sequence[PlacedRows], subject: str = "model") -> Reading:
    """Measure every head of a model with learned absolute positions on inputs.

    Example:
        >>> import torch
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.learned import LearnedAbsolute
        >>> model = Decoder(ModelConfig(width=8), 5, LearnedAbsolute(), context=32)
        >>> rows = PlacedRows(torch.zeros(4, 9, dtype=torch.long), torch.arange(4))
        >>> len(read_positions(model, [rows]).heads)
        4
    """
    matrices = folded(model, norm_scales(model, inputs))
    table = np.roll(matrices.positions, -1, axis=0)  # back to positions 0, 1, 2, ...
    if len(table) < 4 or not table.any():
        raise InputError(f"{subject}: there is no learned position table to read; train with ape.")
    products = tuple(tuple(table @ kq @ table.T for kq in layer) for layer in matrices.kq)
    window = max(rows.tokens.shape[1] for rows in inputs)
    logits = mean_logits(model, inputs, len(table))
    heads = []
    for layer, row in enumerate(products):
        for head, found in enumerate(row):
            seen, counts = logits[layer][head]
            heads.append(_reading(layer, head, measure(found, window), fit_distances(seen, counts)))
    return Reading(subject, tuple(heads), products)


def _reading(layer: int, head: int, found: DistanceFit, true: DistanceFit) -> HeadReading:
    return HeadReading(
        layer=layer + 1,
        head=head + 1,
        logits=true.size,
        size=found.size,
        shift_residual=found.shift_residual,
        period=found.function.period,
        radius=found.function.radius,
        residual=found.residual,
    )


def measure(products: Float[np.ndarray, "n n"], window: int | None = None) -> DistanceFit:
    """Fit a matrix of products (key, query) at distances below ``window``."""
    place = np.arange(len(products))
    distance = place[None, :] - place[:, None]
    seen = (distance >= 0) & (distance < (window or len(products)))
    return fit_distances(products, seen.astype(float))


def mean_logits(
    model: Decoder, inputs: Sequence[PlacedRows], context: int
) -> list[list[tuple[Float[np.ndarray, "n n"], Float[np.ndarray, "n n"]]]]:
    """Return for every layer and head the mean logit of each pair (key, query) and its count.

    The first token of a row, which always is the same one, is left out as a key: what it attracts
    it attracts by its content.
    """
    heads, layers = model.config.heads, len(model.blocks)
    total, counts = np.zeros((layers, heads, context, context)), np.zeros((context, context))
    for rows in inputs:
        seen = [part.double().transpose(2, 3).numpy() for part in look_inside(model, rows).logits]
        size = rows.tokens.shape[1]
        key, query = np.nonzero(np.tri(size, dtype=bool).T)
        key, query = key[key > 0], query[key > 0]
        for number, offset in enumerate(rows.offsets.tolist()):
            counts[key + offset, query + offset] += 1
            for layer, logits in enumerate(seen):
                total[layer, :, key + offset, query + offset] += logits[number][:, key, query].T
    mean = total / np.maximum(counts, 1)
    return [[(mean[layer, head], counts) for head in range(heads)] for layer in range(layers)]
