"""LBPE: the position relation itself is learned, as weights over a few values."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Place, Places, PositionEncoding, Shape

Predictor = Literal["mlp", "lines"]


@dataclass(frozen=True, kw_only=True)
class LearnedRelation(PositionEncoding):
    """pi(k | i, j) = softmax_k(g(i, j) / temperature); S[i, j] = q_i . k_j + sum_k pi(k) c[k].

    The learned encoding of Chen, Liang and Lin (2025, arXiv 2510.04130), who predict weights over
    discrete values of the relation; all else here is our reconstruction. g is shared by all layers
    and heads: an MLP with one ``hidden`` ReLU layer on (i, j) / ``unit`` (piecewise linear, so it
    extends along lines), or ``predictor=lines``, -(a i + b j + c)^2 for learned lines and one
    constant. c is learned per layer and head. ``vectors`` adds sum_k pi(k) q_i . R[k]. ``hard``
    uses the most likely value only, with the gradient of the weights (straight through).
    """

    values: int = 4
    hidden: int = 64
    unit: float = 5.0
    temperature: float = 1.0
    predictor: Predictor = "mlp"
    vectors: bool = False
    hard: bool = False

    name: ClassVar[str] = "lbpe"
    summary: ClassVar[str] = "the relation phi(i, j) itself is learned"
    touches: ClassVar[frozenset[Place]] = frozenset({"logits"})
    shift_invariant: ClassVar[bool] = False
    hint: ClassVar[bool] = False
    """Whether the predictor is told the instance's length."""

    def __post_init__(self) -> None:
        if self.values < 2 or self.hidden < 1:
            raise InputError(
                f"encoding {self.name!r}: values={self.values} must be at least 2 and "
                f"hidden={self.hidden} at least 1."
            )
        if self.unit <= 0 or self.temperature <= 0:
            raise InputError(
                f"encoding {self.name!r}: unit={self.unit} and temperature={self.temperature} "
                "must be positive."
            )

    def build(self, shape: Shape) -> EncodingModule:
        """Allocate the predictor and the tables."""
        return LearnedRelationModule(self, shape)


@dataclass(frozen=True, kw_only=True)
class LearnedRelationScaleHint(LearnedRelation):
    """LBPE whose relation also knows the instance's length: pi(k | i, j, n)."""

    name: ClassVar[str] = "lbpe-sh"
    summary: ClassVar[str] = "the relation phi(i, j, n) itself is learned"
    hint: ClassVar[bool] = True


class LearnedRelationModule(EncodingModule):
    """The predictor of the relation, and what the layers make of its values."""

    masks_future = True

    def __init__(self, options: LearnedRelation, shape: Shape) -> None:
        super().__init__()
        self.options = options
        features, values = 2 + options.hint, options.values
        if options.predictor == "mlp":
            self.first = nn.Linear(features, options.hidden)
            self.second = nn.Linear(options.hidden, values)
        else:
            self.first = nn.Linear(features, values - 1)
            self.constant = nn.Parameter(torch.zeros(1))
        self.numbers = nn.Parameter(torch.randn(shape.layers, shape.heads, values))
        self.rows: nn.Parameter | None = None
        if options.vectors:
            rows = torch.randn(shape.layers, shape.heads, values, shape.head_width)
            self.rows = nn.Parameter(rows * shape.head_width**-0.5)

    def weights(self, places: Places) -> Float[Tensor, "b q k v"]:
        """Return pi at every pair of positions (which count from 1 in the features)."""
        logits = self._logits(self._features(places)) / self.options.temperature
        pi = logits.softmax(dim=-1)
        if not self.options.hard:
            return pi
        most = torch.zeros_like(pi).scatter_(-1, pi.argmax(dim=-1, keepdim=True), 1.0)
        return most + pi - pi.detach()

    def _features(self, places: Places) -> Float[Tensor, "b q k f"]:
        parts = [places.query[:, :, None] + 1, places.key[:, None, :] + 1]
        if self.options.hint:
            if places.scale is None:
                raise InputError("encoding 'lbpe-sh' needs the length of each instance (scale).")
            parts.append(places.scale[:, None, None])
        stacked = torch.stack(torch.broadcast_tensors(*parts), dim=-1)
        return stacked.to(self.numbers.dtype) / self.options.unit

    def _logits(self, features: Float[Tensor, "b q k f"]) -> Float[Tensor, "b q k v"]:
        if self.options.predictor == "mlp":
            return self.second(torch.relu(self.first(features)))
        lines = -(self.first(features) ** 2)
        return torch.cat([self.constant.expand(*lines.shape[:-1], 1), lines], dim=-1)

    def prepare(self, places: Places) -> Any:
        """Predict the relation, which all layers share; once for each different length."""
        hidden = ~places.visible()[:, None]
        shared = len(places.query) == len(places.key) == 1
        if not self.options.hint or places.scale is None or not shared:
            return self.weights(places), hidden
        scales, row = places.scale.unique(return_inverse=True)
        return self.weights(replace(places, scale=scales))[row], hidden

    def bias(
        self, q: Float[Tensor, "b h q e"], k: Float[Tensor, "b h k e"], prepared: Any, layer: int
    ) -> Float[Tensor, "#b #h q k"]:
        """Mix the layer's numbers (and rows) by the weights."""
        pi, hidden = prepared
        if self.rows is None:
            mixed = torch.einsum("bqkv,hv->bhqk", pi, self.numbers[layer])
        else:
            scores = torch.einsum("bhqe,hve->bhqv", q, self.rows[layer])
            scores = scores + self.numbers[layer][:, None]
            mixed = torch.einsum("bhqv,bqkv->bhqk", scores, pi.expand(len(q), -1, -1, -1))
        return mixed.masked_fill_(hidden, -torch.inf)
