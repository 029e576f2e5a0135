"""From a trained decoder with learned positions to a limit object (Huang et al. 2025, lemma 1.5).

The theory turns a sequence of finite transformers into one limit transformer: what positions say
*through values* (and to MLPs and the output) becomes a periodic vector, what two positions say to
each other *directly*, inside a logit, becomes a function of their distance. For one trained model
that can only be an approximation, and its residuals are the point:

1. Of each position vector only what value matrices, MLPs and the output can read is kept (for a
   trained model that is all of it; in a compiled one it drops the unit vectors).
2. These vectors are replaced by periodic ones, the mean over each residue: ``vectors``. The period
   is the shortest that explains what readers see of them as well as any other does.
3. Layer by layer, the logits of the model and of the object so far are compared on the same inputs,
   and their mean difference D(j, i) is fitted by a periodic and a local function of the distance
   (:mod:`.distance_fit`), which is added to the object's logits.

The result is an ordinary decoder whose encoding is :class:`LimitPositions`, defined for inputs of
any length; norms stay where they are. ``rest`` holds what it leaves out.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.decoder import Block, Decoder
from lengthwise.positions.base import EncodingModule, Places
from lengthwise.theory.limit.distance_fit import (
    LARGEST_PERIOD,
    DistanceFit,
    PositionalFunction,
    fit_distances,
)
from lengthwise.theory.limit.folding import folded, norm_scales, numpy
from lengthwise.theory.limit.logits_inside import PlacedRows, look_inside
from lengthwise.theory.limit.regulariser import Explicit
from lengthwise.training.positional import position_table

CLOSE = 0.05
"""Periods whose residuals differ by less than this share are as good as each other."""
INVISIBLE = 1e-9
"""Directions that readers see by less than this share of the largest count as not seen."""

Array = Float[np.ndarray, "..."]


class LimitPositions(EncodingModule):
    """y_i = E[x_i] + vectors[i mod period], and a function of the distance on every head's logits.

    Nothing in it depends on a context, so it runs at any length.
    """

    def __init__(self, vectors: Float[Tensor, "p d"], heads: int) -> None:
        super().__init__()
        self.register_buffer("vectors", vectors)
        self.vectors: Tensor
        self.heads = heads
        self.functions: dict[int, tuple[PositionalFunction, ...]] = {}
        self.sharpness: dict[int, Tensor] = {}

    def embed(
        self, x: Float[Tensor, "b t d"], positions: Int[Tensor, "#b t"], places: Places
    ) -> Float[Tensor, "b t d"]:
        """Add the vector of each position's residue."""
        return x + self.vectors[positions % len(self.vectors)]

    def prepare(self, places: Places) -> Places:
        """Keep where queries and keys stand."""
        return places

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Places, layer: int
    ) -> Float[Tensor, "#b #h q k"] | None:
        """Return f(i - j) of every head, sharpened as the layer's other logits are."""
        functions = self.functions.get(layer)
        if functions is None:
            return None
        distance = prepared.distance().clamp_min(0)
        size = int(distance.max()) + 1
        tables = torch.from_numpy(np.stack([f.values(size) for f in functions])).to(q.dtype)
        found = tables[:, distance].transpose(0, 1)
        if layer not in self.sharpness:
            return found
        columns = prepared.index
        if columns is None:
            columns = torch.arange(distance.shape[1])[None]
        return found * (self.sharpness[layer] * (columns[:, None, :, None] + 1).to(q.dtype).log())


@dataclass(frozen=True)
class HeadPart:
    """What one head's logits owe to positions directly, as the limit object has it."""

    layer: int
    head: int
    fit: DistanceFit
    differences: Float[np.ndarray, "n n"]
    """D(j, i), key and query; not a number where the pair was not seen."""


@dataclass(frozen=True)
class ValuePart:
    """What one reader sees of position vectors, and how much of it is periodic."""

    layer: int
    reader: str
    size: float
    """How much of what it reads, of tokens and positions, is positions: from 0 to 1."""
    residual: float
    """Share of it that is not periodic with the object's period."""


@dataclass(frozen=True)
class Extracted:
    """The limit object with the residuals of every part."""

    model: Decoder
    """The object: runs like any decoder, at any length."""
    period: int
    vectors: Float[np.ndarray, "p d"]
    rest: Float[np.ndarray, "n d"]
    """What the periodic vectors leave out of the position table: with it back, nothing is lost."""
    heads: tuple[HeadPart, ...]
    values: tuple[ValuePart, ...]
    spread: float
    """How much the norms' divisors vary over the inputs, relative to their mean."""

    @property
    def radius(self) -> int:
        """The largest distance at which a local part is not 0."""
        return max((head.fit.function.radius for head in self.heads), default=-1)

    @property
    def periods(self) -> tuple[int, ...]:
        """Every period in the object: of the vectors and of the heads."""
        return tuple(sorted({self.period, *(h.fit.function.period for h in self.heads)}))

    @property
    def rest_of_logits(self) -> float:
        """The largest standard deviation of logits that no periodic and local function explains."""
        return max((head.fit.rest for head in self.heads), default=0.0)


def extract(model: Decoder, inputs: Sequence[PlacedRows]) -> Extracted:
    """Turn a decoder with learned absolute positions into a limit object.

    ``inputs`` should be what the model was trained on, at offsets all over its context.
    """
    table = numpy(position_table(model))
    if len(table) < 4:
        raise InputError("a table of fewer than 4 positions says nothing about periods.")
    scales = norm_scales(model, inputs)
    matrices = folded(model, scales)
    readers = _readers(matrices)
    visible = table @ _projector(np.concatenate([m for _, _, m in readers]))
    period = best_period(visible @ np.concatenate([m for _, _, m in readers]).T)
    vectors = residue_means(visible, period)
    rest = table - vectors[np.arange(len(table)) % period]
    found = deepcopy(model)
    encoding = LimitPositions(
        torch.from_numpy(vectors).to(position_table(model).dtype), model.config.heads
    )
    found.encoding = encoding
    heads: list[HeadPart] = []
    for layer, block in enumerate(model.blocks):
        assert isinstance(block, Block)
        if block.sharpness is not None:
            encoding.sharpness[layer] = block.sharpness.detach()
        parts = _layer(model, found, layer, inputs, len(table))
        encoding.functions[layer] = tuple(part.fit.function for part in parts)
        heads += parts
    return Extracted(
        model=found.eval(),
        period=period,
        vectors=vectors,
        rest=rest,
        heads=tuple(heads),
        values=_values(readers, table, matrices.embedding, period),
        spread=scales.spread,
    )


def _layer(
    model: Decoder, found: Decoder, layer: int, inputs: Sequence[PlacedRows], context: int
) -> list[HeadPart]:
    """Fit the mean difference of logits in one layer, over all inputs and offsets."""
    total = np.zeros((model.config.heads, context, context))
    counts = np.zeros((context, context))
    for words in inputs:
        wanted, have = (look_inside(m, words).logits[layer] for m in (model, found))
        difference = (wanted - have).double().transpose(2, 3).numpy()  # (batch, head, key, query)
        causal = np.tri(difference.shape[-1], dtype=bool).T
        key, query = np.nonzero(causal)
        for row, offset in zip(difference, words.offsets.tolist(), strict=True):
            total[:, key + offset, query + offset] += row[:, key, query]
            counts[key + offset, query + offset] += 1
    seen = counts > 0
    mean = np.where(seen, total / np.where(seen, counts, 1), 0.0)
    return [
        HeadPart(layer + 1, head + 1, fit_distances(one, counts), np.where(seen, one, np.nan))
        for head, one in enumerate(mean)
    ]


def _readers(model: Explicit) -> list[tuple[int, str, Array]]:
    """Return what reads the stream other than a logit: values, MLPs, the output."""
    found: list[tuple[int, str, Array]] = []
    for layer, (heads, a) in enumerate(zip(model.v, model.a, strict=True), start=1):
        found += [(layer, f"values of head {h}", v) for h, v in enumerate(heads, start=1)]
        found.append((layer, "MLP", a))
    return [*found, (len(model.a), "output", model.unembedding)]


def _projector(readers: Array) -> Float[np.ndarray, "d d"]:
    """Return the projector onto the directions that some reader sees."""
    _, sizes, rows = np.linalg.svd(readers, full_matrices=False)
    seen = rows[sizes > INVISIBLE * sizes.max(initial=0)]
    return seen.T @ seen


def best_period(table: Float[np.ndarray, "n k"]) -> int:
    """Return the shortest period that explains a table as well as any other does.

    A period of q takes q means away, so what is left is divided by n - q: noise is then explained
    equally badly by every period, and 1 is chosen.

    Example:
        >>> best_period(np.tile(np.eye(3), (8, 1)))
        3
        >>> best_period(np.random.default_rng(0).normal(size=(60, 40)))
        1
    """
    size = len(table)
    periods = range(1, min(LARGEST_PERIOD, size // 4) + 1)
    left = [_left(table, period) / (size - period) for period in periods]
    if left[0] <= 1e-18 * max(1.0, float((table**2).mean())):
        return 1
    limit = min(left) + CLOSE * left[0]
    return next(period for period, value in zip(periods, left, strict=True) if value <= limit)


def residue_means(table: Float[np.ndarray, "n d"], period: int) -> Float[np.ndarray, "p d"]:
    """Return the mean of the rows of each residue."""
    return np.stack([table[residue::period].mean(axis=0) for residue in range(period)])


def _left(table: Array, period: int) -> float:
    means = residue_means(table, period)
    return float(((table - means[np.arange(len(table)) % period]) ** 2).sum())


def _values(
    readers: Sequence[tuple[int, str, Array]], table: Array, embedding: Array, period: int
) -> tuple[ValuePart, ...]:
    parts = []
    for layer, name, matrix in readers:
        read, tokens = table @ matrix.T, embedding @ matrix.T
        size, scale = _left(read, 1) / len(table), _left(tokens, 1) / len(tokens)
        if size <= 1e-18:
            parts.append(ValuePart(layer, name, 0.0, 0.0))
            continue
        residual = _left(read, period) / _left(read, 1)
        parts.append(ValuePart(layer, name, (size / (size + scale)) ** 0.5, residual))
    return tuple(parts)
